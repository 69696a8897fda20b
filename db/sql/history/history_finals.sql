-- Finalists of all runs.
SELECT run_id, implementation_id, config_hash, config_key, winner, median_ns, clock_mhz FROM final;
