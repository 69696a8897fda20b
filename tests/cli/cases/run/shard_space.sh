# asctune run --by configurations: commands that know nothing of each other try all of a space, each configuration once beside the default.
# covers: strategy.c impl_search.c run_shard.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
asctune run axpy.json --device cpu --cache hot --problem small --budget all --db whole.db >/dev/null 2>said || cat said
for k in 1 2 3; do
	asctune run axpy.json --device cpu --cache hot --problem small --budget all --shard $k/3 --by configurations --db $k.db >out 2>said || { echo "exit $?"; cat said; }
	grep -o 'share .*space' said
	sqlite3 $k.db "select way, problems, all_problems, outcome from share; select count(*) from final; select count(*) > 1 from trial; select decided is null from run"
done
asctune merge 2.db 1.db 3.db --db all.db >/dev/null
keys() { sqlite3 $1 "select config_key, count(*) from trial where not is_default group by 1 order by 1"; }
keys whole.db >whole; keys all.db | diff whole - && echo 'the same configurations, once each'
sqlite3 all.db "select count(*) from trial where is_default"
# What finals will measure again is measured less: few samples, and no profile.
sqlite3 all.db "select max(n_samples) <= 12 from trial where is_default; select count(*) from profile"; sqlite3 whole.db "select count(*) > 0 from profile"
# No night of a history, and no search of the problem.
asctune track --db all.db --all; run runs axpy.json --device cpu --problem small --db all.db
run run axpy.json --device cpu --shard 1/2 --by halves --db bad.db
run run axpy.json --device cpu --by configurations --db bad.db
run run axpy.json --device cpu --shard 1/2 --by configurations --bits default --db bad.db
ls bad.db 2>&1
