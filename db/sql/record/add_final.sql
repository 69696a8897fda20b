-- One finalist of a run.
INSERT INTO final(run_id, implementation_id, config_hash, config_key, tied, winner, ratio, ratio_low, ratio_high,
  threads, memory_bytes, n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns, low_ns, high_ns, clock_mhz,
  standing, bits, compared, varied, varied_abs, sets, places)
VALUES(:run_id, :implementation_id, :config_hash, :config_key, :tied, :winner, :ratio, :ratio_low, :ratio_high,
  :threads, :memory_bytes, :n_samples, :samples, :min_ns, :q1_ns, :median_ns, :q3_ns, :max_ns, :low_ns, :high_ns,
  :clock_mhz, :standing, :bits, :compared, :varied, :varied_abs, :sets, :places);
