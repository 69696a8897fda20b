# Formulas compare dtype variables with types: tolerances, shapes, fills, flops and bytes, conditions, launches and constants, and the spaces that are exported.
# covers: binding_scope.c
mkdir -p w/axpy; cp "$WORKLOADS/axpy/reference.c" w/axpy
sed 's/const float \*x/const CTYPE_T *x/; s/const float \*y/const CTYPE_T *y/; s/float \*out/CTYPE_T *out/; s/= alpha \* x\[i\] + y\[i\]/= (CTYPE_T)(SCALE \/ 4 * alpha * x[i] + y[i])/' "$WORKLOADS/axpy/kernel.c" >w/axpy/kernel.c
sed -e 's/"dtypes": {"T": "f32"}, "tags": \["smoke"\]/"dtypes": {"T": "f32", "W": "f32"}, "tags": ["smoke"]/; s/"dtypes": {"T": "f32"}/"dtypes": {"T": "f64", "W": "bf16"}/' \
	-e "s/\"std\": 1/\"std\": \"2 if T == 'f32' else 0.5\"/; s/\"shape\": \[\"N\"\]/\"shape\": [\"N if T == 'f32' else 2 * N \/\/ 2\"]/" \
	-e "s/\"tolerance\": .*/\"tolerance\": {\"f32\": {\"atol\": \"24 * 2.0 ** -24 if W == T else -1\", \"rtol\": \"2.0 ** -23\"}, \"f64\": {\"atol\": \"2.0 ** -48 if W != T else -1\", \"rtol\": 0}}}/" \
	-e "s/\"reference\": {/\"flops\": \"2 * N if T in ['f32', 'f64'] else -1\",\n  \"bytes\": \"N * (12 if T == 'f32' else 24)\",\n  &/" \
	-e "s/\"name\": \"loop\",/&\n      \"when\": \"T in ['f32', 'f64'] and W not in ['f16']\",\n      \"constants\": {\"SCALE\": \"4.0 if T == 'f32' or W == 'bf16' else 0\", \"WIDE\": \"T == 'f64'\"},/" \
	-e "s/\"BLOCK >= 64 \* UNROLL\"/\"BLOCK == 64 or T != 'f32'\", \"WIDE or UNROLL == 1\"/" \
	-e "s/\"ceil_div(N, BLOCK)\"/\"ceil_div(N, BLOCK) if T in ['f32', W, 'f64'] else 0\"/" "$WORKLOADS/axpy.json" >w/axpy.json
run check-workload w/axpy.json
run space w/axpy.json -D cpu -p all
run space w/axpy.json -D cpu -p large --explain 'BLOCK=256,UNROLL=2,THREADS=1'
for p in small large; do
	asctune run w/axpy.json -D cpu -p "$p" --repeats 3 --db a.db --config BLOCK=64 2>&1 | grep -Eo '^  result.*|-DSCALE=[0-9.]*|-DWIDE=[0-9]'
	run export t1 w/axpy.json -D cpu -p "$p" -o "t1-$p"; grep -o '"Expression":"[^"]*"' "t1-$p"/*.json
	asctune space "t1-$p"/*.json --count
done
# a type that the file does not name, of which a formula sees the text
run run w/axpy.json -D cpu -p small --dtype W=bf16 --db a.db --config BLOCK=64
# what is no type, and names that mean two things
change() { sed "$@" w/axpy.json >w/x.json; run check-workload w/x.json; }
change "s/T in \['f32', 'f64'\] and/T in ['f32', 'float64'] and/; s/W == 'bf16'/W == 'bf61'/; s/\"BLOCK == 64 or T != 'f32'\"/\"'fp32' != T or V == 'f16'\"/"
change -e 's/"BLOCK": {/"T": {/'
change -e 's/"dims": {"N": 1000}/"dims": {"N": 1000, "W": 3}/'
change -e 's/"name": "loop",/&"tables": {"W": {"by": ["N"], "rows": [[1000, 1]]}},/'
# where one problem lacks the variable, that is the one fault
change -e 's/, "W": "bf16"}/}/'
