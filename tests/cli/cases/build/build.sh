# Kernels are built and not launched: what came of each, what is built once for several, the files of a folder; a run finds all of it.
# covers: builds.c cmd_build.c build_report.c build_files.c built_kernel.c
axpy="$WORKLOADS/axpy.json" faults="$WORKLOADS/faults.json"
export ASCTUNE_CACHE_DIR="$PWD/cache"
# times, and what depends on them: which builds are the slowest, and which of equal ones is the first
shape() { sed -E '/^cpu: /d; /^slowest builds:$/d; /^  +[0-9.]+ (ns|us|ms|s) /d; s/ +[0-9.]+ (ns|us|ms|s)$/  TIME/; s/ +compilers$/  compilers/; s/ for .* in [0-9.]+ (us|ms|s)/ for CPU in TIME/'; }
build() { asctune build "$@" >out 2>&1; echo "exit $?" >>out; shape <out; }
built() { find cache/artifacts/?? -name '*.so' | wc -l; }
build "$axpy" -D cpu
built
build "$axpy" -D cpu --budget all
# a run compiles nothing: neither kernels nor the reference, whatever it asks for
asctune run "$axpy" -D cpu --budget all --repeats 3 --json --db r.db 2>err | grep '"type":"trial"' | grep -o '"cached":[a-z][a-z]*' | sort | uniq -c
built
# the same draw on both sides: `run --strategy random` begins with these
rm -rf cache
build "$axpy" -D cpu --budget 4 --seed 7
before=$(built)
asctune run "$axpy" -D cpu --budget 4 --seed 7 --strategy random --no-history --repeats 3 --json --db d.db 2>err | grep '"type":"trial"' | grep -o '"cached":[a-z][a-z]*' | sort | uniq -c
[ "$(built)" = "$before" ] && echo "the cache is as it was"
# one configuration; what is asked for is to build, like a default
build "$axpy" -D cpu --config BLOCK=1024,UNROLL=4
run build "$axpy" -D cpu --config BLOCK=65 2>&1 | shape
run build "$axpy" -D cpu --config BLOCK=64 --budget 3
# a default that does not build; another that does not keeps nothing from being built
build "$faults" -D cpu --impl syntax
build "$faults" -D cpu --impl good
# lines of JSON: each build, the totals
asctune build "$faults" -D cpu --json >lines 2>err; echo "exit $?"
cut -d, -f1 lines | sort | uniq -c
grep -o '"status":"[a-z_]*"' lines | sort | uniq -c
grep '"implementation":"syntax"' lines | grep -o -e '"default":[a-z]*' -e '"reason":"[^"]*' -e '"kernels":\[.*'
grep '"type":"totals"' lines | sed -E 's/"(model|arch)":"[^"]*",//g; s/_ns":[0-9]*/_ns":N/g'
# artifacts and what their launches need; again into the same folder, and never over something else
build "$axpy" -D cpu --budget 2 -o made
ls made | sed -E 's/[0-9a-f]{16}/DIGEST/'
sed -E 's/[0-9a-f]{32}/KEY/; s/[0-9a-f]{16}/DIGEST/; s/("(arch|toolchain)": ").*"/\1..."/' "$(grep -l '"BLOCK": 256, "UNROLL": 1, "THREADS": 1' made/*.json)"
build "$axpy" -D cpu --budget 2 -o made | tail -1
for file in made/*.json; do echo 'my own' >"$file"; done
build "$axpy" -D cpu --budget 1 -o made | sed -E 's/[0-9a-f]{16}/DIGEST/'
# a folder: what cannot be read keeps nothing from the others
mkdir all && cp -r "$WORKLOADS"/axpy "$WORKLOADS"/axpy.json all && echo '{"asctune": 1' >all/bad.json
build all -D cpu --budget 1
# between calls of a vendor's library, which need not be here, a kernel is built
build "$ROOT/workloads/gated_mlp.json" -D cpu -p tiny --impl openblas --budget 1
# a launch that no formula allows ends the configuration at the first of its calls
cat >copy.c <<'END'
void copy(const float *x, float *out, long n) { for (long i = 0; i < n; i++) out[i] = x[i] + 0 * STEP; }
void copy_doubles(const double *x, double *out, long n) { for (long i = 0; i < n; i++) out[i] = x[i]; }
END
cat >calls.json <<'END'
{"asctune": 1, "name": "calls", "operator": "copy", "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in"}, "out": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "copy.c", "entry": "copy_doubles", "arguments": [{"tensor": "x"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}], "flags": ["-DSTEP=1"]},
 "implementations": [{"name": "two", "devices": ["cpu"], "parameters": {"STEP": [1, 4]}, "scratch": {"between": {"shape": ["N"], "dtype": "T"}},
   "calls": [{"source": "copy.c", "entry": "copy", "launch": {"threads": "4 - STEP"}, "arguments": [{"tensor": "x"}, {"tensor": "between"}, {"scalar": "N", "type": "i64"}]},
             {"source": "copy.c", "entry": "copy", "arguments": [{"tensor": "between"}, {"tensor": "out"}, {"scalar": "N", "type": "i64"}]}]}]}
END
build calls.json -D cpu --budget all
# usage
run build
run build one two
run build "$axpy" --budget 0
run build "$axpy" --budget 30s
run build "$axpy" --trust --untrusted
run build "$axpy" -D cpu --problem nothing 2>&1 | shape
run build "$axpy" -D cpu --impl lop 2>&1 | shape
