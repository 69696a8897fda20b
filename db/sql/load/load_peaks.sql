-- Peaks of a device that work in one type may reach: those of the type, and all that are of no type.
SELECT unit, peak.type, rate, low, moments
FROM peak JOIN device ON device.id = device_id
WHERE fingerprint = :fingerprint
  AND (unit <> 'FLOP/s' OR peak.type IN (:type, 'plain:' || :type, 'tensor:' || :type));
