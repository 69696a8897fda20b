# What a checkout may be like, and what each says: clones without the base, odd names, pointers, flags that lead into the checkout, a disk that is full.
# covers: gate_list.c gate_files.c base_flags.c commit_reach.c workload_likeness.c lfs_pointer.c
export TMPDIR="$PWD/scratch" ASCTUNE_DB="$PWD/g.db" ASCTUNE_CACHE_DIR="$PWD/cache" GIT_CONFIG_GLOBAL=/dev/null
unset GITHUB_BASE_REF CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_TARGET_BRANCH_NAME
mkdir scratch tree
commit() { git -C tree add -A && git -C tree -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
shape() { sed -E 's/^base [0-9a-f]{12}/base C/; s/[+-][0-9.]+ % .*/RATIO/; s/, [0-9.]+ m?s$/, TIME/; s/(commit|`git archive) [0-9a-f]{12}/\1 C/g; s/[0-9a-f]{40}/ID/g; s/asctune-base-[^/]*/BASE/; /^ {11}[^ ]/d; /^more: /d; /^instructions are not compared/d'; }
gate() { (cd tree && asctune gate -D cpu "$@") >out 2>err; echo "exit $?"; shape <out; shape <err; }
kernel() { # NAME: a workload of that name, with sources in a folder of that name
	cp -r "$WORKLOADS/axpy" "tree/$1"
	sed "s|\"name\": \"axpy\"|\"name\": \"$1\"|; s|axpy/|$1/|" "$WORKLOADS/axpy.json" >"tree/$1.json"
}
slow() { sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < 40; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' "$1"; }
undo() { git -C tree reset -q --hard; git -C tree clean -qfd; }

kernel one
git -C tree init -q -b main
commit first
echo '--- a shallow clone without the base, and with it'
git clone -q --depth 1 "file://$PWD/tree" shallow && git -C shallow remote set-url origin "$PWD/tree"
git -C tree checkout -q -b other && echo '/* other */' >>tree/one/kernel.c && commit other && git -C tree checkout -q main
(cd shallow && asctune gate -D cpu --base other) 2>&1 | shape
(cd shallow && GITHUB_BASE_REF=other asctune gate -D cpu) 2>&1 | shape
(cd shallow && git fetch -q --no-tags --unshallow origin '+refs/heads/other:refs/remotes/origin/other' 2>&1 && GITHUB_BASE_REF=other asctune gate -D cpu) 2>&1 | shape
echo '--- folders that were never fetched, and how they are'
git -C tree config uploadpack.allowFilter true
git clone -q --filter=tree:0 --branch other "file://$PWD/tree" treeless 2>/dev/null
(cd treeless && asctune gate -D cpu --base HEAD~1) 2>&1 | shape
(cd treeless && git archive HEAD~1 >/dev/null 2>&1 && asctune gate -D cpu --base HEAD~1) 2>&1 | shape
echo '--- a folder that is gone, and a file of it; a workload that the base has damaged'
mkdir -p tree/sub/of && cp -r tree/one tree/one.json tree/sub/of && commit sub && rm -r tree/sub
gate sub/of; gate sub/of/one.json; gate sub/of/; gate sub/none; gate none/../one.json
git -C tree checkout -q sub && echo '{' >tree/sub/of/one.json && commit bad && git -C tree checkout -q HEAD~ sub
gate sub/of
git -C tree reset -q --hard HEAD~2
echo '--- other rules of verification: equal code is verified by them; a reference that is wrong now is the change'"'"'s'
sed -i 's/24 \* 2.0 \*\* -24/1.0/' tree/one.json
gate
sed -i 's/"atol": "1.0", "rtol": "[^"]*"/"atol": "0.0", "rtol": "0.0"/' tree/one.json
gate | sed 's/: out: .*//'
undo
sed -i 's/= alpha/= 3 * alpha/' tree/one/reference.c
gate | sed 's/: out: .*//'
undo
echo '--- a reference that does not build, or crashes: broken, and failing where the base has it too'
echo 'nonsense' >>tree/one/reference.c
gate | sed 's/reference.c:.*//'
commit reference
slow tree/one/kernel.c && sed -i 's/pass < 40/pass < 42/' tree/one/kernel.c
gate | sed 's/reference.c:.*//'
git -C tree checkout -q . && git -C tree reset -q --hard HEAD~1
sed -i '0,/{/s//{ *(volatile int *)0 = 1;/' tree/one/reference.c
gate | sed 's/crashed: .*/crashed/'
undo
echo '--- a reference that hangs takes the budget, and 10 s at least'
sed -i '0,/{/s//{ for (volatile int hangs = 1; hangs;);/' tree/one/reference.c
gate --budget 1s | sed 's/took longer.*/took longer/; /^load /d'
undo
echo '--- a workload that neither tree can read stops no other; alone it is bad input'
echo '{' >tree/damaged.json && commit damaged
echo '/* new */' >>tree/one/kernel.c
gate | sed 's/damaged.json:.*/damaged.json/'; gate damaged.json | sed 's/damaged.json:.*/damaged.json/'
undo
git -C tree reset -q --hard HEAD~1
echo '--- a file that several paths lead to is one'
git -C tree checkout -q main && ln -s . tree/itself
gate . one.json ./one.json one/../one.json itself "$PWD/tree"
undo
echo '--- no kernel; no name of a base'
gate -p none; gate --impl none; gate -p none --impl none
sed -i 's/"devices": \["cpu"\]/"devices": ["npu"]/' tree/one.json
gate; gate --base ''
undo
echo '--- a detached HEAD'
git -C tree checkout -q --detach
gate
git -C tree checkout -q main
echo '--- names of files with the end of a line, blanks and quotes'
echo text >"tree/one/$(printf 'a\nb')"
odd='b "c" %d'
mv tree/one "tree/$odd" && sed -i 's|one/|b \\"c\\" %d/|' tree/one.json
commit odd
slow "tree/$odd/kernel.c"
gate
git -C tree reset -q --hard
odd="$(printf 'a\nb')"
mv 'tree/b "c" %d' "tree/$odd" && sed -i 's|b \\"c\\" %d|a\\nb|' tree/one.json
gate
undo
git -C tree reset -q --hard HEAD~1
echo '--- a workload under another name, with its folder: the base is found'
git -C tree mv one uno && git -C tree mv one.json uno.json && sed -i 's|"one"|"uno"|; s|one/|uno/|' tree/uno.json
gate
gate uno.json
slow tree/uno/kernel.c
gate
undo
echo '--- pointers of Git LFS: a source, a workload; the base, where the repository has the file'
pointer="$(printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' "$(sha256sum tree/one/kernel.c | cut -d' ' -f1)" "$(wc -c <tree/one/kernel.c)")"
cp tree/one/kernel.c kernel.c
echo "$pointer" >tree/one/kernel.c
gate
commit pointer
gate --base HEAD~1
gate
cp kernel.c tree/one/kernel.c
gate
oid=$(sha256sum kernel.c | cut -d' ' -f1)
mkdir -p "tree/.git/lfs/objects/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)" && cp kernel.c "tree/.git/lfs/objects/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)/$oid"
gate
echo "$pointer" >tree/one.json
gate
undo
git -C tree reset -q --hard HEAD~1
echo '--- flags that lead into the checkout: by an absolute path, from the current folder'
mkdir tree/include && echo '#define PASSES 1' >tree/include/passes.h
sed -i '1i #include "passes.h"' tree/one/kernel.c
sed -i 's/for (int64_t i = first;/for (int pass = 0; pass < PASSES; pass++) for (int64_t i = first;/; s/out\[i\] = alpha \* x\[i\] + y\[i\];/{ out[i] = alpha * x[i] + y[i]; __asm__ volatile("" ::: "memory"); }/' tree/one/kernel.c
for flag in "-I$PWD/tree/include" -Iinclude; do
	sed -i "s|\"builder\": \"cc\",|&\n      \"flags\": [\"$flag\"],|" tree/one.json
	commit flags
	gate
	echo '#define PASSES 40' >tree/include/passes.h
	gate
	undo
	git -C tree revert --no-commit HEAD 2>/dev/null && git -C tree checkout -q HEAD -- include one && sed -i '/"flags"/d' tree/one.json && commit flagless
done
git -C tree reset -q --hard HEAD~4 && git -C tree clean -qfd
echo '--- a default that fails, without a record; what the base lacks; nothing that runs here'
sed -i 's/^{$/{ if (n > 0) __builtin_trap();/' tree/one/kernel.c
commit trap
sed -i 's/n > 0/n > 1/' tree/one/kernel.c
gate
undo
rm tree/one/kernel.c
gate
git -C tree reset -q --hard HEAD~1
rm tree/one/kernel.c
gate
undo
gate --problem large
echo '--- what is full: the folder of the base'
mkdir "tree/weights" && head -c 3000000 /dev/zero >tree/weights/w.h && sed -i '1i #define W 1\n#ifdef NEVER\n#include "../weights/w.h"\n#endif' tree/one/kernel.c && commit large
(ulimit -f 1000; gate)
git -C tree reset -q --hard HEAD~1
echo '--- a stranger: what leads out of the folder of the workload, which the base may do; a flag that does more; a link'
mv tree/one/kernel.c tree/../outside.c && cp outside.c tree/one/kernel.c
mkdir tree/common && cp tree/one/kernel.c tree/common/kernel.h && mkdir tree/sub && mv tree/one tree/one.json tree/sub
echo '#include "../../common/kernel.h"' >tree/sub/one/kernel.c
commit common
gate sub --untrusted
echo '/* */' >>tree/common/kernel.h
gate sub
undo
cp outside.c tree/sub/one/kernel.c
gate sub --untrusted
sed -i 's|"builder": "cc",|&\n      "flags": ["-fplugin=x.so"],|' tree/sub/one.json
gate sub --untrusted
undo
ln -sf ../../../outside.c tree/sub/one/kernel.c
gate sub --untrusted
undo
git -C tree reset -q --hard HEAD~1
echo '--- a submodule that a kernel includes from: its files are those of the commit that the base names'
git init -q lib && echo '#define PASSES 1' >lib/passes.h && git -C lib add -A && git -C lib -c user.name=t -c user.email=t@localhost commit -q -m lib
git -C tree -c protocol.file.allow=always submodule --quiet add "$PWD/lib" lib
slow tree/one/kernel.c && sed -i '1i #include "../lib/passes.h"' tree/one/kernel.c && sed -i 's/pass < 40/pass < PASSES/' tree/one/kernel.c
commit submodule
gate
echo '#define PASSES 40' >tree/lib/passes.h
gate
git -C tree/lib checkout -q . && git -C tree reset -q --hard HEAD~1 2>/dev/null; rm -rf tree/lib
echo '--- two at once that build and measure'
slow tree/one/kernel.c && sed -i 's/pass < 40/pass < 41/' tree/one/kernel.c
(cd tree && asctune gate -D cpu >../second 2>&1; echo "exit $?" >>../second) &
gate | sed 's/[01] built/one of both built/'
wait $!
shape <second | sed 's/[01] built/one of both built/'
undo
echo '--- nothing is left'
ls scratch; git -C tree status --short
