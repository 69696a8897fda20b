# An implementation of three calls, which share two scratch tensors: built each on its own, run as one launch; and what a call of several may do wrong.
# covers: workload_calls.c kernel_build.c
cat >reference.c <<'END'
#include <math.h>
#include <stdint.h>
void mlp(const double *x, const double *a, const double *b, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++) out[i] = x[i] * a[i] / (1 + exp(-x[i] * a[i])) * x[i] * b[i];
}
END
cat >product.c <<'END'
#include <stdint.h>
void product(const float *x, const float *w, float *out, int64_t n)
{
	for (int64_t i = 0; i < n; i += STEP)
		for (int64_t k = 0; k < STEP; k++) out[i + k] = x[i + k] * w[i + k];
}
END
cat >join.c <<'END'
#include <math.h>
#include <stdint.h>
void join(const float *gate, const float *up, float *out, int64_t n)
{
	for (int64_t i = 0; i < n; i += WIDTH)
		for (int64_t k = 0; k < WIDTH; k++) out[i + k] = gate[i + k] / (1 + expf(-gate[i + k])) * up[i + k];
}
END
cat >w.json <<'END'
{"asctune": 1, "name": "mlp", "operator": "mlp",
 "problems": [{"name": "p", "dims": {"N": 4104}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in"}, "a": {"shape": ["N"], "dtype": "T", "role": "in"}, "b": {"shape": ["N"], "dtype": "T", "role": "in"},
             "out": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "allclose", "tolerance": {"f32": {"atol": 1e-6, "rtol": 1e-5}}}}},
 "reference": {"source": "reference.c", "entry": "mlp", "arguments": [{"tensor": "x"}, {"tensor": "a"}, {"tensor": "b"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "three", "devices": ["cpu"],
   "parameters": {"STEP": [1, 4], "WIDTH": [1, 8]},
   "scratch": {"gate": {"shape": ["N"], "dtype": "T"}, "up": {"shape": ["N"], "dtype": "T"}},
   "calls": [
     {"source": "product.c", "entry": "product", "parameters": ["STEP"], "arguments": [{"tensor": "x"}, {"tensor": "a"}, {"tensor": "gate"}, {"scalar": "N", "type": "i64"}]},
     {"source": "product.c", "entry": "product", "parameters": ["STEP"], "arguments": [{"tensor": "x"}, {"tensor": "b"}, {"tensor": "up"}, {"scalar": "N", "type": "i64"}]},
     {"source": "join.c", "entry": "join", "parameters": ["WIDTH"], "arguments": [{"tensor": "gate"}, {"tensor": "up"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}]}
   ]}]}
END
export ASCTUNE_CACHE_DIR="$PWD/cache"
field() { sed -n "s/.*\"type\":\"trial\",.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$2"; }
run() { # WORKLOAD [OPTION...]
	file=$1
	shift
	asctune run "$file" --device cpu --cache hot --repeats 3 --jobs 2 --strategy exhaustive --budget all --db t.db --json "$@" >lines 2>err
	echo "exit $?"
	sed 's/^asctune: //' err | grep -v '^mlp\|%\|^$' | cut -c1-200
}
status() { field status lines | sort | uniq -c | sed 's/^ *//'; }

echo "- four configurations, of four objects"
run w.json
status
find cache/artifacts -name '*.so' | wc -l
field artifact lines | sort -u | wc -l
grep -o '"name":"kernels_ns"' lines | sort | uniq -c | sed 's/^ *//'
sqlite3 t.db "SELECT DISTINCT s.key FROM implementation i, json_each(i.sources) s ORDER BY 1"

echo "- again: nothing is built"
run w.json
grep -c '"cached":true' lines

echo "- the first call's artifact is damaged: it is built again"
for file in $(find cache/artifacts -name '*.so'); do tail -c +100 "$file" >part && mv part "$file"; done
run w.json
status

echo "- one configuration: its calls are shown, and reproduced"
asctune run w.json --device cpu --cache hot --repeats 3 --config STEP=4,WIDTH=8 --db t.db 2>/dev/null | grep -c 'fvisibility=hidden'
asctune run w.json --device cpu --cache hot --repeats 3 --config STEP=4,WIDTH=8 --db t.db --json 2>/dev/null | grep -o '"calls":\[{"build_command"' | sort -u
asctune reproduce "$(sqlite3 t.db "SELECT max(id) FROM trial WHERE status = 'ok'")" --db t.db 2>/dev/null | grep -o 'built  *the same bytes, [0-9]* ' | sed 's/[0-9][0-9]*/N/'

echo "- after an edit: what was recorded is measured beside what is built now, unless it is gone"
sed 's/expf(-gate\[i + k\])/expf(0 - gate[i + k])/' join.c >edited.c && cp join.c kept.c
trial=$(sqlite3 t.db "SELECT max(id) FROM trial WHERE status = 'ok'")
beside() {
	asctune reproduce "$trial" --db t.db 2>/dev/null | grep -c 'beside .* against the recorded artifact'
}
cp edited.c join.c
beside
rm cache/artifacts/*/*.sum
beside
cp kept.c join.c

echo "- its space as a T1 file has all kernels"
asctune export t1 w.json --device cpu -o spaces >/dev/null 2>&1
grep -ho '"KernelName": *"[^"]*"\|"Calls"' spaces/* | tr '\n' ' ' | sed 's/ $/\n/'

broken() { # NAME SED: the last call is edited
	echo "- $1"
	sed "$2" join.c >broken.c
	sed 's/join\.c/broken.c/' w.json >broken.json
	judge broken.json
}
judge() { # WORKLOAD
	run "$1"
	status
	sed -n 's/.*"type":"trial",.*"reason":"\([^"]*\)".*/\1/p' lines | sed 's/cc exited.*//; s/signal [0-9]*.*/signal/' | sort | uniq -c | sed 's/^ *//' | cut -c1-120
}
broken "a call is not compiled" 's/gate\[i + k\] \//gone[i + k] \//'
broken "a call crashes" 's/^{/{ if (n) *(volatile int *)0 = 1;/'
broken "a call exits" 's/^{/{ _Exit(3);/; 1i #include <stdlib.h>'
echo "- a call hangs"
sed 's/^{/{ for (volatile int k = 0; k < 1;) ;/' join.c >broken.c
asctune run broken.json --device cpu --cache hot --limit 500ms --config STEP=1,WIDTH=8 --db t.db 2>/dev/null | sed -n 's/^  result  *//p'
broken "a call crashes as it is loaded" '1i #include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { _Exit(3); }'
broken "a call writes past the end of a scratch tensor" 's/^{/{ ((float *)gate)[n + 2] = 1;/'
broken "a call writes before the start of a scratch tensor" 's/^{/{ ((float *)gate)[-1] = 1;/'
echo "- the reader comes before a writer"
awk '/product\.c.*"gate"/ { held = $0; sub(/,$/, "", held); next } { print } /join\.c/ { print ","; print held }' w.json >order.json
judge order.json

bad() { # SED: the workload, so edited, is refused
	sed "$1" w.json >bad.json
	asctune check-workload bad.json 2>&1 | head -n 1 | cut -c1-220
}
echo "- refused files"
bad 's/"scratch": {"gate"/"scratch": {"spare": {"shape": ["N"], "dtype": "T"}, "gate"/'
bad 's/"scratch": {"gate": {"shape": \["N"\]/"scratch": {"gate": {"shape": ["M"]/'
bad 's/"scratch": {"gate": {"shape": \["N"\], "dtype": "T"}/"scratch": {"gate": {"shape": ["N"], "dtype": "T", "fill": 0}/'
bad 's/"scratch": {"gate"/"scratch": {"x": {"shape": ["N"], "dtype": "T"}, "gate"/'
bad 's/\["WIDTH"\], "arg/["WIDHT"], "arg/'
bad 's/\["WIDTH"\], "arg/["WIDTH", "WIDTH"], "arg/'
bad 's/"scratch": {"gate": {"shape": \["N"\]/"scratch": {"gate": {"shape": ["N - 5000"]/'
bad 's/"source": "join.c", "entry"/"source": "join.c", "launch": {"block": [4]}, "entry"/'
bad 's/{"tensor": "gate"}, {"tensor": "up"}, {"tensor": "out"}/{"tensor": "gait"}, {"tensor": "up"}, {"tensor": "out"}/'
bad 's/{"tensor": "gate"}, {"tensor": "up"}, {"tensor": "out"}/{"tensor": "gate"}, {"tensor": "up"}, {"tensor": "up"}/'
bad 's/"devices": \["cpu"\],/"source": "join.c",/'
bad '/"source": "product/d; /"source": "join/d'
bad 's/"calls": \[/"X-calls": [/'
bad 's/"source": "join.c", "entry"/"source": "join.c", "name": "join", "entry"/'
cp join.c join.cu
bad 's/"source": "join.c"/"source": "join.cu"/'
echo "- a stranger's: each call is looked at"
untrusted() { # SED
	sed "$1" w.json >bad.json
	asctune check-workload --untrusted bad.json 2>&1 | sed "s|$PWD|HERE|g" | head -n 1 | cut -c1-200
}
mkdir -p ../out && cp join.c ../out/
untrusted 's/"source": "join.c"/"source": "..\/out\/join.c"/'
untrusted 's/"entry": "join"/"entry": "join", "flags": ["-fplugin=x.so"]/'
untrusted 's/ / /'
rm -rf ../out
