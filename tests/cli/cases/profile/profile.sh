# Why a configuration takes its time: of the best on record, of one that is named, beside the default; what cannot be profiled.
# covers: cmd_profile.c profiling.c profile_figures.c profile_config.c profile_options.c record_profile.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
figures='s/[0-9][0-9.]* [num]*s\( ±[0-9]* %\)\{0,1\}/TIME/g; s/  [0-9.]*x default//'
# nothing is on record yet, then the best is profiled
run profile axpy.json --device cpu --db p.db
asctune run axpy.json --device cpu --budget 8 --db p.db >/dev/null 2>&1
run profile axpy.json --device cpu --db p.db >text
sed -n '1s/  .*//p; $p' text
[ "$(wc -l <text)" -le 17 ] && ! grep -q '.\{81\}' text && echo at most 16 lines of 80 columns
# the object of one configuration has its label, and figures of one launch
run profile axpy.json --device cpu --config BLOCK=256,THREADS=1,UNROLL=1 --set default --json --db p.db >json
python3 -c 'import json
text = open("json").readline()
row = json.loads(text)
print(len(text) <= 2000, row["type"], row["workload"], row["problem"], row["config"], row["cache"] if "cache" in row else "-")
print(row["label"] in "memory cache shared tensor arithmetic scalar latency occupancy launch imbalance spills paging unknown".split(), row["how"], row["time_ns"] > 0)'
# it is recorded as a run that has no trials, and that no answer is made of
sqlite3 p.db "SELECT strategy, outcome, (SELECT count(*) FROM trial t WHERE t.run_id = r.id) FROM run r ORDER BY id" | sed 's/^[a-z]*|done|[1-9].*/tuned/'
sqlite3 p.db "SELECT count(*) FROM profile p JOIN run r ON r.id = p.run_id WHERE r.strategy = 'profile'"
sqlite3 p.db "SELECT n.name, m.value > 0 FROM reading m JOIN metric_name n ON n.id = m.name_id WHERE n.name IN ('time_ns', 'cold_ns', 'hot_ns', 'busy_threads', 'code_instructions') AND profile_id = (SELECT max(id) FROM profile) ORDER BY 1"
sqlite3 p.db "SELECT count(*) FROM stale"
# two configurations in two columns
run profile axpy.json --device cpu --config BLOCK=1024,THREADS=1,UNROLL=4 --against default --db p.db | grep -e '^  this' -e '^  other' -e '^  time ' -e '^exit' | sed 's/  *[0-9].*//'
# a run tells it for nothing, and counts where that is asked for
asctune run axpy.json --device cpu --budget 8 --profile --db q.db 2>/dev/null | grep -c '^  counted  set default in '
sqlite3 q.db "SELECT count(*) > 0, min(metric_set), min(passes) > 0 FROM profile"
