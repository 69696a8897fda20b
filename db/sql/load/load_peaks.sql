-- Peaks of a device: of memory, and of one type.
SELECT unit, type, rate, low, moments
FROM peak JOIN device ON device.id = device_id
WHERE fingerprint = :fingerprint AND type IN (:type, '');
