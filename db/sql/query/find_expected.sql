-- Milliseconds that the newest search of a problem took that ended and had all of its space, on a device of that kind, newest by
-- what is the same in merged databases, too.
SELECT r.ended_ms - r.started_ms
FROM workload w
JOIN problem p ON p.workload_id = w.id
JOIN device v ON v.kind = :device_kind
JOIN run r ON r.device_id = v.id AND r.problem_id = p.id
LEFT JOIN share s ON s.id = r.share_id
WHERE w.name = :workload AND p.name = :problem AND NOT r.imported AND r.outcome = 'done' AND is_search(r.strategy)
  AND s.way IS NOT 'configurations'
ORDER BY r.started_ms DESC, r.uid DESC LIMIT 1;
