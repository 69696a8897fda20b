# check-workload: several mistakes of one file at once, a condition that nothing meets, a grid of 0; other names of element types.
cp -r "$WORKLOADS/axpy" .
change() { sed "$@" "$WORKLOADS/axpy.json" >w.json; run check-workload w.json; }
change -e 's/"name": "small", "dims": {"N": 1000}/"name": "small", "dims": {"N": "many"}/' -e 's/"index": 0/"index": "first"/' -e 's/"N": 100000/"M": 1/'
change -e 's/"role": "in", "fill": {"kind": "normal"/"role": "in", "fill": {"kind": "gauss"/' -e 's/"low": -1/"lo": -1/'
change -e 's/"T": "f32"/"T": "float32"/'
change -e 's/"dtype": "T", "role": "in"/"dtype": "float", "role": "in"/'
change -e 's/"BLOCK >= 64 \* UNROLL"/"BLOCK > 5000"/'
change -e 's/"ceil_div(N, BLOCK)"/"N \/\/ 2000"/'
change -e 's/"small"/"small"/'
# explain: all that is missing at once, blanks after commas, exit status 1 for what is not valid
run space "$WORKLOADS/axpy.json" -p small --explain BLOCK=64
run space "$WORKLOADS/axpy.json" -p small --explain 'BLOCK=64, UNROLL=4, THREADS=1'
run space "$WORKLOADS/axpy.json" -p small --explain 'BLOCK=64, UNROLL=1, THREADS=1'
