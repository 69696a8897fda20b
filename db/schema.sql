-- The whole schema of a database of asctune: tables with what their rows mean, what is kept of answers, and the views that
-- people ask. `sqlite3 new.db <db/schema.sql` makes what the program makes of an empty file.
--
-- Columns end in their unit: _ns, _ms (since 1970), _mhz, _pct, _bytes. Columns that end in _json are JSON.
-- NULL: not known, or recorded by a program that did not record it yet.

PRAGMA application_id = 1095975764; -- "ASCT": the file is asctune's
PRAGMA user_version = 26; -- SCHEMA in db/db.c. 1 to 25 were those of development; tests/data/golden/convert.py brings them here

-- ---- what was measured, where ----

-- A device through one driver, known by its fingerprint.
CREATE TABLE device(
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  model TEXT,
  arch TEXT,
  driver TEXT,
  clock TEXT,
  machine TEXT -- identity among devices of the model through all drivers, so that histories neither break with an update nor mix two machines
) STRICT;

CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  operator TEXT,
  export_json TEXT -- the workload's "export"
) STRICT;

-- One row for each name and content; the other columns say what the newest run said.
CREATE TABLE problem(
  id INTEGER PRIMARY KEY,
  workload_id INTEGER NOT NULL REFERENCES workload,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  dims_json TEXT, -- {"dims": {...}, "dtypes": {...}}
  flops REAL,
  bytes REAL,
  element TEXT, -- type that the problem computes in
  kinds_json TEXT, -- kinds of the dimensions, {"NAME": "size", ...}
  UNIQUE(workload_id, name, key)
) STRICT;

-- An implementation with one content: its key covers source, toolchain and options.
CREATE TABLE implementation(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  idx INTEGER NOT NULL,
  toolchain TEXT, -- as the builder describes it
  options TEXT, -- words of the compiler's command, a JSON array
  sources TEXT, -- the source and all that it may include, {"PATH": "KEY", ...}
  source_digest TEXT, -- digest of the source alone; '': there is none
  UNIQUE(name, key, idx)
) STRICT;

-- ---- runs ----

-- A share of problems that several machines tune, as one command says of itself (run --shard). Shares belong together where count,
-- way, dealt, seed, version and history are equal.
CREATE TABLE share(
  id INTEGER PRIMARY KEY,
  uid BLOB NOT NULL UNIQUE DEFAULT (randomblob(16)),
  number INTEGER NOT NULL, -- from 1
  count INTEGER NOT NULL, -- of shares
  way TEXT NOT NULL, -- 'problems': each is tuned by one share; 'configurations': each share tries its part of every space
  dealt TEXT NOT NULL, -- digest of the problems and of their workload files
  problems INTEGER NOT NULL, -- that this share tunes
  all_problems INTEGER NOT NULL,
  seed INTEGER NOT NULL, -- bits of an unsigned number
  version TEXT,
  history TEXT, -- digest of the runs in the file of --with, by which problems were dealt out; NULL: there was none
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER, -- NULL: in progress, or killed
  outcome TEXT -- 'done', 'interrupted', ...
) STRICT;

CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  uid BLOB NOT NULL UNIQUE DEFAULT (randomblob(16)), -- tells runs of different machines apart when files are merged
  device_id INTEGER NOT NULL REFERENCES device,
  problem_id INTEGER NOT NULL REFERENCES problem,
  workload_hash TEXT,
  version TEXT,
  strategy TEXT,
  policy_json TEXT,
  budget TEXT,
  cache_policy TEXT,
  seed INTEGER NOT NULL, -- bits of an unsigned number
  simulated INTEGER NOT NULL, -- not measured on the device: imported, or measured on a stand-in, where a model gives the times
  baseline TEXT, -- names of implementations, the control first: "eager,compiled"
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  outcome TEXT, -- 'done', 'interrupted', ...
  steady_json TEXT, -- what slowed the run down
  sure TEXT, -- sureness of the finals (tuner/result/tie.h); NULL: none were held
  noise_pct REAL,
  decided INTEGER, -- weight of the finals: 2: they were sure; 1: not, or the best on record did not take part and is faster; NULL: none
  workload_file TEXT,
  history_json TEXT, -- earlier results that the search began with, {"results", "sources": [...]}; NULL: none
  patience_json TEXT, -- why the search ended before its budget, {"patience", ...}; NULL: it did not
  imported INTEGER NOT NULL DEFAULT 0, -- measured elsewhere and read from a file
  source_commit TEXT, -- commit of the workload's folder
  source_clean INTEGER, -- nothing in that folder differed from it
  finals_begin_ns INTEGER, -- since the run began; NULL: no finals
  finals_ns INTEGER,
  input_seeds TEXT, -- seeds of the sets of inputs beside the first, a JSON array; NULL: there were none
  share_id INTEGER REFERENCES share -- that the run is a part of; NULL: none
) STRICT;

-- Implementations that took part in a run, those of resumed results too.
CREATE TABLE run_implementation(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  PRIMARY KEY(run_id, implementation_id)
) STRICT, WITHOUT ROWID;

-- Counts of an implementation's space at the start of a run. Rows in order: 'all' combinations of values, then, for each
-- 'condition', the configurations that it removes from the rest (NULL: not counted), last the 'valid' rest.
CREATE TABLE run_space(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  place INTEGER NOT NULL,
  kind TEXT NOT NULL,
  origin TEXT,
  text TEXT,
  configurations REAL,
  PRIMARY KEY(run_id, implementation_id, place)
) STRICT, WITHOUT ROWID;

-- ---- results ----

-- One configuration in a run. Times of samples are NULL without samples, error norms without a verification, the interval
-- of the median below 6 samples.
CREATE TABLE trial(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  config_hash INTEGER NOT NULL, -- hash of config_key's text
  config_key TEXT NOT NULL,
  config_json TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  recorded_ms INTEGER NOT NULL,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  reason TEXT,
  log TEXT,
  artifact TEXT,
  cached INTEGER NOT NULL,
  build_ns INTEGER NOT NULL,
  load_ns INTEGER NOT NULL,
  verify_ns INTEGER NOT NULL,
  measure_ns INTEGER NOT NULL,
  launches INTEGER NOT NULL, -- in each sample
  n_samples INTEGER NOT NULL,
  samples BLOB, -- times in order (db/sample_blob.c)
  min_ns REAL,
  q1_ns REAL,
  median_ns REAL,
  q3_ns REAL,
  max_ns REAL,
  max_abs REAL,
  mean_abs REAL,
  max_rel REAL,
  not_finite INTEGER,
  bad INTEGER,
  low_ns REAL,
  high_ns REAL,
  sample_order INTEGER, -- number of the first sample within the run
  retaken INTEGER,
  notes BLOB, -- marks and clocks of the samples, as samples
  rewrites_json TEXT, -- rewrites that shaped the configuration, [{"rewrite", "before", "after"}, ...]; NULL: none did
  clock_mhz REAL, -- median clock of the samples
  digest TEXT, -- of the artifact's bytes
  begin_ns INTEGER, -- when a worker took the trial up, since the run began
  builds BLOB, -- begin and end of each compiler's command, since the run began, as samples
  verified_by TEXT, -- what its outputs were compared with: 'float64', 'recorded', 'own configuration' (tuner/result/result.h); NULL: nothing
  -- The configuration of the run that was measured in its place, since what runs and how it is launched are equal: it has
  -- the samples. NULL: this one was measured.
  same_implementation_id INTEGER REFERENCES implementation,
  same_hash INTEGER -- config_hash of that
) STRICT;

-- Trials of a run whose losers were removed (db/prune.h): how many there were, by implementation and status. None: all are there.
CREATE TABLE run_tried(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  status TEXT NOT NULL,
  trials INTEGER NOT NULL,
  PRIMARY KEY(run_id, implementation_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_name(
  id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  UNIQUE(probe, name, unit)
) STRICT;

CREATE TABLE metric(
  trial_id INTEGER NOT NULL REFERENCES trial,
  name_id INTEGER NOT NULL REFERENCES metric_name,
  value REAL,
  PRIMARY KEY(trial_id, name_id)
) STRICT, WITHOUT ROWID;

-- One finalist of a run; samples of equal index are of the same round.
CREATE TABLE final(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  config_hash INTEGER NOT NULL,
  config_key TEXT NOT NULL,
  tied INTEGER NOT NULL,
  winner INTEGER NOT NULL,
  ratio REAL NOT NULL, -- time / time of the chosen one, with its interval
  ratio_low REAL,
  ratio_high REAL,
  threads REAL,
  memory_bytes REAL,
  n_samples INTEGER NOT NULL,
  samples BLOB,
  min_ns REAL,
  q1_ns REAL,
  median_ns REAL,
  q3_ns REAL,
  max_ns REAL,
  low_ns REAL,
  high_ns REAL,
  clock_mhz REAL,
  standing TEXT, -- beside the chosen one (tuner/result/tie.h)
  bits TEXT, -- digest of its outputs on the first set of inputs, by one formula on all devices
  compared INTEGER, -- launches behind its verification whose outputs were compared
  varied INTEGER, -- those of them whose outputs had other bits, and passed
  varied_abs REAL, -- largest difference of such outputs from the reference; NULL: none varied
  sets INTEGER, -- sets of inputs that its rounds were on
  places INTEGER, -- places that its tensors had in them
  PRIMARY KEY(run_id, implementation_id, config_key)
) STRICT;

-- Why a configuration takes its time, found out in a run: a run of strategy 'profile' has no trials and is no part of answers
-- and histories. One row has the label with what it rests on, and how its readings came about.
CREATE TABLE profile(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  config_key TEXT NOT NULL,
  label TEXT NOT NULL,
  basis TEXT NOT NULL,
  sentence TEXT,
  left_ratio REAL, -- time now / least time that the limit allows; NULL: not known
  metric_set TEXT, -- what was counted; NULL: nothing
  caches TEXT, -- what counted launches found in them: 'flushed', 'hot'
  clock_mhz REAL, -- of the counted launches
  passes INTEGER NOT NULL, -- over the launch
  launches INTEGER NOT NULL, -- in all
  spent_ns INTEGER NOT NULL,
  failure TEXT, -- why counting ended early
  UNIQUE(run_id, implementation_id, config_key)
) STRICT;

-- One figure of a launch, or the reason why there is none.
CREATE TABLE reading(
  profile_id INTEGER NOT NULL REFERENCES profile,
  call INTEGER NOT NULL, -- the kernel of the launch, from 1; 0: the whole launch
  name_id INTEGER NOT NULL REFERENCES metric_name,
  value REAL,
  reason TEXT,
  PRIMARY KEY(profile_id, call, name_id)
) STRICT, WITHOUT ROWID;

-- Peaks of a device: the rate of the best moment, `low` of the worst; units and types as in tuner/result/roofline.h.
-- moments 0: of unknown accuracy.
CREATE TABLE peak(
  device_id INTEGER NOT NULL REFERENCES device,
  unit TEXT NOT NULL,
  type TEXT NOT NULL,
  rate REAL NOT NULL,
  low REAL NOT NULL,
  moments INTEGER NOT NULL,
  measured_ms INTEGER NOT NULL,
  PRIMARY KEY(device_id, unit, type)
) STRICT;

-- ---- histories ----

-- The history of one figure: of the best configuration, or of one that is named.
CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES device,
  problem_id INTEGER NOT NULL REFERENCES problem,
  implementation TEXT NOT NULL,
  config_key TEXT NOT NULL DEFAULT '',
  figure TEXT NOT NULL,
  UNIQUE(device_id, problem_id, implementation, config_key, figure)
) STRICT;

CREATE TABLE verdict(
  id INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL REFERENCES series,
  run_id INTEGER NOT NULL REFERENCES run,
  kind TEXT NOT NULL,
  ratio REAL,
  made_ms INTEGER NOT NULL,
  acknowledged_ms INTEGER,
  acknowledged_by TEXT,
  note TEXT,
  UNIQUE(series_id, run_id)
) STRICT;

-- Acknowledgement of one change of a series, which is known by its name.
CREATE TABLE acknowledgement(
  id INTEGER PRIMARY KEY,
  series TEXT NOT NULL,
  since_ms INTEGER NOT NULL, -- start of the first run after the change
  reason TEXT NOT NULL,
  who TEXT,
  made_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT;

-- ---- indexes ----

-- Their order counts: between two indexes that look equally good SQLite takes the one that was made later.
CREATE INDEX trial_default ON trial(implementation_id) WHERE is_default;
CREATE INDEX final_config ON final(implementation_id, config_hash);
CREATE INDEX trial_run ON trial(run_id, implementation_id, status);
-- By hash: half as large as by the keys themselves. With the run, since problems share configurations.
CREATE INDEX trial_config ON trial(implementation_id, config_hash, run_id);
-- One comparison after another: of a list with IN SQLite makes a table for each row that comes.
CREATE INDEX trial_failed ON trial(implementation_id, config_hash)
  WHERE status = 'wrong' OR status = 'crashed' OR status = 'timeout' OR status = 'impossible';
-- By implementation first: each run of a night has one of its answer.
CREATE INDEX profile_config ON profile(implementation_id, config_key);
CREATE INDEX run_subject ON run(device_id, problem_id, cache_policy, decided, started_ms, simulated, imported);

-- ---- answers ----

-- Answers to what is best, worked out by reports/results from all other tables: struct answer_row (db/answer_rows.h), whose
-- members the columns are. What shared rows say is not copied, since the newest run changes it.
CREATE TABLE answer(
  device_id INTEGER NOT NULL,
  problem_id INTEGER NOT NULL,
  cache_policy TEXT,
  simulated INTEGER NOT NULL,
  own INTEGER NOT NULL,
  implementation_id INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  trial_id INTEGER NOT NULL,
  final_run_id INTEGER,
  sure TEXT NOT NULL,
  noise_pct REAL,
  n_ties INTEGER NOT NULL,
  ties_json TEXT NOT NULL,
  default_ns REAL,
  vs_default REAL NOT NULL,
  default_key TEXT,
  baselines_json TEXT NOT NULL, -- [{"implementation", "ns", "ratio"}, ...] in the order of the run's baseline
  trials INTEGER NOT NULL,
  ok_trials INTEGER NOT NULL,
  newest INTEGER NOT NULL
) STRICT;

CREATE INDEX answer_subject ON answer(device_id, problem_id);

-- Findings of each run on each implementation, worked out with the answers: the points of histories (struct outcome_row).
-- config_key NULL: nothing passed with a time.
CREATE TABLE outcome(
  device_id INTEGER NOT NULL,
  problem_id INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  implementation_id INTEGER NOT NULL,
  config_key TEXT,
  trial_id INTEGER NOT NULL,
  ns REAL,
  clock_mhz REAL,
  passed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY(device_id, problem_id, run_id, implementation_id)
) STRICT, WITHOUT ROWID;

-- Subjects (a device and a problem) whose answers and outcomes are no longer those of the other tables. Triggers mark them in the
-- transaction that changes these, whoever writes. What was imported is no part of any answer.
CREATE TABLE stale(
  device_id INTEGER NOT NULL,
  problem_id INTEGER NOT NULL,
  PRIMARY KEY(device_id, problem_id)
) STRICT, WITHOUT ROWID;

-- A result marks the subject of its run. No OR IGNORE here and below: the statement that fires a trigger would replace it by
-- its own.
CREATE TRIGGER trial_added AFTER INSERT ON trial
  -- A condition, since a statement that reads the table it writes makes a temporary one each time.
  WHEN EXISTS (SELECT 1 FROM run r WHERE r.id = NEW.run_id AND NOT r.imported
    AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id)) BEGIN
  INSERT INTO stale SELECT device_id, problem_id FROM run WHERE id = NEW.run_id;
END;

CREATE TRIGGER trial_changed AFTER UPDATE ON trial BEGIN
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = OLD.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = NEW.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

CREATE TRIGGER trial_removed AFTER DELETE ON trial BEGIN
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = OLD.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

CREATE TRIGGER final_added AFTER INSERT ON final BEGIN
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = NEW.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

CREATE TRIGGER final_changed AFTER UPDATE ON final BEGIN
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = OLD.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = NEW.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

CREATE TRIGGER final_removed AFTER DELETE ON final BEGIN
  INSERT INTO stale SELECT r.device_id, r.problem_id FROM run r
    WHERE r.id = OLD.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

-- A run marks its subject and, on the same device, those of the same workload and problem by name: which content of an
-- implementation is current depends on the runs of all of them.
CREATE TRIGGER run_added AFTER INSERT ON run WHEN NOT NEW.imported AND NEW.strategy IS NOT 'profile' BEGIN
  INSERT INTO stale SELECT NEW.device_id, q.id
    FROM problem p JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE p.id = NEW.problem_id
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = NEW.device_id AND s.problem_id = q.id);
END;

CREATE TRIGGER run_removed AFTER DELETE ON run WHEN NOT OLD.imported BEGIN
  INSERT INTO stale SELECT OLD.device_id, q.id
    FROM problem p JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE p.id = OLD.problem_id
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = OLD.device_id AND s.problem_id = q.id);
END;

-- How a run ends, and what it was slowed down by, changes no answer.
CREATE TRIGGER run_changed AFTER UPDATE OF device_id, problem_id, policy_json, cache_policy, simulated, imported, baseline, started_ms,
  sure, noise_pct, decided ON run BEGIN
  INSERT INTO stale SELECT OLD.device_id, q.id
    FROM problem p JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE p.id = OLD.problem_id
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = OLD.device_id AND s.problem_id = q.id);
  INSERT INTO stale SELECT NEW.device_id, q.id
    FROM problem p JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE p.id = NEW.problem_id
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = NEW.device_id AND s.problem_id = q.id);
END;

CREATE TRIGGER run_implementation_added AFTER INSERT ON run_implementation BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, q.id
    FROM run r
    JOIN problem p ON p.id = r.problem_id
    JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE r.id = NEW.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = q.id);
END;

CREATE TRIGGER run_implementation_changed AFTER UPDATE ON run_implementation BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, q.id
    FROM run r
    JOIN problem p ON p.id = r.problem_id
    JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE r.id IN (OLD.run_id, NEW.run_id) AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = q.id);
END;

CREATE TRIGGER run_implementation_removed AFTER DELETE ON run_implementation BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, q.id
    FROM run r
    JOIN problem p ON p.id = r.problem_id
    JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE r.id = OLD.run_id AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = q.id);
END;

-- Names say what is current, and which implementation is the baseline.
CREATE TRIGGER implementation_renamed AFTER UPDATE OF name ON implementation BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, q.id
    FROM run r
    JOIN problem p ON p.id = r.problem_id
    JOIN problem q ON q.workload_id = p.workload_id AND q.name = p.name
    WHERE r.id IN (SELECT run_id FROM run_implementation WHERE implementation_id = NEW.id
        UNION SELECT run_id FROM trial WHERE implementation_id = NEW.id
        UNION SELECT run_id FROM final WHERE implementation_id = NEW.id) AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = q.id);
END;

-- Problems that had the name of this one, or have it now.
CREATE TRIGGER problem_renamed AFTER UPDATE OF name, workload_id ON problem BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, r.problem_id
    FROM problem q JOIN run r ON r.problem_id = q.id
    WHERE (q.workload_id, q.name) IN (VALUES(OLD.workload_id, OLD.name), (NEW.workload_id, NEW.name))
      AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;

-- ---- views of answers, for people ----

-- Columns that people ask for: times and interval are those of the finals where these decide. Rows are those that `best`
-- shows, of each driver: not what passed last, nor what no trial with this cache policy has tried.
CREATE VIEW answered AS
  SELECT w.name AS workload, w.operator, p.name AS problem, p.dims_json, d.kind AS device_kind, d.model AS device_model,
    d.arch AS device_arch, d.fingerprint AS device_fingerprint, d.clock, a.cache_policy, i.name AS implementation,
    i.idx AS implementation_index, t.config_json, t.config_key,
    strftime('%Y-%m-%dT%H:%M:%SZ', t.recorded_ms / 1000, 'unixepoch') AS recorded_at, t.run_id, t.id AS trial_id,
    coalesce(f.n_samples, t.n_samples) AS n_samples, coalesce(f.median_ns, t.median_ns) AS median_ns,
    coalesce(f.q1_ns, t.q1_ns) AS q1_ns, coalesce(f.q3_ns, t.q3_ns) AS q3_ns, coalesce(f.min_ns, t.min_ns) AS min_ns,
    coalesce(f.max_ns, t.max_ns) AS max_ns, iif(f.rowid IS NULL, t.low_ns, f.low_ns) AS low_ns,
    iif(f.rowid IS NULL, t.high_ns, f.high_ns) AS high_ns, p.flops, p.bytes, t.max_abs, t.implementation_id,
    a.device_id, a.problem_id, h.id AS final_run_id, f.rowid AS final_id, a.sure, a.noise_pct, a.simulated,
    a.default_ns, a.default_key, a.baselines_json ->> '$[0].implementation' AS baseline,
    a.baselines_json ->> '$[0].ns' AS baseline_ns, a.baselines_json AS baselines, a.own, a.ties_json
  FROM answer a
  JOIN trial t ON t.id = a.trial_id
  LEFT JOIN run h ON h.id = a.final_run_id
  LEFT JOIN final f ON f.run_id = a.final_run_id
    AND f.implementation_id = t.implementation_id AND f.config_key = t.config_key
  JOIN implementation i ON i.id = t.implementation_id
  JOIN device d ON d.id = a.device_id
  JOIN problem p ON p.id = a.problem_id
  JOIN workload w ON w.id = p.workload_id
  WHERE NOT a.failed AND a.trials > 0;

-- any_: with answers of stand-ins of devices; without: measured alone. implementation_: the best of each implementation.
-- compared: beside the default and the first baseline, and all of them (baselines).
CREATE VIEW any_best AS
  SELECT workload, operator, problem, dims_json, device_kind, device_model, device_arch, device_fingerprint, clock, cache_policy,
    implementation, implementation_index, config_json, config_key, recorded_at, run_id, trial_id, n_samples, median_ns, q1_ns,
    q3_ns, min_ns, max_ns, low_ns, high_ns, flops, bytes, max_abs, implementation_id, device_id, problem_id, final_run_id,
    final_id, sure, noise_pct, simulated
  FROM answered WHERE own = 0;
CREATE VIEW any_implementation_best AS
  SELECT workload, operator, problem, dims_json, device_kind, device_model, device_arch, device_fingerprint, clock, cache_policy,
    implementation, implementation_index, config_json, config_key, recorded_at, run_id, trial_id, n_samples, median_ns, q1_ns,
    q3_ns, min_ns, max_ns, low_ns, high_ns, flops, bytes, max_abs, implementation_id, device_id, problem_id, final_run_id,
    final_id, sure, noise_pct, simulated
  FROM answered WHERE own > 0;
CREATE VIEW best AS SELECT * FROM any_best WHERE NOT simulated;
CREATE VIEW implementation_best AS SELECT * FROM any_implementation_best WHERE NOT simulated;

CREATE VIEW any_compared AS
  SELECT workload, operator, problem, dims_json, device_kind, device_model, device_arch, device_fingerprint, clock, cache_policy,
    implementation, implementation_index, config_json, config_key, recorded_at, run_id, trial_id, n_samples, median_ns, q1_ns,
    q3_ns, min_ns, max_ns, low_ns, high_ns, flops, bytes, max_abs, implementation_id, device_id, problem_id, final_run_id,
    final_id, sure, noise_pct, simulated, default_ns, default_key, baseline, baseline_ns, baselines
  FROM answered WHERE own = 0;
CREATE VIEW any_implementation_compared AS
  SELECT workload, operator, problem, dims_json, device_kind, device_model, device_arch, device_fingerprint, clock, cache_policy,
    implementation, implementation_index, config_json, config_key, recorded_at, run_id, trial_id, n_samples, median_ns, q1_ns,
    q3_ns, min_ns, max_ns, low_ns, high_ns, flops, bytes, max_abs, implementation_id, device_id, problem_id, final_run_id,
    final_id, sure, noise_pct, simulated, default_ns, default_key, baseline, baseline_ns, baselines
  FROM answered WHERE own > 0;
CREATE VIEW compared AS SELECT * FROM any_compared WHERE NOT simulated;
CREATE VIEW implementation_compared AS SELECT * FROM any_implementation_compared WHERE NOT simulated;

-- Finalists that may be as fast as the best, itself among them. The plus keeps SQLite from looking for a configuration in all
-- runs that have tried it.
CREATE VIEW ties AS
  SELECT a.device_id, a.problem_id, a.cache_policy, n.run_id, n.implementation_id, n.config_key,
    n.rowid = a.final_id AS winner, n.standing, n.ratio, n.ratio_low, n.ratio_high, n.median_ns
  FROM answered a
  JOIN json_each(a.ties_json) x
  JOIN final n ON n.run_id = a.final_run_id AND n.implementation_id = json_extract(x.value, '$[0]')
    AND +n.config_hash = json_extract(x.value, '$[1]')
  WHERE a.own = 0;

-- ---- shared by questions of the program ----

-- Machines of one model are distinguished where several are known; rows recorded before machines were known belong to the
-- only one.
CREATE VIEW machines AS
  WITH known AS MATERIALIZED (
    SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model)
  SELECT v.id AS device_id, iif(k.n > 1, v.machine, NULL) AS machine
  FROM device v JOIN known k ON k.kind = v.kind AND k.model IS v.model;

-- Time of the newest row that was not imported, by identifiers, which run on. A later row is recorded as no older: else rows
-- from before the clock was turned back would count for more than later ones. Rows of imports are dated by the clock alone:
-- behind many of them the newest row is found slowly.
CREATE VIEW newest AS
  SELECT max(
    coalesce((SELECT started_ms FROM run WHERE NOT imported ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT t.recorded_ms FROM trial t JOIN run r ON r.id = t.run_id
      WHERE t.id = (SELECT max(id) FROM trial) AND NOT r.imported), 0)) AS ms;
