-- Proofs of delivery, whose signatures are large objects.
CREATE TABLE ops.proof_of_delivery (
    proof_id int PRIMARY KEY,
    signed_by text NOT NULL,
    signed_at timestamptz NOT NULL,
    signature oid NOT NULL
);
INSERT INTO ops.proof_of_delivery
SELECT n, 'Recipient ' || n, timestamptz '2025-06-01 08:00Z' + n * interval '81 min',
       lo_from_bytea(0, (SELECT decode(string_agg(md5(n || '/' || k), ''), 'hex')
                         FROM generate_series(1, 400 + n % 2400) k))
FROM generate_series(1, 500) n;
COMMENT ON COLUMN ops.proof_of_delivery.signature IS 'A large object with the picture';
