# A source that is edited while it is tuned ends the run: what was built from it is not kept under the old key, and nothing is recorded from it.
# covers: sources.c loop.c
cat >w.json <<'END'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale", "flags": ["-I."],
   "parameters": {"B": {"values": [0, 1, 2, 3, 4, 5, 6, 7], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >reference.c
echo '#define FACTOR 2' >factor.h
echo '#include <stdint.h>
#include <factor.h>
void scale(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = FACTOR / 2 * 2 * x[i] + B * 0; }' >kernel.c
mkdir good && cp ./*.[ch] good
# a compiler that edits $FILE when it comes to B = 3
cat >cc <<'END'
#!/bin/sh
case " $* " in
*" -DB=3 "*) [ -z "$FILE" ] || { sed 's/2/3/g' "good/$FILE" >"$FILE.new" && mv "$FILE.new" "$FILE"; } ;;
esac
exec /usr/bin/cc "$@"
END
chmod +x cc
export CC="$PWD/cc" ASCTUNE_CACHE_DIR="$PWD/cache"
tune() { # DATABASE OPTIONS...
	db=$1; shift
	asctune run --trust w.json --device cpu --cache hot --repeats 2 --strategy exhaustive --budget all --jobs 2 --db "$db" "$@" >/dev/null 2>err
	echo "exit $?"; sed -n 's/^asctune: //p' err | sed "s|$PWD/||g"
	sqlite3 "$db" "select status, count(*) from trial group by status"
}
for file in kernel.c factor.h reference.c; do
	echo "- $file"
	rm -rf cache
	FILE=$file tune "$file.db" | grep -v '^ok|[0-6]$'
	cp good/* .
	tune "$file.db" --resume # the original again: all are right, whatever is left of the first run
	tune other.db
	rm other.db
done
