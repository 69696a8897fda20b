# What is attainable is not known: --verbose says why.
# covers: run_facts.c loop.c
cp -r "$WORKLOADS/axpy" .
export ASCTUNE_CACHE_DIR="$PWD/cache" ASCTUNE_DB="$PWD/a.db"
tune() { asctune run w.json -D cpu -p small --cache hot --verbose "$@" 2>/dev/null | grep -o '^  attains  *not known.*'; }
cp "$WORKLOADS/axpy.json" w.json
tune --budget 1
sed 's/^  "reference": {/  "flops": "2 * N",\n&/' "$WORKLOADS/axpy.json" >w.json
tune --budget 1
sed -i 's/^  "reference": {/  "bytes": "12 * N",\n&/' w.json
tune --budget 2s
cp -r "$WORKLOADS/f8" . && sed -i "s|\.\./\.\./\.\./\.\./workloads|$ROOT/workloads|" f8/multiply.c
sed 's/^  "reference": {/  "flops": "M * N", "bytes": "6 * M * N",\n&/' "$WORKLOADS/f8.json" >f8.json
asctune run f8.json -D cpu -p e4m3 --cache hot --budget 1 --verbose 2>/dev/null | grep -o '^  attains  *not known.*'
