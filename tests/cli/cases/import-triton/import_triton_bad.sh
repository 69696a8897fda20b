# Files that cannot be imported from, by python3: each is named with the reason, and nothing is written.
# covers: autotune.c cmd_import_triton.c
unset ASCTUNE_PYTHON
cp -r "$ROOT"/tests/cli/triton/. .
mv syntax.txt syntax.py
for module in ast json os re; do echo 'open("stolen", "w")' >$module.py; done # nothing is imported from here outside of the sandbox
run list builders >/dev/null
export PYTHONPATH=stub
run import-triton liger.py:_dyt_foward -o out.json
run import-triton liger.py:nothing_like_it
run import-triton missing.py:kernel
run import-triton syntax.py:broken
missing() { # SOURCE: of nothing that is installed
	run import-triton "$1" 2>&1 | sed 's|: /[^ ]* has no|: PYTHON has no|; s|it has .*|it has NAMES|'
}
missing gems.opts.mm:mm_kernel
run import-triton gems.ops:mm_kernel
missing .:add
missing gems..ops:add
run import-triton gems/other_chip/add.py:add_kernel
run import-triton gems.other_chip.add:zero_kernel
run import-triton names.py:fill
run import-triton names.py:zero
run import-triton branches.py:zero
run import-triton branches.py:tiled
run import-triton branches.py:scaled
run import-triton misses.py:fill
run import-triton leaves.py:fill
run import-triton lacks.py:bare
run import-triton loops.py:fill
run import-triton exits.py:fill 2>&1 | sed 's/ended [^ ]*: /ended PYTHON: /'
run import-triton dies.py:fill 2>&1 | sed 's/ended [^ ]*: /ended PYTHON: /'
run import-triton hangs.py:fill --timeout 1
run import-triton writes.py:fill 2>&1 | sed "s|'[^']*written'|PATH|"
run import-triton forks.py:fill 2>&1 | tail -n 3
sed 's/BLOCK/WIDTH/g; s/def fill/def fill_npu/' prints.py | sed -n '/autotune/,$p' >>forks.py
run import-triton forks.py:fill
touch out.json
run import-triton prints.py:fill -o out.json
run import-triton prints.py
run import-triton prints.py:fill --python no-such-python
python3 -c 'print("x = " + "-" * 100000 + "1")' >deep.py
run import-triton deep.py:kernel
mkfifo pipe.py
run import-triton pipe.py:kernel
ls out.json written stolen
