# Artifacts that somebody removes or damages once they are built, before a worker has loaded them, are built again: no kernel is blamed for it.
# covers: pool.c
mkdir own # what a worker reads of the workload is apart from the cache
cat >own/w.json <<'END'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale",
   "parameters": {"B": {"values": [0, 1, 2, 3, 4, 5, 6, 7], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >own/reference.c
built() { ls cache/artifacts/*/*.so 2>/dev/null; }
with_artifacts() { # N COMMAND: does it to each artifact, once N are there; all are built before one is measured
	for i in $(seq 2000); do [ "$(built | wc -l)" -lt "$1" ] || break; sleep 0.01; done
	shift
	built | while read -r file; do "$@" "$file"; done
}
everything() { [ -e gone ] || { : >gone; until rm -rf cache 2>/dev/null; do :; done; }; } # compilers may still write there; the worker has been started: the new folder is not in its sandbox
damage() { tail -c +100 "$1" >damaged && mv damaged "$1"; }
export ASCTUNE_CACHE_DIR="$PWD/cache"
for what in '5 rm -f' '5 damage' '1 everything'; do
	echo "- $what"
	rm -rf cache
	echo "#include <stdint.h>
const int different = B;
void scale(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; } /* $what */" >own/kernel.c
	with_artifacts $what &
	asctune run own/w.json --device cpu --cache hot --repeats 2 --jobs 1 --strategy exhaustive --budget all --db t.db --json |
		sed -n 's/.*"type":"trial",.*"status":"\([a-z_]*\)".*/\1/p' | sort | uniq -c | sed 's/^ *//'
	wait
done
echo "- in the finals, all at once"
rm -rf cache
sed -i 's/5, 6, 7\]/5, 6, 7, 8, 9]/' own/w.json
echo '#include <stdint.h>
const int different = B;
void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < 5000000; i++) __asm__ volatile("");
	for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
}' >own/kernel.c
{ # before the finals, which build them again, and then before these have loaded them
	for i in $(seq 2000); do [ "$(grep -c '"type":"trial"' lines 2>/dev/null)" -lt 9 ] || break; sleep 0.01; done
	with_artifacts 1 rm -f
	with_artifacts 9 rm -f
} &
asctune run own/w.json --device cpu --cache hot --jobs 1 --strategy exhaustive --budget all --db t.db --json >lines 2>err
echo "exit $?"
wait
grep -o '"status":"[a-z]*_failed"' lines
