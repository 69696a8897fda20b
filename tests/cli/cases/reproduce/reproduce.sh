# asctune reproduce: whether a recorded time holds, and what differs. The clock of these processes (tests/time_passes.c) says of a launch that it took as
# long as the macro in delay.h says and the environment adds, give or take a little: the machine's own load has no part in it.
# covers: cmd_reproduce.c claim.c measure_again.c provenance_now.c impl_identity.c
ASCTUNE_CACHE_DIR="$PWD/cache" ASCTUNE_PASS_ENV=MORE_US; export ASCTUNE_CACHE_DIR ASCTUNE_PASS_ENV
tests=$(dirname "$(command -v forbid)") # with libraries of the tests, which the sandbox lets a worker read there
LD_LIBRARY_PATH="$tests${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD=libtime_passes.so; export LD_LIBRARY_PATH LD_PRELOAD
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
delay() { echo "#define DELAY_US $1" >axpy/delay.h; }
kernel() { # SED-SCRIPT: the kernel of axpy, which says how long its one call took
	(echo '#include <stdlib.h>'; echo '#include "delay.h"'; echo 'void time_passes(long us);'; echo 'static long calls;'
	sed 's|^\tconst int64_t first.*|\tconst char *more = getenv("MORE_US");\n\ttime_passes(DELAY_US + (more ? atoi(more) : 0) + 13 * calls++ % 32);\n&|' "$WORKLOADS/axpy/kernel.c" |
		sed "$1") >axpy/kernel.c
}
# a time or a percentage is none of the machine's that wrote the expected output
plain() { sed -E 's/cpu: [^,]*,/cpu: MODEL,/; s/[-+]?[0-9.]+ \(/N (/; s/\([-+0-9.]+ \.\. [-+0-9.]+\)/(N .. N)/; s/N \(N/N (N/; s/[-+]?[0-9.]+ %/N %/
	s/[0-9.]+ [mu]s/T/g; s/[0-9]+ samples/K samples/; s/[0-9]{5} [0-9a-f]{16}/BYTES/g'; }
reproduce() { asctune reproduce "$@" >said 2>&1; status=$?; plain <said; echo "exit $status"; }

delay 5000; kernel ''
asctune run axpy.json --device cpu --problem small --config BLOCK=1024 --repeats 16 --db r.db >/dev/null 2>&1 # load has no part in how many
# a thread that waits for a processor and a processor that is slowed down would mark samples; the recorded policy is the one to measure by
sqlite3 r.db "update run set policy_json = json_set(policy_json, '$.steady_wait', 1e9, '$.steady_clock', 0.0, '$.margin', 0.2, '$.near', 1.3, '$.finals_rounds', 16, '$.finals_free', 16, '$.finals_noisy', 16)"
echo "-- nothing has changed"
reproduce 1 --db r.db
echo "-- a comment"
echo '/* edited */' >>axpy/kernel.c
reproduce 1 --db r.db
echo "-- an included file: slower by the code"
delay 10000; kernel ''
reproduce 1 --db r.db
echo "-- and without the recorded artifact"
mv cache kept
reproduce 1 --db r.db
rm -r cache; mv kept cache
delay 5000
echo "-- slower by the machine"
MORE_US=5000 reproduce 1 --db r.db
echo "-- a recorded time that is known too badly"
cp r.db wide.db; sqlite3 wide.db 'update trial set low_ns = median_ns / 2, high_ns = median_ns * 2'
asctune reproduce 1 --db wide.db >said; echo "exit $?"; tail -1 said | sed 's/,.*//' | plain
echo "-- an option"
sed 's/"builder": "cc",/"builder": "cc", "flags": ["-fno-inline"],/' axpy.json >flags.json
reproduce 1 --db r.db --workload flags.json
echo "-- another call, for programs"
sed 's/"threads": "THREADS"/"threads": "THREADS * 1"/' axpy.json >call.json
reproduce 1 --db r.db --json --workload call.json >/dev/null
grep -oE '"(differences|not_recorded)":\[[^]]*\]|"(verdict|cause|reason)":"[^"]*"' said
echo "-- wrong"
kernel 's/alpha \* x\[i\]/2 * x[i]/'
reproduce 1 --db r.db | tail -2 | sed 's/with the inputs of seed [0-9]*: //; s/[0-9]* of [0-9]* elements.*//'
echo "-- it no longer compiles"
kernel 's/alpha \* x\[i\]/nothing/'
reproduce 1 --db r.db | tail -2 | sed 's/kernel.c:.*//'
kernel ''
echo "-- a row of an earlier version"
cp r.db old.db
sqlite3 old.db 'update implementation set options = null, sources = null, toolchain = null; update run set workload_file = null, policy_json = null; update trial set digest = null'
reproduce 1 --db old.db
reproduce 1 --db old.db --workload axpy.json

echo "-- exported rows"
cp r.db two.db
sed 's/"N": 1000}/"N": 2000}/; s/"name": "small"/"name": "more"/' axpy.json >more.json
asctune run more.json --device cpu --problem more --config BLOCK=1024 --repeats 16 --db two.db >/dev/null 2>&1
asctune export json --db two.db -o . >/dev/null 2>&1
reproduce --best best.json --problem small
rm more.json # one that cannot be tried does not keep the others from it
reproduce --best best.json --json >/dev/null; grep -oE 'asctune: .*|"problem":"[a-z]*"' said
reproduce --best best.json --problem tiny
echo '[]' >none.json; reproduce --best none.json
echo '{"workload": "axpy"}' >part.json; reproduce --best part.json
echo '{' >broken.json; reproduce --best broken.json
reproduce --best gone.json
echo "-- rows that contradict themselves"
doctored() { sed "$1" best.json >doctored.json; reproduce --best doctored.json --problem small; }
doctored 's/"config_key":"BLOCK=1024,/"config_key":"BLOCK=2048,/'
doctored 's/"config_key":"BLOCK=1024,/"config_key":"/'
doctored 's/"median_ns":[^,]*,/"median_ns":1,/' | sed 's/[0-9.e+]* and [0-9.e+]*$/LEAST and MOST/'
doctored 's/"low_ns":[^,]*,/"low_ns":1e9,/' | sed 's/is [0-9.e+]*, but/is MEDIAN, but/; s/and [^ ]*$/and HIGH/'
doctored 's/"device_model":"[^"]*",/"device_model":"Z80",/' | sed 's/provenance" is .*/provenance" is MODEL/'

echo "-- what cannot be reproduced"
reproduce 99 --db r.db
reproduce 1 --db missing.db
reproduce 0 --db r.db
reproduce --db r.db
reproduce 1 --best best.json
reproduce 1 --problem small --db r.db
changed() { cp r.db bad.db; sqlite3 bad.db "$1"; shift; reproduce 1 --db bad.db "$@"; }
changed "update trial set status = 'pruned', reason = 'too many threads'"
changed "update trial set status = 'build_failed', reason = null"
changed "update trial set status = 'slow', n_samples = 1"
changed "update run set simulated = 1"
changed "update trial set n_samples = 0, samples = null, median_ns = null"
changed "update device set kind = 'cuda', model = 'NVIDIA H100'" | sed 's/cuda: .*/cuda: REASON/'
changed "update device set model = 'Z80'" | sed 's/this is cpu: .*: /this is cpu: MODEL: /'
changed "update implementation set name = 'vector'"
changed "update trial set config_key = 'BLOCK=2048,THREADS=1,UNROLL=1'"
changed "update trial set config_key = 'BLOCK'"
sed 's/"cache_policy": *"[a-z]*"/"cache_policy": "tepid"/' best.json >tepid.json; reproduce --best tepid.json --problem small
changed "update run set policy_json = '{}'" | sed -n '/warning/p'
changed "update problem set key = 'other'" | sed -n '3,4p;$p'
reproduce 1 --db r.db --workload "$WORKLOADS/faults.json" | sed 's|[^ ]*/faults.json|faults.json|'
reproduce 1 --db r.db --workload gone.json
sed 's/"name": "small"/"name": "little"/' axpy.json >little.json
reproduce 1 --db r.db --workload little.json
mv axpy/kernel.c kernel.c; reproduce 1 --db r.db; mv kernel.c axpy/kernel.c
CC=/no/such/compiler reproduce 1 --db r.db
echo >file
ASCTUNE_CACHE_DIR="$PWD/file" reproduce 1 --db r.db | tail -2
ls cache/artifacts | grep -c tmp-
chmod 777 cache; reproduce 1 --db r.db | tail -2
