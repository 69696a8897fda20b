#!/bin/sh
# What ninetoothed 0.26.0 generates for a product of matrices, drafted by import-triton: the launcher that it generates beside the kernel tells grid, sizes and
# strides, so that sizes, tolerances and a reference are left to fill in. Needs $ASCTUNE_PYTHON with ninetoothed: pip install ninetoothed==0.26.0.
# covers: autotune.c autotune_workload.c
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASCTUNE_BUILD:-$root/build/dev}
python=${ASCTUNE_PYTHON:-python3}
work=$(mktemp -d "${TMPDIR:-/tmp}/asctune-ninetoothed.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cp "$root/tests/consumers/ninetoothed_product.py" "$work/generate.py" && cd "$work" || exit 1
export ASCTUNE_CACHE_DIR="$work/cache"
if ! HOME=$work "$python" -c 'import ninetoothed' 2>log; then
	echo "1..0 # SKIP $python has no ninetoothed"
	exit 0
fi
n=0
check() { # NAME WANTED HAVE
	n=$((n + 1))
	[ "$2" = "$3" ] && echo "ok $n - $1" || printf 'not ok %s - %s\n# wanted: %s\n# have: %s\n' "$n" "$1" "$2" "$3"
}

HOME=$work "$python" -W ignore generate.py product.py >log 2>&1
check "it generates a kernel" 0 $?
"$build/asctune" import-triton product.py:product --python "$python" -o product.json >log 2>&1
check "it is drafted" 0 $?
check "sizes, three tensors' types and the reference are left" "5 things" "$(grep -o '[0-9]* things' log)"
# 128 x 64 by 64 x 32.
sed -i -e 's/tensor_0_size_0": null/tensor_0_size_0": 128/; s/tensor_0_size_1": null/tensor_0_size_1": 64/' \
	-e 's/tensor_1_size_0": null/tensor_1_size_0": 64/; s/tensor_1_size_1": null/tensor_1_size_1": 32/' \
	-e 's/tensor_2_size_0": null/tensor_2_size_0": 128/; s/tensor_2_size_1": null/tensor_2_size_1": 32/' \
	-e 's/"atol": "TODO", "rtol": "TODO"/"atol": 1e-4, "rtol": 1e-4/' \
	-e 's/^  "tensors": {/  "reference": {"source": "right.c", "entry": "right", "arguments": [{"tensor": "PRODUCT"}]},\n&/' product.json
sed -i "s/PRODUCT/$(grep -o '[a-z_]*tensor_2_pointer' product.json | head -n 1)/" product.json
echo 'void right(double *c) { *c = 0; }' >right.c
"$build/asctune" check-workload product.json --python "$python" >log 2>&1
check "nothing else is open, and the kernel takes what is passed" 0 $?
check "all configurations, and no others" "$(grep -o 'triton.Config' product.py | wc -l)" "$("$build/asctune" space product.json --device sm_90 --count)"
check "a program for each block of the output" 4 "$("$python" - <<'PY'
import json

made = json.load(open("product.json"))
names = {**made["problems"][0]["dims"], **{name: 64 if name.endswith("0") else 16 for name in made["implementations"][0]["parameters"]}}
print(eval(made["implementations"][0]["launch"]["grid"][0], names))
PY
)"
echo "1..$n"
