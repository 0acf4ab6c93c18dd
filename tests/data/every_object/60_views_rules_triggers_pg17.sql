-- SPDX-License-Identifier: PostgreSQL
-- Event triggers on login, the right to maintain a table.
CREATE EVENT TRIGGER every_login ON login EXECUTE FUNCTION every.event_function();
ALTER EVENT TRIGGER every_login DISABLE;
GRANT MAINTAIN ON every.options TO every_reader;
