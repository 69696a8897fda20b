-- asctune best, then: BLOCK=1024,UNROLL=4,THREADS=1 28 ns; of a stand-in 5 ns, imported the same
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO device VALUES(1,'7ddbb94ecaef05b89f5ebed321cb9f6a','cpu','AMD EPYC','x86_64-cb926d07','Linux 6.1','monotonic','host-0123456789abcdef');
INSERT INTO device VALUES(2,'5c1e0f0a77aa41d1b1b1a0a9f3c2d4e5','npu','Ascend910B3 (stand-in)','Ascend910B3','ACL 1.17.0','event',NULL);
CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  operator TEXT,
  export_json TEXT -- the workload's "export"
) STRICT;
INSERT INTO workload VALUES(1,'axpy','axpy','{"example":{"operator":"Axpy"}}');
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
INSERT INTO problem VALUES(1,1,'f7148511e1ba6161f614ff72622c38e1','small','{"dims":{"N":1000},"dtypes":{"T":"f32"}}',0.0,0.0,'f32','{"N":"size"}');
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
INSERT INTO implementation VALUES(1,'loop','9d945a128f6b581157e7130809b76f10',0,'/usr/bin/cc cc (Debian 12.2.0-14+deb12u1) 12.2.0','["-std=gnu17","-O3","-march=native","-fPIC","-shared","-fvisibility=hidden","-fno-math-errno","-fopenmp-simd","-pthread","-Werror=implicit-function-declaration","-Werror=incompatible-pointer-types","-Werror=int-conversion"]','{"axpy/kernel.c":"065e192f6c483a9905702642411d20bd"}','9094f3ec7de67868788288451c48adf2');
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
INSERT INTO share VALUES(1,X'0f1e2d3c4b5a69788796a5b4c3d2e1f0',1,2,'problems','0123456789abcdef0123456789abcdef',1,2,1,'0.1.0',NULL,1795385436980,1795385437320,'done');
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
INSERT INTO run VALUES(1,X'35376d591da1be12034136f515548ec0',1,1,'f6deeb8ac1c281a74e8f204943a686a6','0.1.0','random','{"cache":"hot","warmup":2,"warmup_ns":1000000,"sample_ns":3200,"race":1,"first_extra_ns":100000,"disturbed":5,"pairs":5,"half_width_from":8,"min_samples":3,"max_samples":32,"max_ns":250000000,"finals_max":36,"finals_cheap":63,"finals_few":8,"finals_rounds":32,"finals_free":128,"finals_free_ns":100000000,"finals_noisy":512,"finals_ns":4000000000,"finals_wall_ns":0,"finals_fewest":6,"pause_ns":50000000,"pause_most_ns":1000000000,"pause_all_ns":30000000000,"limit_ns":15000000000,"least_limit_ns":2000000000,"first_cut":2.0,"second_cut":0.0,"p_slow":0.01,"near":1.1,"p_near":0.2,"doubt_ratio":3.0,"doubt_clock":0.0,"half_width":0.005,"finals_ratio":2.0,"finals_far":4.0,"margin":0.005,"steady_wait":0.01,"steady_clock":0.9,"extra":0.25,"limit_factor":50.0,"checks":[2,3,5,8,12,18,25]}','5 trials','hot',1,0,NULL,1795385436990,1795385437312,'done','{"unsteady":false,"samples":90,"load":1,"clock":0,"throttled":0,"power_capped":0,"retaken":1,"clock_known":false}','clear winner',0.0,2,'/home/user/axpy.json',NULL,NULL,0,'0123456789abcdef0123456789abcdef01234567',1,407683860,12345678,NULL,1);
INSERT INTO run VALUES(2,X'919735e6cdc6a2e1f945fff4e4827dfa',1,1,'f6deeb8ac1c281a74e8f204943a686a6','0.1.0','random','{"cache":"hot","warmup":2,"warmup_ns":1000000,"sample_ns":3200,"race":1,"first_extra_ns":100000,"disturbed":5,"pairs":5,"half_width_from":8,"min_samples":3,"max_samples":32,"max_ns":250000000,"finals_max":36,"finals_cheap":63,"finals_few":8,"finals_rounds":32,"finals_free":128,"finals_free_ns":100000000,"finals_noisy":512,"finals_ns":4000000000,"finals_wall_ns":0,"finals_fewest":6,"pause_ns":50000000,"pause_most_ns":1000000000,"pause_all_ns":30000000000,"limit_ns":15000000000,"least_limit_ns":2000000000,"first_cut":2.0,"second_cut":0.0,"p_slow":0.01,"near":1.1,"p_near":0.2,"doubt_ratio":3.0,"doubt_clock":0.0,"half_width":0.005,"finals_ratio":2.0,"finals_far":4.0,"margin":0.005,"steady_wait":0.01,"steady_clock":0.9,"extra":0.25,"limit_factor":50.0,"checks":[2,3,5,8,12,18,25]}','5 trials','hot',2,0,NULL,1795385437340,1795385437634,'done','{"unsteady":false,"samples":133,"load":0,"clock":0,"throttled":0,"power_capped":0,"retaken":0,"clock_known":false}','tie',1.724137931034480653,2,'/home/user/axpy.json','{"results":5,"sources":[{"implementation":"loop","source":"axpy/small on cpu: AMD EPYC","results":5}]}',NULL,0,NULL,NULL,401555441,12345678,NULL,NULL);
INSERT INTO run VALUES(3,X'3561643332623830623739646463383337646230336464303034613061313763',1,1,NULL,'0.1.0','import','{"imported":"axpy-small-loop-AMD_EPYC-hot-c851cbdc76a880f1"}',NULL,'hot',0,1,NULL,1795397030298,1795397030298,'done',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES(4,X'5f6e30127f300a25808d4c002b817a39',2,1,'f6deeb8ac1c281a74e8f204943a686a6','0.1.0','random','{"cache":"hot","warmup":2,"warmup_ns":1000000,"sample_ns":3200,"race":1,"first_extra_ns":100000,"disturbed":5,"pairs":5,"half_width_from":8,"min_samples":3,"max_samples":32,"max_ns":250000000,"finals_max":36,"finals_cheap":63,"finals_few":8,"finals_rounds":32,"finals_free":128,"finals_free_ns":100000000,"finals_noisy":512,"finals_ns":4000000000,"finals_wall_ns":0,"finals_fewest":6,"pause_ns":50000000,"pause_most_ns":1000000000,"pause_all_ns":30000000000,"limit_ns":15000000000,"least_limit_ns":2000000000,"first_cut":2.0,"second_cut":0.0,"p_slow":0.01,"near":1.1,"p_near":0.2,"doubt_ratio":3.0,"doubt_clock":0.0,"half_width":0.005,"finals_ratio":2.0,"finals_far":4.0,"margin":0.005,"steady_wait":0.01,"steady_clock":0.9,"extra":0.25,"limit_factor":50.0,"checks":[2,3,5,8,12,18,25]}','5 trials','hot',2,1,NULL,1795385438340,1795385438634,'done',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES(5,X'00112233445566778899aabbccddeeff',1,1,NULL,'0.1.0','profile','{"cache":"hot","warmup":2,"warmup_ns":1000000,"sample_ns":3200,"race":1,"first_extra_ns":100000,"disturbed":5,"pairs":5,"half_width_from":8,"min_samples":3,"max_samples":32,"max_ns":250000000,"finals_max":36,"finals_cheap":63,"finals_few":8,"finals_rounds":32,"finals_free":128,"finals_free_ns":100000000,"finals_noisy":512,"finals_ns":4000000000,"finals_wall_ns":0,"finals_fewest":6,"pause_ns":50000000,"pause_most_ns":1000000000,"pause_all_ns":30000000000,"limit_ns":15000000000,"least_limit_ns":2000000000,"first_cut":2.0,"second_cut":0.0,"p_slow":0.01,"near":1.1,"p_near":0.2,"doubt_ratio":3.0,"doubt_clock":0.0,"half_width":0.005,"finals_ratio":2.0,"finals_far":4.0,"margin":0.005,"steady_wait":0.01,"steady_clock":0.9,"extra":0.25,"limit_factor":50.0,"checks":[2,3,5,8,12,18,25]}',NULL,'hot',1,0,NULL,1795385439000,1795385439500,'done',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE run_implementation(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  PRIMARY KEY(run_id, implementation_id)
) STRICT, WITHOUT ROWID;
INSERT INTO run_implementation VALUES(1,1);
INSERT INTO run_implementation VALUES(2,1);
INSERT INTO run_implementation VALUES(3,1);
INSERT INTO run_implementation VALUES(4,1);
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
INSERT INTO run_space VALUES(1,1,0,'all',NULL,NULL,18.0);
INSERT INTO run_space VALUES(1,1,1,'condition','constraints[0]','BLOCK >= 64 * UNROLL',4.0);
INSERT INTO run_space VALUES(1,1,2,'condition','constraints[1]','BLOCK * THREADS <= 1024',3.0);
INSERT INTO run_space VALUES(1,1,3,'condition','launch.grid[0]','(ceil_div(N, BLOCK)) >= 1',0.0);
INSERT INTO run_space VALUES(1,1,4,'valid',NULL,NULL,11.0);
INSERT INTO run_space VALUES(2,1,0,'all',NULL,NULL,18.0);
INSERT INTO run_space VALUES(2,1,1,'condition','constraints[0]','BLOCK >= 64 * UNROLL',4.0);
INSERT INTO run_space VALUES(2,1,2,'condition','constraints[1]','BLOCK * THREADS <= 1024',3.0);
INSERT INTO run_space VALUES(2,1,3,'condition','launch.grid[0]','(ceil_div(N, BLOCK)) >= 1',0.0);
INSERT INTO run_space VALUES(2,1,4,'valid',NULL,NULL,11.0);
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
INSERT INTO trial VALUES(1,1,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":1}',1,1795385437265,'ok','measure',NULL,NULL,'e9b43ca7e02421e091deadf63de36803',1,0,176125,61132,127030,16,32,X'6407040300000000020102000001000201000002010002010200010201000000',46.0,46.0,46.0,47.0,50.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,46.0,47.0,0,0,NULL,NULL,NULL,'15056 b60c25d5d0ebc76a',400000000,NULL,'float64',NULL,NULL);
INSERT INTO trial VALUES(2,1,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4','{"BLOCK":1024,"UNROLL":4,"THREADS":1}',0,1795385437266,'ok','measure',NULL,NULL,'610a7a9e71c294316ccab012f6337ccc',0,166233805,120671,62643,60181,16,12,X'3e0301000000000000000000',28.0,28.0,28.0,28.0,31.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,28.0,28.0,32,0,NULL,NULL,NULL,'15056 c0d3e42adb3d90e3',400414287,X'80bfd6069a9bc49e01','float64',NULL,NULL);
INSERT INTO trial VALUES(3,1,1,1091978836834916766,'BLOCK=1024,THREADS=1,UNROLL=1','{"BLOCK":1024,"UNROLL":1,"THREADS":1}',0,1795385437266,'ok','measure',NULL,NULL,'685caa21059fb822043edd3a3970aa6a',0,132225711,94832,54652,137987,16,25,X'4805fa22f922030201020000000002010000020304010102000000',31.0,32.0,32.0,33.0,2270.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,32.0,32.0,44,0,NULL,NULL,NULL,'15056 688a9e582ddf0c96',400707782,X'c0c39307deea8c7e','float64',NULL,NULL);
INSERT INTO trial VALUES(4,1,1,359823717125340811,'BLOCK=256,THREADS=1,UNROLL=4','{"BLOCK":256,"UNROLL":4,"THREADS":1}',0,1795385437267,'ok','measure',NULL,NULL,'05000403b9e3e41ba0fae9966a614c93',0,128621940,90846,53630,90356,16,18,X'5e0102010000000000020100000001020000',45.0,46.0,46.0,46.0,47.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,46.0,46.0,69,0,NULL,NULL,NULL,'15056 da704ddb71c456c1',401045253,X'dee6a28501e8f5d47a','float64',NULL,NULL);
INSERT INTO trial VALUES(5,1,1,5248492396237870074,'BLOCK=256,THREADS=2,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":2}',0,1795385437273,'slow','measure','p < 0.01 after 2 samples: 15.4 x the best',NULL,'e9b43ca7e02421e091deadf63de36803',1,0,190606,2133173,3979996,1,2,X'9c09ff04',270.0,350.0,430.0,510.0,590.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,NULL,NULL,87,1,NULL,NULL,NULL,'15056 b60c25d5d0ebc76a',401330085,NULL,'float64',NULL,NULL);
INSERT INTO trial VALUES(6,2,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":1}',1,1795385437542,'ok','measure',NULL,NULL,'e9b43ca7e02421e091deadf63de36803',1,0,184888,61763,130926,16,32,X'6205000001000002000102010000000200000001010201040102010000020102',44.0,45.0,45.0,46.0,49.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,45.0,46.0,0,0,NULL,NULL,NULL,'15056 b60c25d5d0ebc76a',400000000,NULL,'float64',NULL,NULL);
INSERT INTO trial VALUES(7,2,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4','{"BLOCK":1024,"UNROLL":4,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,'610a7a9e71c294316ccab012f6337ccc',1,0,88683,104076,50215,16,12,X'3c0300000102000000000000',27.0,28.0,28.0,28.0,30.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,28.0,28.0,32,0,NULL,NULL,NULL,'15056 c0d3e42adb3d90e3',400427577,NULL,'float64',NULL,NULL);
INSERT INTO trial VALUES(8,2,1,4854113133838864639,'BLOCK=256,THREADS=1,UNROLL=2','{"BLOCK":256,"UNROLL":2,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,'bf87a87b1d2e04829906095f4857c295',0,167535980,76355,40392,120550,16,32,X'6001020000000100000002010201000002010001020000000000000002000101',46.0,47.0,47.0,48.0,48.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,47.0,48.0,44,0,NULL,NULL,NULL,'15056 e83320407648a035',400720551,X'80bfd606d895e39f01','float64',NULL,NULL);
INSERT INTO trial VALUES(9,2,1,1091978836834916766,'BLOCK=1024,THREADS=1,UNROLL=1','{"BLOCK":1024,"UNROLL":1,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,'685caa21059fb822043edd3a3970aa6a',1,0,65308,37848,112138,16,32,X'4601010001010002000201000104000100020000030202010002000000010102',31.0,32.0,32.0,33.0,35.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,32.0,33.0,76,0,NULL,NULL,NULL,'15056 688a9e582ddf0c96',401007848,NULL,'float64',NULL,NULL);
INSERT INTO trial VALUES(10,2,1,-4794911118998280589,'BLOCK=1024,THREADS=1,UNROLL=2','{"BLOCK":1024,"UNROLL":2,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,'9451acd686a97ea52ad489048b5e78e0',0,171740524,91798,45899,94602,16,25,X'3e070004030000020001000000000000020100020101000401',26.0,27.0,27.0,28.0,31.0,4.76837158203125e-07,5.1798997446894644368e-08,5.9301819516216939705e-08,0,0,27.0,27.0,108,0,NULL,NULL,NULL,'15056 d444db0b3413d8f5',401273142,X'c0c39307d8b5e4a301','float64',NULL,NULL);
INSERT INTO trial VALUES(11,3,1,359823717125340811,'BLOCK=256,THREADS=1,UNROLL=4','{"BLOCK":256,"UNROLL":4,"THREADS":1}',0,1795385437267,'ok','measure',NULL,NULL,NULL,0,128621940,90846,53630,90356,1,18,X'5e0102010000000000020100000001020000',45.0,46.0,46.0,46.0,47.0,NULL,NULL,NULL,NULL,NULL,46.0,46.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(12,3,1,5248492396237870074,'BLOCK=256,THREADS=2,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":2}',0,1795385437273,'slow','measure','p < 0.01 after 2 samples: 15.4 x the best',NULL,NULL,0,0,190606,2133173,3979996,1,2,X'9c09ff04',270.0,350.0,430.0,510.0,590.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(13,3,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":1}',1,1795385437542,'ok','measure',NULL,NULL,NULL,0,0,184888,61763,130926,1,32,X'6205000001000002000102010000000200000001010201040102010000020102',44.0,45.0,45.0,46.0,49.0,NULL,NULL,NULL,NULL,NULL,45.0,46.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(14,3,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4','{"BLOCK":1024,"UNROLL":4,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,NULL,0,0,88683,104076,50215,1,12,X'3c0300000102000000000000',27.0,28.0,28.0,28.0,30.0,NULL,NULL,NULL,NULL,NULL,28.0,28.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(15,3,1,4854113133838864639,'BLOCK=256,THREADS=1,UNROLL=2','{"BLOCK":256,"UNROLL":2,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,NULL,0,167535980,76355,40392,120550,1,32,X'6001020000000100000002010201000002010001020000000000000002000101',46.0,47.0,47.0,48.0,48.0,NULL,NULL,NULL,NULL,NULL,47.0,48.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(16,3,1,1091978836834916766,'BLOCK=1024,THREADS=1,UNROLL=1','{"BLOCK":1024,"UNROLL":1,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,NULL,0,0,65308,37848,112138,1,32,X'4601010001010002000201000104000100020000030202010002000000010102',31.0,32.0,32.0,33.0,35.0,NULL,NULL,NULL,NULL,NULL,32.0,33.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(17,3,1,-4794911118998280589,'BLOCK=1024,THREADS=1,UNROLL=2','{"BLOCK":1024,"UNROLL":2,"THREADS":1}',0,1795385437543,'ok','measure',NULL,NULL,NULL,0,171740524,91798,45899,94602,1,25,X'3e070004030000020001000000000000020100020101000401',26.0,27.0,27.0,28.0,31.0,NULL,NULL,NULL,NULL,NULL,27.0,27.0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(18,4,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1','{"BLOCK":256,"UNROLL":1,"THREADS":1}',1,1795385438542,'ok','measure',NULL,NULL,NULL,1,0,184888,61763,130926,16,0,NULL,3.0,4.0,5.0,6.0,7.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO trial VALUES(19,4,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4','{"BLOCK":1024,"UNROLL":4,"THREADS":1}',0,1795385438543,'ok','measure',NULL,NULL,NULL,1,0,88683,104076,50215,16,0,NULL,3.0,4.0,5.0,6.0,7.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE run_tried(
  run_id INTEGER NOT NULL REFERENCES run,
  implementation_id INTEGER NOT NULL REFERENCES implementation,
  status TEXT NOT NULL,
  trials INTEGER NOT NULL,
  PRIMARY KEY(run_id, implementation_id, status)
) STRICT, WITHOUT ROWID;
INSERT INTO run_tried VALUES(1,1,'ok',4);
INSERT INTO run_tried VALUES(1,1,'slow',1);
CREATE TABLE metric_name(
  id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  UNIQUE(probe, name, unit)
) STRICT;
INSERT INTO metric_name VALUES(1,'launch','time_ns','ns');
INSERT INTO metric_name VALUES(2,'launch','hot_ns','ns');
INSERT INTO metric_name VALUES(3,'perf_event','cycles','1');
CREATE TABLE metric(
  trial_id INTEGER NOT NULL REFERENCES trial,
  name_id INTEGER NOT NULL REFERENCES metric_name,
  value REAL,
  PRIMARY KEY(trial_id, name_id)
) STRICT, WITHOUT ROWID;
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
INSERT INTO final VALUES(1,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1',0,0,1.7692307692307691624,1.7692307692307691624,1.7692307692307691624,1.0,0.0,128,X'6001010102000000020102010000000201000000040003010401040301020000000002000100000001020102020304010002010003040002010000000000000201020100000000010200020100000000000102000102000002010002010201000000000001020001010401020000010002000104010000020100000002000203',44.0,46.0,46.0,46.0,48.0,46.0,46.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(1,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4',1,1,1.0,1.0,1.0,1.0,0.0,128,X'3801000001020203000000000000000201020102000203020102000000010403000002010201040100010200010401000000000100000002010000010200000201000000020101020000000000000000000000000000000201020100000001020000010200000104020300000102010200000002030200020100000001020000',25.0,26.0,26.0,27.0,28.0,26.0,26.0,NULL,'tied',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(1,1,1091978836834916766,'BLOCK=1024,THREADS=1,UNROLL=1',0,0,1.1695156695156694315,1.1071428571428572062,1.3571428571428572062,1.0,0.0,8,X'4c07030003020001',30.0,30.75,31.5,32.5,38.0,30.0,38.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(1,1,359823717125340811,'BLOCK=256,THREADS=1,UNROLL=4',0,0,1.7407407407407406996,1.6785714285714286031,1.7857142857142858094,1.0,0.0,8,X'6405010000020001',46.0,46.0,46.5,47.0,50.0,46.0,50.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(2,1,-5493643060880847422,'BLOCK=1024,THREADS=1,UNROLL=4',1,1,1.0,1.0,1.0,1.0,0.0,128,X'3a01020001020100000000000001020201000002000100000000000000060500000000000000010202000100020100000000001807002e447f01100d0101261303202b000000000000010200030400000000000201000002010304010203040000020100000000000000000000000000000000000000000002010000061a0f03',26.0,28.0,28.0,28.0,93.0,28.0,28.0,NULL,'tied',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(2,1,-8343441125758719513,'BLOCK=256,THREADS=1,UNROLL=1',0,0,1.6428571428571427937,1.6428571428571427937,1.6428571428571427937,1.0,0.0,128,X'6003040000030001023a3700010001000200000000000201000201020306030003020201020102010002020302000102000001020c145801650f321847161025321d110300000000000000000201020101020000000001020102000102010002000000000000010401000000000000010200000000000000000100020c040403',44.0,46.0,46.0,47.0,106.0,46.0,46.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(2,1,-4794911118998280589,'BLOCK=1024,THREADS=1,UNROLL=2',1,0,1.0,0.96551724137931038693,1.0,1.0,0.0,128,X'380002010100000200000000000000000102000000000000000000005c590001000100000000000201020000000100020100002a110b4810631216190b00320025182300010200000000000001000000000201000201020102000100020102000002010102000102010000000201020100000201000000020100020008060100',27.0,27.0,28.0,28.0,77.0,28.0,28.0,NULL,'tied',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(2,1,1091978836834916766,'BLOCK=1024,THREADS=1,UNROLL=1',0,0,1.1724137931034481763,1.0714285714285713968,1.1785714285714286031,1.0,0.0,8,X'4401000201000005',30.0,33.0,33.0,33.25,34.0,30.0,34.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO final VALUES(2,1,4854113133838864639,'BLOCK=256,THREADS=1,UNROLL=2',0,0,1.7142857142857141905,1.6551724137931034253,1.8275862068965518236,1.0,0.0,8,X'6a07010000000000',48.0,48.0,48.0,48.249999999999999998,53.0,48.0,53.0,NULL,'slower',NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO profile VALUES(1,2,1,'BLOCK=1024,THREADS=1,UNROLL=4','launch','time','28 ns, a launch that does nothing takes 21',1.3000000000000000444,NULL,NULL,NULL,0,96,4000000,NULL);
INSERT INTO profile VALUES(2,5,1,'BLOCK=1024,THREADS=1,UNROLL=4','memory','both','75 % of 21.0 GB/s',1.3400000000000000799,NULL,NULL,NULL,1,128,9000000,NULL);
CREATE TABLE reading(
  profile_id INTEGER NOT NULL REFERENCES profile,
  call INTEGER NOT NULL, -- the kernel of the launch, from 1; 0: the whole launch
  name_id INTEGER NOT NULL REFERENCES metric_name,
  value REAL,
  reason TEXT,
  PRIMARY KEY(profile_id, call, name_id)
) STRICT, WITHOUT ROWID;
INSERT INTO reading VALUES(1,0,1,28.0,NULL);
INSERT INTO reading VALUES(1,0,2,26.0,NULL);
INSERT INTO reading VALUES(1,0,3,NULL,'the virtual machine passes none on');
INSERT INTO reading VALUES(2,0,1,28.0,NULL);
INSERT INTO reading VALUES(2,0,2,26.0,NULL);
INSERT INTO reading VALUES(2,0,3,NULL,'the virtual machine passes none on');
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
CREATE TABLE acknowledgement(
  id INTEGER PRIMARY KEY,
  series TEXT NOT NULL,
  since_ms INTEGER NOT NULL, -- start of the first run after the change
  reason TEXT NOT NULL,
  who TEXT,
  made_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT;
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
INSERT INTO answer VALUES(1,1,'hot',0,0,1,0,7,2,'tie',1.724137931034480653,2,'[[1,-5493643060880847422],[1,-4794911118998280589]]',46.0,1.6428571428571427937,'BLOCK=256,THREADS=1,UNROLL=1','[]',7,6,1882598080344227842);
INSERT INTO answer VALUES(1,1,'hot',0,1,1,0,7,2,'tie',1.724137931034480653,2,'[[1,-5493643060880847422],[1,-4794911118998280589]]',46.0,1.6428571428571427937,'BLOCK=256,THREADS=1,UNROLL=1','[]',7,6,1882598080344227842);
INSERT INTO answer VALUES(2,1,'hot',1,0,1,0,19,NULL,'',0.0,1,'[]',5.0,1.0,'BLOCK=256,THREADS=1,UNROLL=1','[]',2,2,1882598081392803844);
INSERT INTO answer VALUES(2,1,'hot',1,1,1,0,19,NULL,'',0.0,1,'[]',5.0,1.0,'BLOCK=256,THREADS=1,UNROLL=1','[]',2,2,1882598081392803844);
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
INSERT INTO outcome VALUES(1,1,1,1,'BLOCK=1024,THREADS=1,UNROLL=4',2,26.0,NULL,5,0);
INSERT INTO outcome VALUES(1,1,2,1,'BLOCK=1024,THREADS=1,UNROLL=4',7,28.0,NULL,5,0);
INSERT INTO outcome VALUES(2,1,4,1,'BLOCK=256,THREADS=1,UNROLL=1',18,5.0,NULL,2,0);
CREATE TABLE stale(
  device_id INTEGER NOT NULL,
  problem_id INTEGER NOT NULL,
  PRIMARY KEY(device_id, problem_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trial_default ON trial(implementation_id) WHERE is_default;
CREATE INDEX final_config ON final(implementation_id, config_hash);
CREATE INDEX trial_run ON trial(run_id, implementation_id, status);
CREATE INDEX trial_config ON trial(implementation_id, config_hash, run_id);
CREATE INDEX trial_failed ON trial(implementation_id, config_hash)
  WHERE status = 'wrong' OR status = 'crashed' OR status = 'timeout' OR status = 'impossible';
CREATE INDEX profile_config ON profile(implementation_id, config_key);
CREATE INDEX run_subject ON run(device_id, problem_id, cache_policy, decided, started_ms, simulated, imported);
CREATE INDEX answer_subject ON answer(device_id, problem_id);
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
CREATE TRIGGER problem_renamed AFTER UPDATE OF name, workload_id ON problem BEGIN
  INSERT INTO stale SELECT DISTINCT r.device_id, r.problem_id
    FROM problem q JOIN run r ON r.problem_id = q.id
    WHERE (q.workload_id, q.name) IN (VALUES(OLD.workload_id, OLD.name), (NEW.workload_id, NEW.name))
      AND NOT r.imported
      AND NOT EXISTS (SELECT 1 FROM stale s WHERE s.device_id = r.device_id AND s.problem_id = r.problem_id);
END;
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
CREATE VIEW ties AS
  SELECT a.device_id, a.problem_id, a.cache_policy, n.run_id, n.implementation_id, n.config_key,
    n.rowid = a.final_id AS winner, n.standing, n.ratio, n.ratio_low, n.ratio_high, n.median_ns
  FROM answered a
  JOIN json_each(a.ties_json) x
  JOIN final n ON n.run_id = a.final_run_id AND n.implementation_id = json_extract(x.value, '$[0]')
    AND +n.config_hash = json_extract(x.value, '$[1]')
  WHERE a.own = 0;
CREATE VIEW machines AS
  WITH known AS MATERIALIZED (
    SELECT kind, model, count(DISTINCT machine) AS n FROM device GROUP BY kind, model)
  SELECT v.id AS device_id, iif(k.n > 1, v.machine, NULL) AS machine
  FROM device v JOIN known k ON k.kind = v.kind AND k.model IS v.model;
CREATE VIEW newest AS
  SELECT max(
    coalesce((SELECT started_ms FROM run WHERE NOT imported ORDER BY id DESC LIMIT 1), 0),
    coalesce((SELECT t.recorded_ms FROM trial t JOIN run r ON r.id = t.run_id
      WHERE t.id = (SELECT max(id) FROM trial) AND NOT r.imported), 0)) AS ms;
COMMIT;
PRAGMA application_id=1095975764;
PRAGMA user_version=26;
