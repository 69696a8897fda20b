# Workloads drafted from Triton's autotuners, in files as ninetoothed, Liger-Kernel and FlagGems have them: read by python3, imported where only that tells.
# The drafts pass check-workload but for what X-todo names.
# covers: cmd_import_triton.c autotune.c autotune_workload.c
unset ASCTUNE_PYTHON
cp -r "$ROOT"/tests/cli/triton/. .
export PYTHONPATH=stub
run import-triton ninetoothed.py:application
run import-triton liger.py:_dyt_forward -o dyt.json
cat dyt.json
run check-workload dyt.json
echo 'void right(const double *x, double *y) { *y = *x; }' >right.c
sed -i -e 's/"N": null/"N": 5000/' -e 's/"shape": \["TODO"\]/"shape": ["N"]/' -e 's/"atol": "TODO", "rtol": "TODO"/"atol": 0, "rtol": 0/' \
	-e 's/^  "tensors": {/  "reference": {"source": "right.c", "entry": "right", "arguments": [{"tensor": "DG_ptr"}, {"tensor": "Y_ptr"}]},\n&/' \
	-e 's/"grid": \["TODO"\]/"grid": [1]/' -e 's/"scalar": "TODO"/"scalar": "N"/' -e 's/"HAVE_BETA": "TODO", "EVEN_N": "TODO"/"HAVE_BETA": true, "EVEN_N": "N % BLOCK_N == 0"/' dyt.json
run check-workload dyt.json
run space dyt.json --device sm_90 --list
run import-triton gems.ops.mm:mm_kernel
mkdir drafts
run import-triton gems/ops/../../prints.py:fill --output drafts/fill.json
grep -e BLOCK -e source drafts/fill.json | sed "s|$PWD|PWD|"
run import-triton changes.py:fill -o fill.json # names that are bound twice or changed: the import tells
grep -e '"BLOCK"' -e num_ -e MODE fill.json
run import-triton changes.py:zero -o zero.json
grep '"BLOCK"' zero.json
run import-triton changes.py:passed -o passed.json
grep '"BLOCK"' passed.json
run import-triton changes.py:aliased -o aliased.json
grep '"BLOCK"' aliased.json
run import-triton branches.py:fill -o branches.json
grep -e BLOCK -e arguments -e scalar branches.json
cp prints.py ke:rn.py
run import-triton ke:rn.py:fill | grep source # a path, not a module
run import-triton descriptors.py:copy -o copy.json
grep -e tensor_map -e '"tensor"' copy.json
run import-triton gems/ops/add.py:add_kernel -o by_file.json # a file of a package, with a library's autotuner; the library has a home folder to write to
run import-triton gems.ops.add:add_kernel -o by_module.json
diff by_file.json by_module.json
cat by_module.py
run import-triton generated.py:add
run import-triton liger.py:plain # without an autotuner
run import-triton gems/ops/add.py:untuned_kernel | grep -e parameters -e num_warps # a wrapper might be one: the import tells
