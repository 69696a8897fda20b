# asctune run --with: history and --resume's results come from a file that is only read, and what is measured goes into another one.
# covers: recorder.c query.c search_history.c cmd_run.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
tune() { asctune run axpy.json --device cpu --cache hot --problem small "$@" >out 2>said || { echo "exit $?"; cat said; }; }
tune --budget 4 --strategy exhaustive --db old.db
cp old.db before.db
tune --budget all --strategy exhaustive --resume --with old.db --db new.db
cmp old.db before.db && ls old.db*
# Of the four that were resumed only finalists came along; the rest was measured, each once. The answer stands in the new database.
sqlite3 new.db "attach 'old.db' as old; select count(*) = count(distinct config_key) from trial;
	select count(*) from old.trial o where not exists (select 1 from trial t where t.config_key = o.config_key) and exists (select 1 from final f where f.config_key = o.config_key);
	select (select count(*) from trial where measure_ns > 0) + (select count(distinct config_key) from old.trial), (select count(*) from best)"
tune --budget all --strategy exhaustive --db whole.db; sqlite3 whole.db 'select count(*), count(distinct config_key) from trial'
asctune merge new.db old.db --db all.db >/dev/null; sqlite3 all.db 'select count(*), count(distinct config_key) from trial where measure_ns > 0'
# The same again finds all of it in both: nothing is measured.
tune --budget all --strategy exhaustive --resume --with old.db --db new.db; sqlite3 new.db "select count(*) from trial where run_id = 2"
tune --budget all --resume --strategy model --with all.db --db third.db; sqlite3 third.db "select count(*) from trial where measure_ns > 0"
# Without finals, by --repeats or in a share of a space, it is the default and the best that come along.
best() { sqlite3 $1 "select min(median_ns) from trial where status = 'ok'"; }
tune --budget all --resume --repeats 3 --db steady.db; tune --budget all --resume --repeats 3 --with steady.db --db alone.db
[ "$(best steady.db)" = "$(best alone.db)" ] && echo 'the same best'; sqlite3 alone.db "select count(*) <= 2, max(is_default) from trial"
tune --budget all --resume --shard 1/2 --by configurations --with all.db --db part.db; sqlite3 part.db "select count(*) in (1, 2), max(is_default), count(*) filter (where measure_ns > 0) from trial"
# As history: a search begins with the best of it.
tune --budget 2 --strategy random --with all.db --db short.db; sqlite3 short.db "select json_extract(history_json, '$.results') > 4 from run"
# What cannot be.
run run axpy.json --device cpu --with missing.db --db bad.db
head -c 3000 old.db >torn.db; run run axpy.json --device cpu --with torn.db --db bad.db 2>&1 | grep -v Intel | sed 's/^cpu:.*//' | tail -n 2
run run axpy.json --device cpu --with old.db --known old.db --db bad.db
run run axpy.json --device cpu --with old.db --no-history --db bad.db
