# A reference, or a fill, that does not end: said once while it runs, and of a run that was stopped. The output is a file.
# covers: reference.c inputs.c
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" .
# Stops a run once it has said what it waits for.
stop() {
	: >err # what is looked at below may be looked at before the run has begun
	asctune run axpy.json -D cpu -p small -b 5 >out 2>err &
	for _ in $(seq 600); do
		grep -q 'Ctrl-C' err && break
		sleep 0.1
	done
	kill -INT $!
	wait $!
	echo "exit $?"
	grep 'Ctrl-C' err
	sed -n 's/after [0-9.]* s$/after N s/; /no usable result/p' out
}
sed -i 's/for (int64_t i = 0; i < n; i++)/for (volatile int64_t i = 0;; i = 0)/' axpy/reference.c
stop
cat >axpy/fill.c <<'C'
#include <stdint.h>

void fill(double *out, int64_t n, uint64_t seed)
{
	for (volatile int64_t i = 0;; i = 0)
		out[i] = (double)(n + (int64_t)seed);
}
C
sed -i '0,/"fill": {[^}]*}/s//"fill": {"kind": "function", "source": "axpy\/fill.c", "entry": "fill"}/' axpy.json
stop
