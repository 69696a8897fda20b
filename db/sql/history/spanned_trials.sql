-- Trials of run :run_id that were built or measured in it, as they were recorded.
SELECT t.id, i.name, t.config_key, t.status, t.begin_ns, t.build_ns, t.load_ns, t.verify_ns, t.measure_ns, t.builds
FROM trial t
JOIN implementation i ON i.id = t.implementation_id
WHERE t.run_id = :run_id AND (t.begin_ns IS NOT NULL OR t.builds IS NOT NULL)
ORDER BY t.id;
