# A checkout beside its base: what is unchanged is not built, equal code is not launched, the rest is measured; and what is no checkout.
# covers: cmd_gate.c gate_list.c gate_builds.c gate_measure.c gate_text.c
mkdir -p tree/kernels
for k in one two three; do
	cp -r "$WORKLOADS/axpy" tree/kernels/$k
	sed "s|\"name\": \"axpy\"|\"name\": \"$k\"|; s|axpy/|$k/|" "$WORKLOADS/axpy.json" >tree/kernels/$k.json
done
# builds are counted: no other case has the cache
export TMPDIR="$PWD/scratch" ASCTUNE_DB="$PWD/g.db" ASCTUNE_CACHE_DIR="$PWD/cache"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME GITHUB_ACTIONS GITHUB_STEP_SUMMARY
mkdir scratch
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
# ids and times are the machine's; so are ratios and what follows a figure; what changed in the code is the compiler's (gate_code.sh)
shape() { sed -E 's/^base [0-9a-f]{12}/base C/; s/[+-][0-9.]+ % .*/RATIO/; s/, [0-9.]+ m?s$/, TIME/; s/commit [0-9a-f]{12}/commit C/; s/[0-9a-f]{40}/ID/g; /^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d'; }
gate() { (cd tree && asctune gate -D cpu "$@") >out 2>err; echo "exit $?"; shape <out; shape <err; }
# twice the work and more: each element is written, read back by a barrier, and written again
slow() { sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' "$1"; }

echo '--- no checkout, no commit'
gate kernels
git -C tree init -q -b main
gate kernels
commit first
echo '--- nothing changed: no build, no launch'
gate kernels
echo '--- a comment alone: equal code is not launched, but with --all, as is what has no change'
sed -i '1i /* a comment */' tree/kernels/one/kernel.c
gate kernels
all() { (cd tree && asctune gate -D cpu kernels --all "$@") 2>&1; }
all >out; grep -oE '(one|three)/small loop' out | sort; grep -oE '[0-9]+ built, [0-9]+ measured' out
all --json --problem small | grep -oE '"equal":true|"measured":[0-9]+'
git -C tree checkout -q .
echo '--- slower; and faster than HEAD, which is no ancestor of the base'
slow tree/kernels/two/kernel.c
gate kernels
commit slow
gate kernels --base HEAD~1
git -C tree checkout -q HEAD~1
gate kernels --base main
git -C tree checkout -q main
git -C tree reset -q --hard HEAD~1
echo '--- wrong, does not build; a base that was; both'
sed -i 's/alpha \* x\[i\] + y\[i\]/alpha * x[i] - y[i]/' tree/kernels/one/kernel.c
echo 'nonsense' >>tree/kernels/three/kernel.c
gate kernels
commit broken
gate kernels --base HEAD
git -C tree checkout -q HEAD~1 -- kernels
gate kernels
echo '--- both: another comment in what does not build'
git -C tree checkout -q HEAD -- kernels
sed -i '1i /* a comment */' tree/kernels/three/kernel.c
gate kernels
git -C tree reset -q --hard HEAD~1
echo '--- new, gone, renamed; sizes that differ; another default'
git -C tree mv kernels/one.json kernels/first.json
rm tree/kernels/two.json
sed -i 's/"N": 1000/"N": 2000/' tree/kernels/three.json
sed 's/"three"/"four"/; s/"operator": "axpy"/"operator": "scale"/' tree/kernels/three.json >tree/kernels/four.json
gate kernels
mkdir tree/kernels/five && sed 's/alpha \* x/x/' tree/kernels/one/kernel.c >tree/kernels/five/kernel.c && cp tree/kernels/one/[!k]* tree/kernels/five
sed 's|"four"|"five"|; s|three/kernel|five/kernel|' tree/kernels/four.json >tree/kernels/five.json
gate kernels/four.json kernels/five.json
gate kernels/two.json
git -C tree reset -q --hard && git -C tree clean -qfd
echo '--- the best on record; the nearest where a tree does not have it'
(cd tree && asctune run kernels/one.json -D cpu --budget 3 --seed 1 >/dev/null 2>&1)
sqlite3 g.db "select config_key from final where winner" >winner
sed -i '1i /* a comment */' tree/kernels/one/kernel.c
(cd tree && asctune gate -D cpu kernels/one.json --json) >out
grep -o '"recorded":true' out; [ "$(grep -o '"head_config":"[^"]*"' out | cut -d'"' -f4)" = "$(cat winner)" ] && echo 'the winner'
sed -i 's/"values": \[64, 256, 1024\], "default": 256/"values": [128, 512], "default": 512/' tree/kernels/one.json
(cd tree && asctune gate -D cpu kernels/one.json --json) >out
[ "$(grep -o '"base_config":"[^"]*"' out | cut -d'"' -f4)" = "$(cat winner)" ] && echo 'the winner in the base'
grep -oE '"recorded":[a-z]*|"head_config":"[^"]*"|"note":"[^"]*"' out | sed 's/UNROLL=[0-9]*/UNROLL=U/; s/BLOCK=\(128\|512\)/BLOCK=N/'
git -C tree reset -q --hard
echo '--- what is left out of the base; a merge with conflicts'
git init -q sub && git -C sub -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m sub
git -C tree -c protocol.file.allow=always submodule --quiet add "$PWD/sub" kernels/one/sub
ln -s /etc/passwd tree/kernels/one/out.h
commit links
gate kernels
git -C tree checkout -q -b other HEAD~1 2>/dev/null; rm -rf tree/kernels/one/sub; echo '/* other */' >>tree/kernels/one/kernel.c && commit other 2>/dev/null
git -C tree checkout -q main 2>/dev/null; echo '/* main */' >>tree/kernels/one/kernel.c && commit main
git -C tree -c user.name=t -c user.email=t@localhost merge -q other >/dev/null 2>&1
gate kernels/two.json
gate kernels/one.json
git -C tree merge --abort
echo '--- two at once; JSON; two checkouts; a name that is no commit'
(cd tree && asctune gate -D cpu kernels --json >../second 2>&1) &
gate kernels
wait $!
grep -oE '"type":"gate","base":"[0-9a-f]{40}"' second | shape; grep -oE '"unchanged":3,"built":0,"measured":0' second
gate kernels ../sub
gate kernels --base none
gate none.json
echo "--- for a stranger: a database that the checkout may bring is not read; not without the sandbox"
(unset ASCTUNE_DB; cd tree; cp ../g.db asctune.db; asctune gate -D cpu kernels --untrusted >../out 2>../err; echo "exit $?"; shape <../out; shape <../err; rm asctune.db)
gate kernels --untrusted --trust
echo '--- nothing is left'
ls scratch
