# check-workload: several mistakes of one file at once, a condition that nothing meets, a grid of 0; other names of element types.
# covers: cmd_check.c workload_open.c
cp -r "$WORKLOADS/axpy" .
change() { sed "$@" "$WORKLOADS/axpy.json" >w.json; run check-workload w.json; }
change -e 's/"name": "small", "dims": {"N": 1000}/"name": "small", "dims": {"N": "many"}/' -e 's/"entry": "axpy",/& "index": "first",/' -e 's/"N": 100000/"M": 1/'
change -e 's/"role": "in", "fill": {"kind": "normal"/"role": "in", "fill": {"kind": "gauss"/' -e 's/"low": -1/"lo": -1/'
change -e 's/"T": "f32"/"T": "float32"/'
change -e 's/"dtype": "T", "role": "in"/"dtype": "float", "role": "in"/'
# Triton kernels are looked at where an interpreter is named
run check-workload --python /nowhere/python3 "$ROOT/workloads/softmax.json" 2>&1 | sed "s|$ROOT/||"
# one interpreter for GPUs and for NPUs: the kernel for the one is looked at by the rules of its own compiler, whatever became of the other
python3 - "$ROOT/tests/data/npu/copy.json" >both.json <<'END'
import json, sys
w = json.load(open(sys.argv[1]))
npu = w["implementations"][0]
w["implementations"].insert(0, {**npu, "name": "gpu", "devices": ["cuda"], "memory": {}})
del w["problems"][0]["devices"]
json.dump(w, sys.stdout)
END
cp -r "$ROOT/tests/data/npu/copy" "$ROOT/tests/data/npu/python" . && sed -i 's/3.2.0/3.4.0/' python/triton/__init__.py
PYTHONPATH="$PWD/python" TRITON_NPU_COMPILER_PATH="$ROOT/tests/data/npu/compiler" run check-workload --python python3 --python-npu python3 both.json
# names of formulas that are not known, all at once; one that several problems have is told for the first
change -e 's/"BLOCK >= 64 \* UNROLL"/"BLOK >= 64 * UNROLL"/' -e 's/"ceil_div(N, BLOCK)"/"ceil_div(M, BLOCK)"/' -e 's/"scalar": "N"/"scalar": "TODO"/'
change -e 's/"BLOCK >= 64 \* UNROLL"/"BLOCK > 5000"/'
change -e 's/"ceil_div(N, BLOCK)"/"N \/\/ 2000"/'
change -e 's/"small"/"small"/'
# one text of a condition that reads another parameter for another size, and leaves nothing there
change -e 's/"name": "small", .*/"name": "small", "dims": {"N": 1}, "dtypes": {"T": "f32"}, "devices": ["cpu"]}, {"name": "ten", "dims": {"N": 10}, "dtypes": {"T": "f32"}, "devices": ["cpu"]},/; s/"BLOCK >= 64 \* UNROLL"/"(BLOCK if N > 5 else UNROLL) > 2"/; s/"BLOCK \* THREADS <= 1024"/"BLOCK < 2"/; s/\[64, 256, 1024\], "default": 256/[1, 2, 4], "default": 1/; s/"UNROLL": \[1, 2, 4\]/"UNROLL": {"values": [1, 2, 4], "default": 4}/'
# what a library calls things, and a library that an exporter may have been meant by
change -e 's/{"operator": "Axpy"}/{"operator": "Axpy", "size": {"n": "N"}}/'
change -e 's/{"operator": "Axpy"}/{"operator": "Axpy", "sizes": {"n": "M"}}/'
change -e 's/"example": {/"infinops": {/'
# an index is that of a kernel of the operator's library, installed or around the workload
change -e 's/"entry": "axpy",/& "index": 0,/'
mkdir -p lib/w && cp -r axpy lib && sed 's|"axpy/|"../axpy/|' w.json >lib/w/w.json && run check-workload lib/w/w.json
# explain: all that is missing at once, blanks after commas, exit status 1 for what is not valid
run space "$WORKLOADS/axpy.json" -p small --explain BLOCK=64
run space "$WORKLOADS/axpy.json" -p small --explain 'BLOCK=64, UNROLL=4, THREADS=1'
run space "$WORKLOADS/axpy.json" -p small --explain 'BLOCK=64, UNROLL=1, THREADS=1'

# several mistakes in one part, none of which hides another
change -e 's/"N": 1000}/"N": null, "M": null}/; s/"tags"/"tagz"/; s/"role": "in", "fill": {"kind": "normal"/"role": "inn", "fill": {"kind": "gauss"/; s/"arguments": \[$/"argumnets": [/; s/"UNROLL": \[1, 2, 4\]/"UNROLL": [1, 1]/; s/"name": "axpy",//'
change -e 's/{"tensor": "x"}/{"tensor": "xx"}/; s/{"tensor": "y"}/{"tensor": "yy"}/; s/"kind": "allclose"/"kind": "near"/'
