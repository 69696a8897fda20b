# The budget of a gate goes to the kernels that take the most time: by a file, else by what is on record; what it does not reach is named.
# covers: gate_weights.c gate_measure.c
mkdir -p tree/kernels
for k in one two; do
	cp -r "$WORKLOADS/axpy" tree/kernels/$k
	sed "s|\"name\": \"axpy\"|\"name\": \"$k\"|; s|axpy/|$k/|" "$WORKLOADS/axpy.json" >tree/kernels/$k.json
done
export ASCTUNE_DB="$PWD/g.db"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME
git -C tree init -q -b main && git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m first
sed -i 's/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' tree/kernels/*/kernel.c
gate() { (cd tree && asctune gate -D cpu -p small --budget 1ms kernels "$@") 2>&1 | grep -o '[a-z]*/small loop  the budget ended before'; }
gate
echo '{"two/small": 2, "one/small loop": 1}' | gate --weights -
(cd tree && asctune run kernels/two.json -D cpu -p small --budget 1 >/dev/null 2>&1)
gate
asctune best --json >times
gate --weights "$PWD/times"
echo 'one/small,nothing' | run gate --weights - tree/kernels | grep -v base
