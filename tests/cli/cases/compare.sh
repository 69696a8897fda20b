# Two kernels in the same rounds: files, configurations, recorded trials; what computes something else, or is none of these, is refused.
mkdir old new
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" old
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" new
# twice the work: each element is written, read back by a barrier, and written again
sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' new/axpy/kernel.c
export ASCTUNE_DB="$PWD/c.db"
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
echo '--- mistakes'
run compare old/axpy.json
run compare 1 2 3
run compare old/axpy.json nothing
run compare BLOCK=64 BLOCK=256
run compare BLOCK=64 BLOCK=65 --workload old/axpy.json -D cpu
run compare BLOCK=64 BLOK=64 --workload old/axpy.json -D cpu
run compare 1 99
run compare old/axpy.json new/axpy.json -D cpu -i none
run compare old/axpy.json new/axpy.json -D cpu -p none
sed -i 's/"N": 1000}/"N": 1001}/' new/axpy.json
run compare old/axpy.json new/axpy.json -D cpu
sed -i 's/"N": 1001}/"N": 1000}/' new/axpy.json
sed -i 's/alpha \* x/alpha - x/' new/axpy/kernel.c
asctune compare -D cpu old/axpy.json new/axpy.json >out 2>err; echo "exit $?"; grep -o '^failed: B is now wrong' out
ls "${TMPDIR:-/tmp}" | grep -c asctune-compare
