# A short search of what changed: slower with the old configuration, or wrong, and faster with another one is said, with what records that; a budget without time for it.
# covers: cmd_gate.c gate_retune.c gate_measure.c gate_record.c
mkdir -p tree/kernels scratch
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" tree/kernels
export ASCTUNE_DB="$PWD/g.db" ASCTUNE_CACHE_DIR="$PWD/cache" TMPDIR="$PWD/scratch"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME GITHUB_ACTIONS GITHUB_STEP_SUMMARY
cd tree
# so many passes over the elements, each written and read back
sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < (20); pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' kernels/axpy/kernel.c
git init -q -b main && git add -A && git -c user.name=t -c user.email=t@localhost commit -q -m first
shape() { sed -E '/^base/d; /^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d; s/[+-][0-9.]+ %/RATIO/g; s/, [0-9.]+ m?s$/, TIME/; s/(BLOCK=[0-9]+,)?(THREADS=[12],)?UNROLL=[24](,THREADS=[12])?/OTHER/g; s/; wrong.*/; wrong/'; }
gate() { asctune gate -D cpu kernels "$@" >../out 2>../err; echo "exit $?"; shape <../out; shape <../err; }
echo '--- slower, and faster'
sed -i 's/pass < (20)/pass < (UNROLL == 1 ? 80 : 2)/' kernels/axpy/kernel.c
gate --retune
# A busy machine may leave it undecided.
for try in 1 2 3; do
	rm -f ../sides.db*
	asctune gate -D cpu kernels --retune --json --markdown ../r.md --db ../sides.db >../json 2>/dev/null
	grep -q '"retuned":.*"verdict":"faster"' ../json && break
done
grep -oE '"verdict":"slower"|"retuned":\{"config":\{"BLOCK":[^}]*\},"config_key":"[^"]*","verdict":"faster","ratio":0' ../json | sed 's/"config":{[^}]*},//' | shape
rm ../json
grep '^|.*slower' ../r.md | shape
# what was found is not recorded
sqlite3 ../sides.db "select strategy, count(*) from run group by 1" "select count(*) from trial" "select distinct config_key like '%UNROLL=1%' from trial" 2>&1
$(sed -n 's/^to record.*: asctune/asctune/p' ../out) >/dev/null 2>&1
sqlite3 ../g.db "select count(*) from run" "select distinct config_key like '%UNROLL=1%' from best"
rm ../g.db
echo '--- wrong, and right'
sed -i 's/+ y\[i\]/+ (UNROLL > 1 ? 1 : 2) * y[i]/' kernels/axpy/kernel.c
gate --retune
echo '--- no time'
gate --retune --budget 1ms
ls ../scratch ..
