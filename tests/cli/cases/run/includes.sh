# A header that is edited is noticed, however it is included: its artifact is built again, and --resume trusts nothing that was built with it.
# covers: manifest.c
cat >scale.json <<'END'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale", FLAGS
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
cat >reference.c <<'END'
#include <stdint.h>
void reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
END
mkdir sub
run_once() { # -> status of the only trial, and whether it was recorded before
	asctune run w.json --device cpu --cache hot --repeats 2 --budget all --db "$1" --resume --json 2>&1 |
		sed -n 's/.*"type":"trial".*"resumed":\([a-z]*\).*"status":"\([a-z_]*\)".*/\2 \1/p' | sed 's/ false//;s/ true/ (recorded)/'
}
try() { # WHAT FILE FLAGS INCLUDE
	printf '#include <stdint.h>\n%b\nvoid scale(const float *x, float *y, int64_t n)\n{\n\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = F * x[i];\n}\n' "$4" >kernel.c
	sed "s|FLAGS|$3|" scale.json >w.json
	rm -f h.h sub/h.h sub/hh.h opts t.db
	for factor in 2 2 3; do
		case $2 in
		opts) echo "-DF=$factor" >"$2.new" ;;
		*) echo "#define F $factor" >"$2.new" ;;
		esac
		cmp -s "$2.new" "$2" || cp "$2.new" "$2"
		run_once t.db
	done | tr '\n' ';'
	echo " $1"
}
try 'the same folder' h.h '' '#include "h.h"'
try 'quotes and -I' sub/hh.h '"flags": ["-Isub"],' '#include "hh.h"'
try 'angle brackets and -I' h.h '"flags": ["-I."],' '#include <h.h>'
try 'angle brackets and -isystem' h.h '"flags": ["-isystem", "."],' '#include <h.h>'
try 'a macro' h.h '' '#define H "h.h"\n#include H'
try 'a macro of a flag' h.h '"flags": ["-DH=\\"h.h\\""],' '#include H'
try 'a macro that a compiler must work out' h.h '' '#define TEXT(x) #x\n#define NAME(x) TEXT(x.h)\n#include NAME(h)'
try 'a comment before' h.h '' '/* */ #include "h.h"'
try 'a comment between' h.h '' '#include/**/"h.h"'
try 'a continued line' h.h '' '#inc\\\nlude "h.h"'
try 'a digraph' h.h '' '%:include "h.h"'
try '#import' h.h '' '#import "h.h"'
try '#include_next' h.h '"flags": ["-I."],' '#include_next "h.h"'
try '-include' h.h '"flags": ["-include", "h.h"],' ''
try '@file' opts '"flags": ["@opts"],' ''
export CPATH="$PWD/sub"
try 'CPATH' sub/h.h '' '#include <h.h>'
unset CPATH
# a header that comes to lie in front of another
try 'the second folder' sub/h.h '"flags": ["-I.", "-Isub"],' '#include <h.h>'
echo '#define F 2' >h.h
run_once t.db
# the reference's own headers count like those of the kernel
sed -i 's/^#include <stdint.h>/&\n#define H "r.h"\n#include H/; s/2 \*/R */' reference.c
echo '#define R 2' >r.h
run_once t.db
echo '#define R 3' >r.h
run_once t.db
# what a source names is read wherever it lies: beside the workload's folder without a repository around both, by its path, behind a link
mkdir -p beside apart/deep tool
try_in() { # WHAT INCLUDE
	printf '#include <stdint.h>\n%s\nvoid scale(const float *x, float *y, int64_t n)\n{\n\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = F * x[i];\n}\n' "$2" >apart/kernel.c
	sed 's|FLAGS||' scale.json >apart/w.json
	(cd apart && rm -f t.db && run_once t.db && asctune run w.json --device cpu --cache hot --repeats 2 --budget all --db t.db 2>&1 | sed -n 's/.*build_failed own//p')
	echo "- $1"
}
printf '#include <stdint.h>\nvoid reference(const double *x, double *y, int64_t n)\n{\n\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >apart/reference.c
echo '#include "g.h"' >beside/f.h
echo '#define F 2' >beside/g.h
try_in 'the folder beside' '#include "../beside/f.h"'
try_in 'an absolute path' "#include \"$PWD/beside/f.h\""
ln -s ../beside apart/folder
try_in 'a link to a folder' '#include "folder/f.h"'
ln -s ../../beside/g.h apart/deep/link.h
try_in 'a link to a file' '#include "deep/link.h"'
# a script that is the compiler for an interpreter
printf '%s\n' 'exec cc "$@"' >tool/compile
CC="sh $PWD/tool/compile" try_in 'a compiler that is a script' '#include "folder/f.h"'
# so is what the reference and a function that makes an input need, of the second workload of a folder, too
sed 's|^#include <stdint.h>|&\n#include "../beside/f.h"|; s/2 \*/F */' apart/reference.c >tool/reference.c
echo '#include <stdint.h>
#include "../beside/f.h"
void fill(double *out, int64_t n, uint64_t seed) { for (int64_t i = 0; i < n; i++) out[i] = F + 0 * (seed > 1); }' >tool/fill.c
sed 's|"reference.c"|"../tool/reference.c"|; s|{"kind": "normal", "mean": 0, "std": 1}|{"kind": "function", "source": "../tool/fill.c", "entry": "fill"}|; s|"scale"|"twice"|' apart/w.json | sed 's|"entry": "twice"|"entry": "scale"|' >apart/w2.json
asctune run apart --device cpu --cache hot --repeats 2 --budget all --db f.db --json 2>&1 | sed -n 's/.*"type":"trial".*"status":"\([a-z_]*\)".*/\1/p; s/^asctune: //p'
