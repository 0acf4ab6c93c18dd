-- SPDX-License-Identifier: PostgreSQL
-- Unique constraints that hold nulls equal, foreign keys that reset some of their columns.
CREATE TABLE every.nulls_equal (id integer PRIMARY KEY, a integer, b integer,
    CONSTRAINT nulls_equal_a UNIQUE NULLS NOT DISTINCT (a));
CREATE UNIQUE INDEX nulls_equal_b ON every.nulls_equal (b) NULLS NOT DISTINCT;
INSERT INTO every.nulls_equal VALUES (1, NULL, 1), (2, 2, NULL), (3, 3, 3);
CREATE TABLE every.two_keys (a integer, b integer, PRIMARY KEY (a, b));
INSERT INTO every.two_keys VALUES (1, 2);
CREATE TABLE every.resets_some (a integer, b integer, FOREIGN KEY (a, b) REFERENCES every.two_keys
    ON DELETE SET NULL (b));
INSERT INTO every.resets_some VALUES (1, 2), (NULL, 5);
