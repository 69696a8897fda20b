-- Records a verdict in place of an earlier one of the same change, unless the kind of that is :yields_to.
INSERT INTO verdict(series_id, run_id, kind, ratio, made_ms, note)
SELECT x.id, r.id, :kind, :ratio, :made_ms, :note
FROM run r
JOIN series x ON x.device_id = r.device_id AND x.problem_id = r.problem_id
  AND x.implementation = :implementation AND x.config_key = '' AND x.figure = :figure
WHERE r.id = :run_id
ON CONFLICT(series_id, run_id) DO UPDATE SET
  kind = iif(kind IS :yields_to, kind, excluded.kind),
  ratio = iif(kind IS :yields_to, ratio, excluded.ratio),
  made_ms = iif(kind IS :yields_to, made_ms, excluded.made_ms),
  note = iif(kind IS :yields_to, note, excluded.note)
RETURNING id;
