# Two kernels in the same rounds: files, commits, configurations, recorded trials and runs; what computes something else, or is none of these, is refused.
# covers: cmd_compare.c compare_side.c again.c binding_side.c worker_side.c measure_again.c
mkdir old new
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" old
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" new
# twice the work: each element is written, read back by a barrier, and written again
sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' new/axpy/kernel.c
export ASCTUNE_DB="$PWD/c.db" TMPDIR="$PWD/scratch"
mkdir scratch
# times and how sure are the machine's: the sentence up to its figures
shape() { sed -E "s|$PWD/||; s/^(axpy.* on cpu): .*/\1/; /^     [0-9]/d; s/^(B is [a-z ]*):.*/\1/; s/^undecided:.*/undecided/"; }
compare() { asctune compare -D cpu --cache hot "$@" >out 2>err; echo "exit $?"; shape <out; shape <err; }
echo '--- another source'
compare old/axpy.json new/axpy.json
compare new/axpy.json old/axpy.json
echo '--- the same code'
asctune compare -D cpu old/axpy.json old/axpy.json >out 2>err; echo "exit $?"; grep -o 'both are the same code' out
echo '--- configurations'
asctune compare -D cpu BLOCK=64 BLOCK=1024,UNROLL=4 --workload old/axpy.json --json >out 2>err
grep -o '"type":"compare","workload":"axpy","problem":"small"' out; grep -o '"config_key":"[^"]*"' out; grep -o '"recorded_artifact":[a-z]*' out
echo '--- trials: their recorded artifacts, though the source is another one now'
asctune run old/axpy.json -D cpu --cache hot --budget 2 --strategy random --seed 1 >out 2>err
cp new/axpy/kernel.c old/axpy/kernel.c
asctune compare 1 2 --json >out 2>err
grep -o '"trial_id":[0-9]*' out; grep -o '"recorded_artifact":[a-z]*' out
compare 1 old/axpy.json
echo '--- runs: the winner of the finals, else the fastest; caches as recorded'
sqlite3 c.db "delete from final where not winner; update trial set min_ns = 1000 * id, q1_ns = 1000 * id, median_ns = 1000 * id, q3_ns = 1000 * id, max_ns = 1000 * id, low_ns = 1000 * id, high_ns = 1000 * id;
	update final set config_key = t.config_key, config_hash = t.config_hash from trial t where t.id = 2"
asctune compare run:1 2 --json >out 2>err
grep -oE '"run_id":1,"trial_id":[0-9]|"cache":"hot"|"same":true' out
echo '--- a file beside a run: the same configuration, but for one that is asked for'
asctune compare run:1 old/axpy.json --json >out 2>err
grep -oE '"config_key":"[^"]*"' out
asctune compare old/axpy.json run:1 --config BLOCK=64 --json >out 2>err
grep -oE '"config_key":"[^"]*"' out
sqlite3 c.db 'delete from final'
compare run:1 old/axpy.json
echo '--- commits, and what an edit does; the header beside the kernel is of the commit too'
mkdir -p tree/deep && cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" tree/deep
echo '#define PASSES 1' >tree/deep/passes.h
sed 's/for (int64_t i = first;/for (int pass = 0; pass < PASSES; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/; 1i #include "../passes.h"' "$WORKLOADS/axpy/kernel.c" >tree/deep/axpy/kernel.c
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
git -C tree init -q && commit once
echo '#define PASSES 40' >tree/deep/passes.h && commit often
rm tree/deep/passes.h
commits() { sed -E 's/commit [0-9a-f]{12}:/commit C:/; s/"commit":"[0-9a-f]{40}"/"commit":"C"/; s/of commit [0-9a-f]+/of commit C/'; }
compare HEAD~1 HEAD --workload tree/deep/axpy.json -p small | commits
echo '#define PASSES 1' >tree/deep/passes.h
compare HEAD tree/deep/axpy.json -p small | commits
asctune compare "commit:$(git -C tree rev-parse HEAD~1)" tree/deep/axpy.json -D cpu -p small --json 2>&1 | commits | grep -oE '"commit":"C"|"same":true'
echo '--- runs whose artifact is gone from the cache: built again from the commit, else from what is there'
tune() { asctune run tree/deep/axpy.json -D cpu -p small --cache hot --budget 1 --db deep.db >out 2>err; }
lose() { rm -f "$ASCTUNE_CACHE_DIR"/artifacts/*/"$(sqlite3 deep.db "select artifact from trial where run_id = $1")".so; }
git -C tree checkout -q . && git -C tree checkout -q HEAD~1 && tune
git -C tree checkout -q - && tune
lose 1
compare run:1 run:2 --db deep.db | commits
lose 1
asctune compare run:1 run:2 --db deep.db --json 2>&1 | commits | grep -oE '"run_id":[12]|"commit":"C"|"recorded_artifact":[a-z]*|"verdict":"slower"'
lose 1
sqlite3 deep.db 'update run set source_clean = 0'
compare run:1 run:2 --db deep.db
echo '--- mistakes'
run compare HEAD~1 HEAD
run compare HEAD~9 HEAD --workload tree/deep/axpy.json
run compare commit:HEAD HEAD --workload old/axpy.json
git -C tree rm -q --cached -r deep && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m 'without it'
run compare HEAD tree/deep/axpy.json 2>&1 | commits
program=$(command -v asctune) && mkdir without && ln -s "$(command -v env)" without
PATH="$PWD/without" "$program" compare HEAD tree/deep/axpy.json; echo "exit $?"
run compare run:1 run:99
run compare run:x 1
asctune run old/axpy.json -D cpu --cache hot --budget 1 --dims N=2000 >out 2>err
cp -r "$WORKLOADS/faults" "$WORKLOADS/faults.json" .
asctune run faults.json -D cpu -p small -i wrong --budget 1 >out 2>err
run compare run:1 run:2
run compare 1 run:3
trial=$(sqlite3 c.db 'select max(id) from trial')
run compare run:1 "$trial"
run compare faults.json old/axpy.json -D cpu
run compare run:1 faults.json
run compare old/axpy.json
run compare 1 2 3
run compare old/axpy.json nothing
run compare BLOCK=64 BLOCK=256
run compare BLOCK=64 BLOCK=65 --workload old/axpy.json -D cpu
run compare BLOCK=64 BLOK=64 --workload old/axpy.json -D cpu
run compare 1 99
run compare old/axpy.json new/axpy.json -D cpu -i none
run compare old/axpy.json new/axpy.json -D cpu -p none
echo '--- other work: what differs'
differ() { # the workload, edited
	sed "$@" old/axpy.json >new/other.json
	run compare old/axpy.json new/other.json -D cpu
}
differ 's/"N": 1000}/"N": 1001}/'
differ 's/"N": 1000}, "dtypes": {"T": "f32"}/"N": 1000, "S": 1}, "dtypes": {"T": "f64"}/; s/{"f32": {"atol"/{"f64": {"atol": 0, "rtol": 0}, "f32": {"atol"/'
differ 's/"x": {"shape": \["N"\]/"x": {"shape": ["N + 1"]/'
differ 's/"kind": "uniform", "low": -1/"kind": "uniform", "low": 0/'
differ 's/"entry": "axpy_reference"/"entry": "other_reference"/'
differ 's/{"scalar": 3, "type": "f64"}/{"scalar": 4, "type": "f64"}/'
cp -r old text && echo '/* a comment */' >>text/axpy/reference.c
compare old/axpy.json text/axpy.json --json >/dev/null
grep -o '"reference_differs":"[^"]*"' out
asctune compare old/axpy.json text/axpy.json -D cpu --cache hot 2>&1 | grep -o '  the text of .*'
sed -i 's/alpha \* x/2 * alpha * x/' text/axpy/reference.c
asctune compare old/axpy.json text/axpy.json -D cpu --cache hot 2>&1 | sed 's/A is wrong: .*/A is wrong/'
echo '--- a comment in the kernel: the same code; JSON is none of a terminal'"'"'s lines'
rm -r text && cp -r old text && echo '/* a comment */' >>text/axpy/kernel.c
asctune compare old/axpy.json text/axpy.json -D cpu --cache hot 2>&1 | grep -o 'both are the same code'
COLUMNS=40 asctune compare old/axpy.json text/axpy.json -D cpu --cache hot --json >out 2>err
grep -o '"same":true' out; wc -l <out; sqlite3 :memory: "select json_valid(readfile('out'))"
sed -i 's/alpha \* x/alpha - x/' new/axpy/kernel.c
asctune compare -D cpu old/axpy.json new/axpy.json >out 2>err; echo "exit $?"; grep -o '^B is wrong' out
ls scratch
