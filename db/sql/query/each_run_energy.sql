-- Trial, median ns and joules of each trial of the run :run_id that passed and whose energy was measured.
SELECT t.id, t.median_ns, m.value * CASE n.unit WHEN 'J' THEN 1 WHEN 'mJ' THEN 1e-3 WHEN 'uJ' THEN 1e-6 ELSE 1e-9 END
FROM metric_name n
JOIN trial t
JOIN metric m ON m.trial_id = t.id AND m.name_id = n.id
WHERE n.unit IN ('J', 'mJ', 'uJ', 'nJ') AND +t.run_id = :run_id AND t.id BETWEEN :first_trial AND :last_trial
  AND t.status = 'ok' AND t.median_ns > 0 AND m.value > 0
ORDER BY t.id, n.id;
