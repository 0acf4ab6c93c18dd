-- SPDX-License-Identifier: PostgreSQL
-- Views, materialized views, rules, triggers, policies, event triggers.
CREATE VIEW every.simple_view AS SELECT id, t FROM every.parent WHERE id > 3;
CREATE VIEW every.options_view WITH (security_barrier = true, check_option = cascaded) AS
    SELECT id, t FROM every.no_rows WHERE id > 0;
CREATE VIEW every.local_check AS SELECT id, t FROM every.no_rows WHERE t <> E'it''s\\' WITH LOCAL CHECK OPTION;
CREATE RECURSIVE VIEW every.recursive_view (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM recursive_view WHERE n < 9;
CREATE VIEW every.no_columns AS SELECT FROM every.no_rows;
CREATE VIEW every.depends_on_key AS SELECT p.id, p.t, count(*) AS n FROM every.parent p GROUP BY p.id;
CREATE VIEW every."odd ""view""
%s" AS SELECT 1 AS "Odd ""column""";
CREATE VIEW every.insertable AS SELECT a, b FROM every.indexed;
ALTER VIEW every.insertable ALTER a SET DEFAULT 7;
GRANT SELECT ON every.simple_view TO every_reader;
ALTER VIEW every.simple_view OWNER TO every_owner;
COMMENT ON VIEW every.simple_view IS 'A view';
COMMENT ON COLUMN every.simple_view.t IS 'A column of a view';
CREATE TABLE every.becomes_used (id integer);
CREATE VIEW every.first_of_circle AS SELECT id FROM every.becomes_used;
CREATE FUNCTION every.uses_view(every.first_of_circle) RETURNS integer LANGUAGE sql AS 'SELECT $1.id';
CREATE OR REPLACE VIEW every.first_of_circle AS SELECT id FROM every.becomes_used
    WHERE every.uses_view(NULL::every.first_of_circle) IS NULL;

CREATE MATERIALIZED VIEW every.matview AS SELECT a % 10 AS k, count(*) AS n, max(b) AS b FROM every.indexed GROUP BY 1;
CREATE UNIQUE INDEX matview_k ON every.matview (k);
CREATE MATERIALIZED VIEW every.matview_of_matview WITH (fillfactor = 90) AS SELECT sum(n) AS n FROM every.matview;
CREATE MATERIALIZED VIEW every.a_matview_of_a_later_name AS SELECT n * 2 AS n FROM every.matview_of_matview;
CREATE MATERIALIZED VIEW every.matview_empty AS SELECT k FROM every.matview WITH NO DATA;
CREATE MATERIALIZED VIEW every.matview_on_key AS SELECT p.id, p.t, count(*) FROM every.parent p GROUP BY p.id;
CREATE VIEW every.view_of_matview AS SELECT k FROM every.matview;
ALTER MATERIALIZED VIEW every.matview ALTER k SET STATISTICS 50, ALTER b SET STORAGE EXTERNAL;
ALTER MATERIALIZED VIEW every.matview CLUSTER ON matview_k;
ALTER MATERIALIZED VIEW every.matview_of_matview OWNER TO every_owner;
GRANT SELECT ON every.matview TO every_reader, every_owner;
COMMENT ON MATERIALIZED VIEW every.matview IS 'A materialized view';

CREATE TABLE every.ruled (id integer PRIMARY KEY, t text);
CREATE TABLE every.rule_log (id integer, t text);
INSERT INTO every.ruled SELECT i, 'r' || i FROM generate_series(1, 20) i;
CREATE RULE log_insert AS ON INSERT TO every.ruled DO ALSO INSERT INTO every.rule_log VALUES (new.id, new.t);
CREATE RULE "keep ""these""" AS ON DELETE TO every.ruled WHERE old.id < 10 DO INSTEAD NOTHING;
CREATE RULE disabled_rule AS ON UPDATE TO every.ruled DO INSTEAD NOTHING;
CREATE RULE always_rule AS ON UPDATE TO every.rule_log DO INSTEAD (SELECT 1; SELECT 2);
CREATE RULE view_insert AS ON INSERT TO every.simple_view DO INSTEAD INSERT INTO every.no_rows VALUES (new.id, new.t)
    RETURNING id, t;
ALTER TABLE every.ruled DISABLE RULE disabled_rule;
ALTER TABLE every.rule_log ENABLE ALWAYS RULE always_rule;
COMMENT ON RULE log_insert ON every.ruled IS 'A rule';

CREATE FUNCTION every.trigger_function() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RETURN old;
    END IF;
    RETURN new;
END
$$;
CREATE TABLE every.triggered (id integer PRIMARY KEY, t text, n integer);
INSERT INTO every.triggered SELECT i, 't' || i, i FROM generate_series(1, 30) i;
CREATE TRIGGER before_row BEFORE INSERT OR UPDATE OF t, n OR DELETE ON every.triggered FOR EACH ROW
    EXECUTE FUNCTION every.trigger_function('an argument', E'it''s\\', '%s');
CREATE TRIGGER when_row AFTER UPDATE ON every.triggered FOR EACH ROW
    WHEN (old.t IS DISTINCT FROM new.t) EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER statement AFTER TRUNCATE ON every.triggered EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER transitions AFTER UPDATE ON every.triggered REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION every.trigger_function();
CREATE CONSTRAINT TRIGGER constraint_trigger AFTER INSERT ON every.triggered FROM every.parent
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER disabled_trigger BEFORE INSERT ON every.triggered FOR EACH ROW EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER replica_trigger BEFORE INSERT ON every.triggered FOR EACH ROW EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER always_trigger BEFORE INSERT ON every.triggered FOR EACH ROW EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER "odd ""trigger"" %s" BEFORE INSERT ON every.triggered FOR EACH ROW
    EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER view_trigger INSTEAD OF INSERT OR DELETE ON every.local_check FOR EACH ROW
    EXECUTE FUNCTION every.trigger_function();
CREATE TRIGGER parted_trigger AFTER INSERT ON every.by_range FOR EACH ROW EXECUTE FUNCTION every.trigger_function();
ALTER TABLE every.triggered DISABLE TRIGGER disabled_trigger;
ALTER TABLE every.triggered ENABLE REPLICA TRIGGER replica_trigger;
ALTER TABLE every.triggered ENABLE ALWAYS TRIGGER always_trigger;
ALTER TABLE every.by_range_2000 DISABLE TRIGGER parted_trigger;
COMMENT ON TRIGGER before_row ON every.triggered IS 'A trigger';

CREATE TABLE every.guarded (id integer PRIMARY KEY, owner name, secret text);
INSERT INTO every.guarded SELECT i, 'every_reader', 's' || i FROM generate_series(1, 25) i;
ALTER TABLE every.guarded ENABLE ROW LEVEL SECURITY;
ALTER TABLE every.guarded FORCE ROW LEVEL SECURITY;
GRANT SELECT ON every.guarded TO every_reader;
CREATE POLICY for_all ON every.guarded USING (owner = current_user) WITH CHECK (id > 0);
CREATE POLICY for_select ON every.guarded FOR SELECT TO every_reader, every_writer USING (id < 10);
CREATE POLICY for_insert ON every.guarded FOR INSERT TO every_writer WITH CHECK (secret <> E'it''s\\');
CREATE POLICY restrictive ON every.guarded AS RESTRICTIVE FOR UPDATE USING (true) WITH CHECK (false);
CREATE POLICY "for ""delete""" ON every.guarded FOR DELETE TO "every ""odd"" role\é" USING (id = 1);
COMMENT ON POLICY for_all ON every.guarded IS 'A policy';
CREATE TABLE every.guarded_without_policies (id integer);
ALTER TABLE every.guarded_without_policies ENABLE ROW LEVEL SECURITY;
INSERT INTO every.guarded_without_policies VALUES (1), (2);

CREATE FUNCTION every.event_function() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN NULL; END';
CREATE EVENT TRIGGER every_event ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE')
    EXECUTE FUNCTION every.event_function();
CREATE EVENT TRIGGER every_start ON ddl_command_start EXECUTE FUNCTION every.event_function();
CREATE EVENT TRIGGER every_disabled ON sql_drop EXECUTE FUNCTION every.event_function();
CREATE EVENT TRIGGER every_replica ON table_rewrite EXECUTE FUNCTION every.event_function();
CREATE EVENT TRIGGER every_always ON sql_drop EXECUTE FUNCTION every.event_function();
ALTER EVENT TRIGGER every_disabled DISABLE;
ALTER EVENT TRIGGER every_replica ENABLE REPLICA;
ALTER EVENT TRIGGER every_always ENABLE ALWAYS;
ALTER EVENT TRIGGER every_always OWNER TO postgres;
COMMENT ON EVENT TRIGGER every_event IS 'An event trigger';
