-- Fifteen nights of each cause, for a database that holds the runs of tests/data/golden/schema-16.sql.
update run set simulated = 1;
update device set model = 'M', driver = '6.1', machine = null;
insert into device select 9, 'other', kind, model, arch, '7.0', clock, machine from device where id = 1;
insert into implementation(id, name, key, idx) values (9, 'library', 'k9', 1);
create temp table story(problem, kernel, library, nights, device); -- factors of the last nights; library null: no baseline
insert into story values ('machine', 1.2, 1.2, 3, 1), ('machine-2', 1.3, 1.3, 3, 1), ('driver', 1.2, null, 3, 9), ('driver-2', 1.1, null, 3, 9),
	('own', 1.4, 1, 3, 1), ('later', 1.1, 1, 2, 1), ('library', 1, 1.5, 3, 1), ('good', 0.7, null, 3, 1), ('same', 1, 1, 0, 1),
	('broken', -1, null, 1, 1);
insert into problem(id, workload_id, key, name, dims_json) select 100 + rowid, 1, 'key' || rowid, problem, '{}' from story;
create temp table night as with recursive n(i) as (select 1 union all select i + 1 from n where i < 15)
	select 1000 + 20 * i + s.rowid as run, s.rowid + 100 as problem, (20000 + i) * 86400000 as ms, i, s.nights > 15 - i as late, kernel, library,
	device from n, story s;
insert into run(id, device_id, problem_id, cache_policy, seed, simulated, baseline, started_ms, ended_ms, outcome, workload_file)
	select run, iif(late, device, 1), problem, 'hot', 1, 0, iif(library is null, null, 'library'), ms, ms + 1, 'done', '/w/axpy.json' from night;
create temp table time as -- noise of 1 % in common, of 0.3 % of each
	select run, ms, 1 as id, iif(late, kernel, 1) * (100000 + i * 7919 % 1000 + i * 31 % 300) as ns from night union all
	select run, ms, 9, iif(late, library, 1) * (200000 + 2 * (i * 7919 % 1000) + i * 17 % 600) from night where library is not null;
insert into run_implementation select run, id from time;
insert into trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, reason, cached, build_ns,
	load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
	select run, id, 1, 'B=1', '{}', 0, ms, iif(ns < 0, 'wrong', 'ok'), iif(ns < 0, 'verify', 'measure'), iif(ns < 0, 'y[3]: 1 instead of 2', null),
	1, 0, 0, 0, 0, 1, 3, iif(ns < 0, null, ns) from time;
-- Of the kernel that stays the same another configuration computes wrong results in the newest night.
insert into trial(run_id, implementation_id, config_hash, config_key, config_json, is_default, recorded_ms, status, phase, reason, cached, build_ns,
	load_ns, verify_ns, measure_ns, launches, n_samples, median_ns)
	select run, 1, 2, 'B=2', '{}', 0, ms, iif(i = 15, 'wrong', 'ok'), iif(i = 15, 'verify', 'measure'), iif(i = 15, 'y[7]: 2 instead of 3', null),
	1, 0, 0, 0, 0, 1, 3, iif(i = 15, null, 300000) from night where kernel = 1 and library = 1 and i >= 14;
