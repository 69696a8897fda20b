# Slower kernels that a change accepts: by the message of its newest commit, by lines of .asctune-accept; and acceptances of other changes, of nothing.
# covers: cmd_gate.c gate_accept.c acceptance.c gate_ci.c
mkdir -p tree/kernels
cp -r "$WORKLOADS/axpy" tree/kernels/one
sed "s|\"name\": \"axpy\"|\"name\": \"one\"|; s|axpy/|one/|" "$WORKLOADS/axpy.json" >tree/kernels/one.json
export TMPDIR="$PWD/scratch" ASCTUNE_DB="$PWD/g.db" ASCTUNE_CACHE_DIR="$PWD/cache"
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME CI_MERGE_REQUEST_SOURCE_BRANCH_SHA GITHUB_ACTIONS GITHUB_STEP_SUMMARY
mkdir scratch
git -C tree init -q -b main
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$@"; }
shape() { sed -E '/^base/d; /^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d; s/[+-][0-9.]+ % \([^)]*\)/RATIO/; s/(RATIO accepted: .{4}).*/\1/; s/, [0-9.]+ m?s$/, TIME/; s/commit [0-9a-f]{12}/commit C/'; }
gate() { (cd tree && asctune gate -D cpu kernels -p small "$@") >out 2>err; echo "exit $?"; shape <out; shape <err; }

commit first
sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' tree/kernels/one/kernel.c
echo '--- the message of the newest commit; names of nothing, no reason'
commit slow -m "$(printf 'Slower-kernels: one/small loop \033[31mexact\033[0m now\nSlower-kernels: one/large it is so\nSlower-kernels: two/small what\nSlower-kernels: one/small')"
gate --base HEAD~1
(cd tree && asctune gate -D cpu kernels -p small --base HEAD~1 --json 2>/dev/null) | grep -oE '"accepted":("[^"]*"|[0-9]+)|"accepted_by":"commit [0-9a-f]{12}"|"slower":1' | shape
echo '--- for reviewers: the reason, and no failure'
(cd tree && GITHUB_ACTIONS=true asctune gate -D cpu kernels -p small --base HEAD~1 --markdown ../a.md --junit ../a.xml) 2>&1 | grep -c '^::'
grep -E '^(##|\| slower)' a.md | shape
grep -oE 'failures="[0-9]+" skipped="[0-9]+"|<system-out>.*' a.xml | shape
echo '--- as a CI merges it with the base; with files that are not committed; of an older commit'
git -C tree checkout -q -b target HEAD~1 && git -C tree -c user.name=t -c user.email=t@localhost merge -q --no-ff -m merged main
gate --base HEAD^1 2>&1 | sed 1q
echo '/* more */' >>tree/kernels/one/kernel.c
gate --base HEAD^1
git -C tree checkout -q . && git -C tree checkout -q main
commit later
gate --base HEAD~2
echo '--- a line of the file, not committed yet; that the base has, too; another one'
printf '# of kernels\none/small exact now' >tree/.asctune-accept
gate --base HEAD~2
commit accepted
sed -i 's/pass < 40/pass < 120/' tree/kernels/one/kernel.c
gate
printf 'one/small exact now\none/small loop: exact to the last bit\n' >tree/.asctune-accept
gate
