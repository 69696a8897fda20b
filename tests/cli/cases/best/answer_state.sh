# What makes a best configuration an early or an old one: a run that was killed or interrupted, a kernel that broke or became slower since; no quartiles.
# covers: answer_state.c
golden 16 old.db
sqlite3 old.db "delete from run where id > 1; delete from run_implementation where run_id > 1; delete from trial where run_id > 1; delete from final"
sqlite3 old.db "update run set outcome = null, budget = '12 trials', sure = null, decided = null where id = 1"
cp old.db killed.db
said() { asctune "$@" | grep -E '^ *!|^go on|^  state' ; }
echo '- killed'
for what in best 'show run 1' 'show 2' 'show small'; do said $what --db killed.db; done
asctune show run 1 --db killed.db --json | grep -c '"outcome":null'
for_programs() { asctune "$@" --json | grep -o '"run":{.*\|"since":{.*' ; }
for what in best 'show small'; do for_programs $what --db killed.db; done
echo '- interrupted; after a time; of all'
sqlite3 killed.db "update run set outcome = 'interrupted', budget = '30 s'"; said best --db killed.db
sqlite3 killed.db "update run set budget = 'all', workload_file = null"; said best --db killed.db
sqlite3 killed.db "update run set budget = '200 trials, 60 s'"; said show run 1 --db killed.db
asctune report --db killed.db -o page.html >/dev/null 2>&1; grep -c 'its run did not end' page.html
sed 's/<[^>]*>//g' page.html | grep -o 'asctune run .*--resume.*'
echo '- ended'
sqlite3 killed.db "update run set outcome = 'done'"; said best --db killed.db; said show run 1 --db killed.db
echo '- nothing passes, or another implementation has nothing that does'
sqlite3 killed.db "insert into run select null, randomblob(16), device_id, problem_id, workload_hash, version, strategy, policy_json, budget, cache_policy, seed, simulated,
	baseline, 86400000 * 30000, ended_ms, outcome, steady_json, sure, noise_pct, decided, workload_file, history_json, patience_json, imported, source_commit, source_clean,
	finals_begin_ns, finals_ns, input_seeds, share_id from run where id = 1;
	insert into run_implementation select max(id), 1 from run;
	create temp table t as select * from trial where id = 1; update t set id = null, run_id = (select max(id) from run), status = 'wrong', median_ns = null;
	insert into trial select * from t"
for what in best 'show run 1' 'show 2' 'show small'; do said $what --db killed.db; done
for_programs best --db killed.db
cp killed.db failed.db # a table of indices has no time for what passes no more
sqlite3 failed.db "update implementation set idx = 0; create temp table t as select * from trial where run_id = 1;
	update t set id = null, run_id = (select max(id) from run), status = 'wrong', median_ns = null; insert into trial select * from t"
asctune best --indices --db failed.db | sed 1d
asctune best --indices --db failed.db --json | grep -o '"implementations":.*'
cp killed.db other.db
sqlite3 other.db "create temp table i as select * from implementation where id = 1; update i set id = 9, name = 'other', key = 'other'; insert into implementation select * from i;
	update run_implementation set implementation_id = 9 where run_id = (select max(id) from run); update trial set implementation_id = 9 where status = 'wrong'"
said best --db other.db; said show run 1 --db other.db
sqlite3 other.db "create temp table i as select * from implementation where id = 9; update i set id = 10, name = 'third', key = 'third'; insert into implementation select * from i;
	insert into run_implementation select max(id), 10 from run; create temp table t as select * from trial where status = 'wrong'; update t set id = null, implementation_id = 10;
	insert into trial select * from t"
said best --db other.db
echo '- slower'
cp killed.db slow.db
sqlite3 slow.db "delete from trial where status = 'wrong'; delete from run_implementation where run_id > 1; delete from run where id > 1"
for day in 1 2 3 4 5 6 7 8 9 10 11 12; do
	sqlite3 slow.db "create temp table r as select * from run where id = 1; update r set id = null, uid = randomblob(16), started_ms = (20000 + $day) * 86400000;
		insert into run select * from r; insert into run_implementation select max(id), 1 from run;
		create temp table t as select * from trial where id = 2; update t set id = null, run_id = (select max(id) from run), median_ns = iif($day > 9, 56, 28) + $day % 3 * 0.1;
		insert into trial select * from t"
done
sqlite3 slow.db "delete from trial where run_id = 1"
said best --db slow.db
asctune track ack "$(asctune track --db slow.db --json 2>/dev/null | sed -n 's/.*"series":"\([^"]*\)".*/\1/p' | head -n 1)" --reason 'as it is to be' --db slow.db 2>/dev/null
said best --db slow.db
for what in best 'show run 1' 'show small'; do for_programs $what --db slow.db | sed -E 's/_pct":([0-9.]{4})[0-9]*/_pct":\1/' | sort | uniq -c; done
asctune best --db slow.db --all --json | grep -c '"since":{'
echo '- two machines of one model'
cp slow.db two.db
sqlite3 two.db "update device set machine = 'aaaa'; create temp table v as select * from device where id = (select device_id from run where id = 1);
	update v set id = 99, machine = 'bbbb', fingerprint = 'other'; insert into device select * from v;
	create temp table r as select * from run where id = 1; update r set id = 99, uid = randomblob(16), device_id = 99, started_ms = 20013 * 86400000; insert into run select * from r;
	insert into run_implementation select 99, 1; create temp table t as select * from trial where run_id = 2; update t set id = 999, median_ns = 28, run_id = 99; insert into trial select * from t"
for what in best 'show run 99' 'show 999' 'show run 13'; do echo "$what:"; said $what --db two.db; done
asctune show run 99 --db two.db --json | grep -o '"device_machine":"[^"]*"\|"since":.*'
echo '- an older driver; a stand-in'
sqlite3 two.db "create temp table v as select * from device where id = (select device_id from run where id = 2); update v set id = 98, driver = 'older', fingerprint = 'older'; insert into device select * from v;
	create temp table r as select * from run where id = 2; update r set id = 98, uid = randomblob(16), device_id = 98, started_ms = 19990 * 86400000; insert into run select * from r;
	insert into run_implementation select 98, 1; create temp table t as select * from trial where run_id = 2; update t set id = 998, run_id = 98; insert into trial select * from t"
asctune best --all --db two.db | grep -c '^axpy'; said best --all --db two.db
asctune best --all --json --db two.db | grep -o '"since":....'
sqlite3 two.db 'update run set simulated = 1 where id = 13'; said show run 13 --db two.db; asctune show run 13 --json --db two.db | grep -o '"since":.*'
echo '- quartiles'
asctune best --db slow.db | sed -n 2p
sqlite3 slow.db "update trial set q1_ns = null, q3_ns = null, low_ns = null, high_ns = null"
asctune best --db slow.db | sed -n 2,3p
