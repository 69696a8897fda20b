# Results go out in the T4 format and come in again; what comes in never counts as measured.
# covers: cmd_import.c import.c t4_export.c
asctune run "$WORKLOADS/axpy.json" --device cpu --budget 6 --db a.db >/dev/null 2>&1
run export t4 --db a.db -o out 2>&1 | sed 's/-loop-.*_T4/-loop-MODEL_T4/'
run import out/*_T4.json --db b.db 2>&1 | sed 's/out[^:]*:/FILE:/; s/[0-9]* of them/N of them/'
run import out/*_T4.json --db b.db 2>&1 | sed 's/out[^:]*:/FILE:/'
run export t4 --simulated --db b.db -o back 2>&1 | sed 's/-loop-.*_T4/-loop-MODEL_T4/'
diff -r out back && echo same
run best --db b.db
run export t4 --db b.db
run export csv --db b.db
run export csv --simulated --db b.db -o back
sed 1q back/trials.csv | tr -d '\r' | tr , '\n' | wc -l
# A database without its answers has them after that.
golden 16 old.db
run import out/*_T4.json --db old.db 2>/dev/null; sqlite3 old.db 'select count(*) from best union all select count(*) from stale'
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
asctune export t4 --simulated --db n.db -o named 2>&1 | sed 's/-[0-9a-f]*_T4/-N_T4/'
# Files of other tuners, by their content or as they are said to be; the search of a workload begins with them.
run list importers
{
	echo '{"kernel_family": "axpy", "precision": "32", "arg_n": "1000", "clblast_device_name": "GPU 1", "results": ['
	for values in '64, 1, 1' '256, 1, 1' '256, 2, 1' '256, 4, 1' '256, 1, 2' '256, 2, 2' '1024, 1, 1' '1024, 2, 1'; do
		echo "$values" | sed 's/\(.*\), \(.*\), \(.*\)/ {"kernel": "Xaxpy", "time": 0.01, "parameters": {"BLOCK": \1, "UNROLL": \2, "THREADS": \3, "PRECISION": 32}},/'
	done | sed '$s/,$/]}/'
} >clblast_axpy_32.json
cat >results.csv <<'END'
case_id,task_duration(us),device_id,operation,description,m,n,k,A,B,C
1,13.900,0,Gemm,catlass_gemm_00_basic_matmul_128x256x256_128x256x64_swizzle3x0,256,512,1024,fp16:row,fp16:row,fp16:row
2,12.740,0,Gemm,catlass_gemm_00_basic_matmul_64x128x128_64x128x64_swizzle3x1,512,512,1024,fp16:row,fp16:row,fp16:row
END
echo '{"device_name": "GPU 2", "tune_params_keys": ["A"], "cache": {"1": {"A": 1, "time": 2.5}}}' >cache.json
run import clblast_axpy_32.json results.csv cache.json --db o.db
run import --from catlass results.csv --db o.db
run import --from catlass clblast_axpy_32.json --db o.db
run import --from nothing results.csv --db o.db
asctune export t4 --simulated --db o.db -o other 2>&1 | sed 's/-[0-9a-f]*_T4/-N_T4/'
run best --db o.db
asctune best --db o.db 2>&1 | sed -n 's/.*imported: //p' >command; sh command | sed -n '1p'
asctune run "$WORKLOADS/axpy.json" -D cpu --budget 2 --db o.db --json 2>/dev/null | grep -o '"history":[^,]*,'
