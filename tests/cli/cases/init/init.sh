# Skeletons of workloads: each is right by check-workload, the one in C runs, the others' kernels compile where there is a compiler; what is refused leaves nothing.
# covers: cmd_init.c skeleton.c
for language in c cuda triton; do
	run init "my-$language" --lang $language
	run check-workload "my-$language/my-$language.json"
	ls "my-$language"
	grep -l @ "my-$language"/*.json # the name stands everywhere
done
run run my-c/my-c.json --device cpu --problem small --budget 4 --json --db r.db >lines 2>&1
grep -o '^exit .*' lines
# a slow one that passes in the finals is told again
grep '"type":"trial".*"status":"\(ok\|slow\|undecided\)"' lines | grep -o '"config":{[^}]*}' | sort -u | grep -c .
run space my-cuda/my-cuda.json --device sm_90 --problem large
run space my-triton/my-triton.json --device sm_90 --problem large --json | grep -o '"valid":[0-9]*'
! command -v nvcc >/dev/null || nvcc -ptx -DTHREADS=64 -DITEMS=2 -o /dev/null my-cuda/kernel.cu
# What is there stays.
echo mine >mine
cp -r my-c kept
run init my-c --lang cuda
diff -r my-c kept && rm -r kept
run init mine --lang c
ln -s nowhere dangling
run init dangling --lang c
cat mine; ls nowhere 2>&1
# Names
for name in '' . .. ../up a/b /tmp/x all 'two words' -- 'ä' "$(printf 'a\nb\033[1m')" "$(printf '%0300d' 7)"; do
	run init --lang c "$name" 2>&1
done
run init --lang c -- -x
run init --lang fortran new
run init new
run init --lang c one two
# A disk without room
(ulimit -f 0; run init full --lang c)
ls -A
