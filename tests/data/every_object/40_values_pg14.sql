-- SPDX-License-Identifier: PostgreSQL
-- Values of types that came with 14: multiranges, infinite numerics.
CREATE TABLE every.multiranges (id integer PRIMARY KEY, i int4multirange, n nummultirange, d datemultirange,
    own every.date_spans, exact numeric);
INSERT INTO every.multiranges VALUES
    (1, '{[1,3),[5,9)}', '{(,0.5],[1.50,Infinity)}', '{[0044-03-15 BC,infinity)}', '{[2000-01-01,2000-02-01)}',
     'Infinity'),
    (2, '{}', '{}', '{(,)}', '{}', '-Infinity'), (3, NULL, NULL, NULL, NULL, NULL);
