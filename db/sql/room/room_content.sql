-- Members of struct db_room: pages and what of trials is in them.
SELECT (SELECT count(*) FROM run), count(*),
  count(*) FILTER (WHERE samples IS NULL AND n_samples > 0 AND same_hash IS NULL),
  max(0, (SELECT coalesce(sum(trials), 0) FROM run_tried) - count(*) FILTER (WHERE run_id IN (SELECT run_id FROM run_tried))),
  coalesce(sum(length(samples)), 0) + coalesce(sum(length(notes)), 0),
  coalesce(sum(length(CAST(log AS BLOB))), 0) + coalesce(sum(length(CAST(reason AS BLOB))), 0),
  coalesce(sum(length(CAST(config_key AS BLOB)) + length(CAST(config_json AS BLOB))), 0),
  (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
  (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size),
  (SELECT count(*) FROM stale)
FROM trial;
