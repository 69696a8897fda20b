# A compiler that dies, or has no memory, costs the configuration, after three tries, never the run.
# covers: pool_build.c outcome.c
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
# the compiler does what the files bad (for B = 7), once (for the first B = 7) and always (for each B) say
cat >cc <<'END'
#!/bin/sh
case " $* " in
*" -DB=7 "*) echo x >>tries; . ./bad; [ -e tried ] || { : >tried; . ./once; } ;;
esac
case " $* " in *" -DB="*) . ./always ;; *" --version "*) [ ! -e unasked ] || { rm unasked; kill -KILL $$; } ;; esac
exec /usr/bin/cc "$@"
END
chmod +x cc
export CC="$PWD/cc" ASCTUNE_CACHE_DIR="$PWD/cache"
tune() {
	rm -f tries
	asctune run --trust w.json --device cpu --jobs ${jobs:-2} --cache hot --repeats 2 --strategy exhaustive --budget all --db t.db --json "$@" >out 2>err
	echo "exit $?"
	sed -n 's/^asctune: //p' err | grep -v best
	grep '"type":"trial"' out | sed 's/.*"status":"\([a-z_]*\)".*/\1/' | sort | uniq -c | sed 's/^ *//'
	sed -n 's/.*"status":"build_failed".*"reason":"\(\([^"\]\|\\.\)*\)".*/\1/p' out | sort -u
	[ ! -e tries ] || echo "tries of B = 7: $(wc -l <tries)"
}
try() { # WHAT SOURCE BAD ONCE ALWAYS
	echo "- $1"
	rm -rf cache t.db* tried
	printf '#include <stdint.h>\n%b\nvoid scale(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i] + B * 0; }\n' "$2" >kernel.c
	echo "$3" >bad; echo "$4" >once; echo "$5" >always
	tune
}
try 'the source says "Cannot allocate memory"' '#if B == 7\n#error "Cannot allocate memory for tiles of this size"\n#endif'
try 'the source says "No space left on device"' '#if B == 7\n_Static_assert(0, "No space left on device");\n#endif'
try 'the assembler refuses' '#if B == 7\n__asm__("no such thing");\n#endif'
grep build_failed out | grep -o '"build_command":.*"-DB=7"' | sed 's/.*,/its command has /'
try 'a signal' '' 'kill -SEGV $$'
echo "again, with --resume:"; tune --resume
try 'the killer of processes' '' 'echo "cc: fatal error: Killed signal terminated program cc1"; exit 1'
try 'no memory' '' 'echo "cc1: out of memory allocating 65536 bytes after a total of 1 bytes"; exit 1'
try 'no artifact' '' 'exit 0'
try 'killed once' '' '' 'kill -KILL $$'
try 'the linker is killed once' '' '' 'echo "collect2: fatal error: ld terminated with signal 9 [Killed]"; exit 1'
: >unasked
try 'killed once as it is asked for its version'
[ ! -e unasked ] || echo "it was not asked"
# one compiler at a time: another one's objects would go with the cache, which its linker says
jobs=1
try 'the cache is removed around it once' '' '' 'rm -rf cache; echo "Error: no such file"; exit 1'
jobs=2
# that ends the run: whether a compiler has ended by then and a trial has failed, nobody knows
try 'no memory for anything' '' '' '' 'echo "virtual memory exhausted: Cannot allocate memory"; exit 1' | sed '/build_failed$/d; /^the compiler/d'
