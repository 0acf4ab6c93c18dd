-- The indexes of the long pole.
ALTER TABLE ops.scan_event ADD CONSTRAINT scan_event_pkey PRIMARY KEY (event_id);
CREATE INDEX scan_event_parcel ON ops.scan_event (parcel_id, occurred_at);
CREATE INDEX scan_event_time ON ops.scan_event USING brin (occurred_at);
CREATE INDEX scan_event_returned ON ops.scan_event (depot_id) WHERE kind = 'returned';
