-- The device with a fingerprint.
SELECT id FROM device WHERE fingerprint = :fingerprint;
