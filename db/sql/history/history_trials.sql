-- Trials of all runs, the newest first: in the order of the table, from its end, so that nothing is sorted.
SELECT run_id, implementation_id, id, config_hash, config_key, status, median_ns, clock_mhz
FROM trial
ORDER BY id DESC;
