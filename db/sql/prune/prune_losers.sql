-- Trials of run :run_id, of :device_id and :problem_id, that have something to drop and are no more than losers: neither a
-- default, nor an answer or the finding of a run, nor a configuration that was ever in finals of the subject, nor one whose
-- samples stand for another's, nor of a status that takes back an answer, nor of an implementation that never passed in the
-- run. trial, bytes of its samples with their notes, of its log
SELECT t.id, coalesce(length(t.samples), 0) + coalesce(length(t.notes), 0),
  coalesce(length(CAST(t.log AS BLOB)), 0)
FROM trial t
WHERE t.run_id = :run_id AND NOT t.is_default
  AND (length(t.samples) > 0 OR length(t.notes) > 0 OR length(t.log) > 0)
  AND t.status IN ('ok', 'slow', 'undecided', 'planned', 'pruned', 'unsupported', 'build_failed', 'load_failed', 'launch_failed')
  AND t.id NOT IN (SELECT trial_id FROM answer WHERE device_id = :device_id AND problem_id = :problem_id)
  AND t.id NOT IN (SELECT trial_id FROM outcome WHERE device_id = :device_id AND problem_id = :problem_id)
  AND t.implementation_id NOT IN (SELECT implementation_id FROM outcome
    WHERE device_id = :device_id AND problem_id = :problem_id AND run_id = :run_id AND NOT passed)
  AND (t.implementation_id, t.config_hash) NOT IN (SELECT f.implementation_id, f.config_hash
    FROM run o CROSS JOIN final f ON f.run_id = o.id
    WHERE o.device_id = :device_id AND o.problem_id = :problem_id)
  AND (t.implementation_id, t.config_hash) NOT IN (SELECT x.same_implementation_id, x.same_hash
    FROM trial x WHERE x.run_id = :run_id AND x.same_hash IS NOT NULL AND x.same_implementation_id IS NOT NULL);
