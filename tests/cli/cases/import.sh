# Results go out in the T4 format and come in again; what comes in never counts as measured.
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 6 --db a.db >/dev/null 2>&1
run export t4 --db a.db -o out
run import out/*_T4.json --db b.db 2>&1 | sed 's/out[^:]*:/FILE:/; s/[0-9]* of them/N of them/'
run import out/*_T4.json --db b.db 2>&1 | sed 's/out[^:]*:/FILE:/'
run export t4 --simulated --db b.db -o back
diff -r out back && echo same
run best --db b.db
run export t4 --db b.db
run export csv --db b.db
run export csv --simulated --db b.db -o back
sed 1q back/trials.csv | tr -d '\r' | tr , '\n' | wc -l
# The search spaces of a workload, read again.
run export t1 "$WORKLOADS/axpy.json" --device cpu --problem small -o spaces
ls spaces
run space spaces/axpy-small-loop-cpu_T1.json --count
run space "$WORKLOADS/axpy.json" --problem small --impl loop --count
# What cannot be.
run import spaces/*.json --db c.db
echo '{"results": [' >short.json; run import short.json --db c.db
gzip -c "$(ls out/*)" | head -c 200 >short.json.gz; run import short.json.gz --db c.db
run import nowhere.json --db c.db
run import . --db c.db
ls c.db 2>&1
run import
run export t1
run export t4 "$WORKLOADS/axpy.json"
run export json --simulated
echo '{"device_name": "GPU", "tune_params_keys": ["A"], "tune_params": {"A": [1]}, "cache": {}}' >cache.json; run import cache.json --db c.db
# an empty name is none: the file's name stands in
echo '{"results": [{"configuration": {"A": 1}, "times": {"runtimes": [1]}, "invalidity": "correct"}], "X-Asctune": {"problem": ""}}' >named.json
run import named.json --workload "" --model "" --db n.db
asctune export t4 --simulated --db n.db -o named && ls named | sed 's/-[0-9a-f]*_T4/-N_T4/'
