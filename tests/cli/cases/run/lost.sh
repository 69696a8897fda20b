# A database that is removed, replaced or truncated during a run is noticed at the next result: exit status 2.
# covers: file_state.c
cat >w.json <<'END'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale",
   "parameters": {"B": {"values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >reference.c
echo '#include <stdint.h>
void scale(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i] + B * 0; }' >kernel.c
# the compiler does what the file "then" says when it comes to B = 7
cat >cc <<'END'
#!/bin/sh
case " $* " in *" -DB=7 "*) . ./then ;; esac
exec /usr/bin/cc "$@"
END
chmod +x cc
export CC="$PWD/cc" ASCTUNE_CACHE_DIR="$PWD/cache"
tune() {
	rm -rf cache
	asctune run --trust w.json --device cpu --cache hot --repeats 2 --strategy exhaustive --budget all --db t.db >out 2>err
	echo "exit $?"
	sed -n 's/^asctune: //p' err | grep -v best
}
: >then; tune
for what in 'rm t.db' 'mv t.db gone.db; cp gone.db t.db' ': >t.db' 'rm t.db-wal' ': >t.db-shm'; do
	echo "- $what"
	echo "$what" >then
	tune
	[ ! -e gone.db ] || { rm -f t.db*; mv gone.db t.db; }
	: >then
	[ -s t.db ] || rm -f t.db
	tune
	sqlite3 t.db 'pragma integrity_check'
done
