-- Members of struct db_run_energy: configurations of the run :run_id whose energy was measured, the fastest first. Times are of
-- its finals, else of its trials.
SELECT i.name, p.config_key, coalesce(f.winner, 0), coalesce(f.median_ns, t.median_ns) AS ns,
  iif(f.run_id IS NULL, t.low_ns, f.low_ns), iif(f.run_id IS NULL, t.high_ns, f.high_ns),
  max(x.value) FILTER (WHERE n.name = 'energy_j') AS joules,
  max(x.value) FILTER (WHERE n.name = 'energy_low_j'),
  max(x.value) FILTER (WHERE n.name = 'energy_high_j')
FROM profile p
JOIN implementation i ON i.id = p.implementation_id
CROSS JOIN reading x ON x.profile_id = p.id AND x.call = 0
JOIN metric_name n ON n.id = x.name_id AND n.probe = 'energy'
LEFT JOIN final f ON f.run_id = p.run_id AND f.implementation_id = p.implementation_id AND f.config_key = p.config_key
LEFT JOIN trial t ON t.id = (SELECT max(o.id) FROM trial o WHERE o.run_id = p.run_id
  AND o.implementation_id = p.implementation_id AND o.config_key = p.config_key AND o.status = 'ok')
WHERE p.run_id = :run_id
GROUP BY p.id
HAVING joules > 0 AND ns > 0
ORDER BY ns, i.name, p.config_key;
