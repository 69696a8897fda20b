-- Trials of the runs :runs, a JSON array, that are no more than losers, and have something to drop: neither
-- a default, nor of a configuration that ever was an answer, the finding of a run or in finals of the subject, has a profile, or
-- has samples that stand for another's, nor of a status that takes back an answer, nor of an implementation that never passed
-- in the run. place of the run in :runs, trial, bytes of its samples with their notes, of its log, and what prune_again.sql
-- asks by. Trials follow one another as runs do in :runs. One statement for many runs: what a subject keeps is as long as its
-- history.
WITH old AS MATERIALIZED (
  SELECT r.id, r.device_id, r.problem_id, r.started_ms, j.key AS place
  FROM json_each(:runs) j
  CROSS JOIN run r ON r.id = j.value),
subject AS MATERIALIZED (
  SELECT DISTINCT device_id, problem_id FROM old),
shown AS (
  SELECT s.device_id, s.problem_id, a.trial_id
  FROM subject s CROSS JOIN answer a ON a.device_id = s.device_id AND a.problem_id = s.problem_id
  UNION ALL SELECT s.device_id, s.problem_id, o.trial_id
  FROM subject s CROSS JOIN outcome o ON o.device_id = s.device_id AND o.problem_id = s.problem_id),
kept AS (
  SELECT s.device_id, s.problem_id, t.implementation_id, t.config_hash FROM shown s JOIN trial t ON t.id = s.trial_id
  UNION SELECT s.device_id, s.problem_id, f.implementation_id, f.config_hash
    FROM subject s
    CROSS JOIN run o ON o.device_id = s.device_id AND o.problem_id = s.problem_id
    CROSS JOIN final f ON f.run_id = o.id),
stand_in AS (
  SELECT t.run_id, t.same_implementation_id, t.same_hash FROM old r CROSS JOIN trial t ON t.run_id = r.id
  WHERE t.same_hash IS NOT NULL AND t.same_implementation_id IS NOT NULL)
SELECT r.place, t.id, coalesce(length(t.samples), 0) + coalesce(length(t.notes), 0), coalesce(length(CAST(t.log AS BLOB)), 0),
  r.started_ms, t.recorded_ms, t.implementation_id, t.config_hash, t.config_key, t.status
FROM old r
CROSS JOIN trial t ON t.run_id = r.id
WHERE NOT t.is_default
  AND t.status IN ('ok', 'slow', 'undecided', 'planned', 'pruned', 'unsupported', 'build_failed', 'load_failed', 'launch_failed')
  AND NOT EXISTS (SELECT 1 FROM outcome o WHERE o.device_id = r.device_id AND o.problem_id = r.problem_id AND o.run_id = r.id
    AND o.implementation_id = t.implementation_id AND NOT o.passed)
  AND NOT EXISTS (SELECT 1 FROM profile p WHERE p.run_id = r.id AND p.implementation_id = t.implementation_id
    AND p.config_key = t.config_key)
  -- iif, since NOT IN reads a whole list for a NULL in it.
  AND iif((r.device_id, r.problem_id, t.implementation_id, t.config_hash) IN (SELECT * FROM kept), 0, 1)
  AND iif((r.id, t.implementation_id, t.config_hash) IN (SELECT * FROM stand_in), 0, 1);
