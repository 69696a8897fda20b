-- Trials of a subject's runs before losers were removed.
SELECT x.run_id, x.implementation_id, x.status, x.trials
FROM run r CROSS JOIN run_tried x ON x.run_id = r.id
WHERE r.device_id = :device_id AND r.problem_id = :problem_id AND NOT r.imported
  AND r.strategy IS NOT 'gate';
