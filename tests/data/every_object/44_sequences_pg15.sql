-- SPDX-License-Identifier: PostgreSQL
-- Unlogged sequences.
CREATE UNLOGGED SEQUENCE every.unlogged_sequence;
SELECT nextval('every.unlogged_sequence');
CREATE UNLOGGED TABLE every.unlogged_identity (id integer GENERATED ALWAYS AS IDENTITY, t text);
INSERT INTO every.unlogged_identity (t) VALUES ('a'), ('b');
