-- SPDX-License-Identifier: PostgreSQL
-- Large objects: enough of one owner for several groups; empty, sparse, of several megabytes; owners, rights, comments.
DO $$
DECLARE
    made oid;
    fd integer;
BEGIN
    -- 2,300 of equal owner and rights; every tenth is empty, the others end around the edges of pages of 2048 bytes.
    FOR i IN 1..2300 LOOP
        PERFORM lo_from_bytea((1000000 + i)::oid,
            CASE WHEN i % 10 = 0 THEN '' ELSE decode(repeat(md5(i::text), 1 + i % 130), 'hex') END);
    END LOOP;
    PERFORM lo_from_bytea(1010001, decode(repeat('00', 2047), 'hex'));
    PERFORM lo_from_bytea(1010002, decode(repeat('5c', 2048), 'hex'));
    PERFORM lo_from_bytea(1010003, decode(repeat('27', 2049), 'hex'));
    PERFORM lo_from_bytea(1010004, (SELECT string_agg(decode(lpad(to_hex(i % 256), 2, '0'), 'hex'), '' ORDER BY i)
                                    FROM generate_series(0, 70000) i));
    -- Six megabytes, of which most was never written, and a hole that ends the object.
    made := lo_from_bytea(1010005, '\x6265676e');
    PERFORM lo_put(made, 3000001, decode(repeat(md5('hole'), 4000), 'hex'));
    PERFORM lo_put(made, 6291456, '\x656e64');
    made := lo_from_bytea(1010006, '\x01');
    fd := lo_open(made, 131072);
    PERFORM lo_truncate(fd, 1500000);
    PERFORM lo_close(fd);
    PERFORM lo_from_bytea(1010007, (SELECT decode(string_agg(md5('lo' || i), '' ORDER BY i), 'hex')
                                    FROM generate_series(1, 250000) i));
    FOR i IN 1..40 LOOP
        made := lo_from_bytea((1020000 + i)::oid, decode(md5('owned' || i), 'hex'));
        EXECUTE format('ALTER LARGE OBJECT %s OWNER TO every_owner', made);
        IF i % 2 = 0 THEN
            EXECUTE format('GRANT SELECT, UPDATE ON LARGE OBJECT %s TO every_reader', made);
        END IF;
        IF i % 5 = 0 THEN
            EXECUTE format('COMMENT ON LARGE OBJECT %s IS %L', made, E'Large object''s comment \\ ' || i);
        END IF;
    END LOOP;
    FOR i IN 1..10 LOOP
        made := lo_from_bytea((1030000 + i)::oid, decode(md5('odd' || i), 'hex'));
        EXECUTE format('ALTER LARGE OBJECT %s OWNER TO %I', made, 'every "odd" role\é');
        EXECUTE format('REVOKE ALL ON LARGE OBJECT %s FROM %I', made, 'every "odd" role\é');
        EXECUTE format('GRANT SELECT ON LARGE OBJECT %s TO PUBLIC', made);
        EXECUTE format('GRANT SELECT ON LARGE OBJECT %s TO every_writer WITH GRANT OPTION', made);
    END LOOP;
END
$$;
CREATE TABLE every.refers_to_large_objects (id integer PRIMARY KEY, lo oid);
INSERT INTO every.refers_to_large_objects SELECT row_number() OVER (ORDER BY oid), oid FROM pg_largeobject_metadata;
