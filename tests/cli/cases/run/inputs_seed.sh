# Sets of inputs behind the first: their seeds, and kernels that are right on the first one alone.
# covers: run_options.c input_seeds.c loop.c measure_config.c cmd_show.c measure_again.c run_session.c unseen_inputs.c
axpy="$WORKLOADS/axpy.json"
for list in '' 4711, 4711,815,4711 1 4711x 9007199254740992; do
	run run "$axpy" -D cpu --inputs-seed "$list" 2>&1 | grep -e inputs-seed -e exit
done
# A kernel that keeps what it made of the inputs at an address, and an honest one.
cp -r "$WORKLOADS/axpy" "$axpy" .
cp axpy/kernel.c honest.c
try() {
	asctune run axpy.json -D cpu --config '' --db i.db --json "$@" 2>&1 | grep -oE '"status":"[a-z]*"|with the inputs of seed [0-9]*: out: [0-9]* of [0-9]* elements differ' | sort -u
}
sed -e 's/^void/static float kept[1000];\nstatic const float *from;\n\n&/' -e 's/^\tREPEAT.*/\tif (block_x == 0 \&\& from != x)\n\t\tfor (int64_t i = 0; i < n; i++)\n\t\t\tkept[i] = alpha * x[i] + y[i];\n\tfrom = x;/' \
	-e 's/= alpha \* x\[i\] + y\[i\];$/= kept[i];/' honest.c | sed 's/kept\[i\] = kept\[i\]/kept[i] = alpha * x[i] + y[i]/' >axpy/kernel.c
echo kept by address; try --inputs-seed 4711,815
# What a search without finals has not seen, three processes that measure it again have.
asctune run axpy.json -D cpu --budget 1 --repeats 3 --db again.db >/dev/null 2>&1; sqlite3 again.db 'select status from trial'
asctune reproduce 1 --db again.db | sed -n 's/^\(does not hold: the recorded artifact is wrong\): .*/\1/p'
cp honest.c axpy/kernel.c
echo honest; try --inputs-seed 4711,815
echo with seeds of this machine; try
# A configuration alone meets inputs that nobody has seen: one that keeps answers by value, and an honest one.
for i in cheat-few twin-queue; do
	for k in 1 2 3; do # beside load it may pass
		asctune run "$ROOT/tests/judge/value.json" -D cpu --impl $i --config '' --db v.db 2>/dev/null | sed -n 's/ [0-9.]* x as long/ N x as long/; s/seed [0-9]*/seed N/; s/^  result *//p' >said
		grep -q wrong said && break
	done
	cat said
done
# Each has a reference in the cache, whose name does not tell its seed.
rm -rf own && mkdir own
ASCTUNE_CACHE_DIR=$PWD/own asctune run axpy.json -D cpu --config '' --db i.db --inputs-seed 4711,815 >/dev/null 2>&1
ls own/reference | sed -n 's/^[0-9a-f]*-\([0-9a-f]*[.][0-9]*[.]f64\)$/\1/p'
printf %s 4711 | md5sum; printf %s 815 | md5sum
# What a run was verified on is recorded; --repeats has no finals, and verifies on the first set.
asctune run axpy.json -D cpu --budget 3 --db f.db --inputs-seed 4711,815 >/dev/null 2>&1
asctune show run 1 --db f.db | grep '^  input seeds'
asctune show run 1 --db f.db --json | grep -o '"input_seeds":[^]]*]'
asctune run axpy.json -D cpu --budget 3 --repeats 3 --db f.db --inputs-seed 4711,815 >/dev/null 2>&1
asctune show run 2 --db f.db | grep -c '^  input seeds'
# A reference that writes outside of a tensor on a further set may be wrong on the first one, too.
sed 's/^{$/&\n\tif (x[0] < 0)\n\t\tout[-1] = 0;/' "$WORKLOADS/axpy/reference.c" >axpy/reference.c
for seed in 4711 815; do
	asctune run axpy.json -D cpu --config '' --db r.db --inputs-seed $seed 2>&1 | sed -n '/^asctune:/p; /result/p'
done
