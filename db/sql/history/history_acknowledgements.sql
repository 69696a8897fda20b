-- All acknowledgements, the oldest first.
SELECT series, reason, who, since_ms, made_ms, until_ms
FROM acknowledgement
ORDER BY made_ms, reason, id;
