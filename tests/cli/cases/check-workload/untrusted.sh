# --untrusted: what a workload of a stranger may not name, by file and key; the same workload without it.
# covers: untrusted.c allowed_flags.c
mkdir w outside
echo 'int secret = 1;' >outside/secret.h
cp -r "$WORKLOADS/axpy" w/
make() { # EDIT... : w/w.json and, when it is refused, why
	sed "$@" "$WORKLOADS/axpy.json" >w/w.json
	run check-workload --untrusted w/w.json
}
source() { # LINE : the kernel with another first line
	{ printf '%b\n' "$1"; cat "$WORKLOADS/axpy/kernel.c"; } >w/axpy/kernel.c
	make ''
}
flag() { # FLAG... as JSON
	make "s|\"builder\": \"cc\",|\"builder\": \"${BUILDER:-cc}\", \"flags\": [$1],|; s|{\"builtin\": \"block_x\"}|{\"scalar\": 0, \"type\": \"i64\"}|${BUILDER:+; s/, \"threads\": \"THREADS\"//}"
}
make ''
echo '- sources'
make "s|axpy/kernel.c|$PWD/outside/secret.c|"
cp "$WORKLOADS/axpy/kernel.c" outside/kernel.c
make "s|axpy/kernel.c|$PWD/outside/kernel.c|"
make 's|axpy/kernel.c|../outside/kernel.c|'
ln -s "$PWD/outside/kernel.c" w/axpy/link.c
make 's|axpy/kernel.c|axpy/link.c|'
ln -s "$PWD/outside" w/folder
make 's|axpy/kernel.c|folder/kernel.c|'
make 's|axpy/reference.c|../outside/kernel.c|'
make 's|"name": "loop",|& "standin": {"source": "../outside/kernel.c", "entry": "axpy"},|; s|"devices": \["cpu"\],$|"devices": ["cpu", "npu"],|'
make 's|"fill": {"kind": "normal", "mean": 0, "std": 1}|"fill": {"kind": "function", "source": "../outside/kernel.c", "entry": "f"}|'
make 's|"source": "axpy/kernel.c"|"source": "os.path:join"|; s|"builder": "cc"|"builder": "triton"|; s|{"builtin": "block_x"}|{"scalar": 0, "type": "i64"}|; s|, "threads": "THREADS"||'
cp "$WORKLOADS/axpy.json" outside/own.json
ln -s "$PWD/outside/own.json" w/own.json
run check-workload --untrusted w/own.json
rm w/own.json w/folder w/axpy/link.c
echo '- included files'
source '#include <linux/../../../etc/hostname>'
source '#include "linux/../../../etc/hostname"'
source '#define H <linux/../../../etc/hostname>\n#include H'
source '#include "../../outside/secret.h"'
source '#define NAME "../../outside/secret.h"\n#include NAME'
source "#include \"$PWD/outside/secret.h\""
source '#include "/dev/zero"'
source '#define TEXT(x) #x\n#define NAME(x) TEXT(/etc/x)\n#include NAME(passwd)'
source '#include __FILE__'
source '__asm__(".incbin \\"/etc/passwd\\"");'
ln -s "$PWD/outside/secret.h" w/axpy/link.h
source '#include "link.h"'
rm w/axpy/link.h
: >w/axpy/kernel.c.gch
source ''
rm w/axpy/kernel.c.gch
cp "$WORKLOADS/axpy/kernel.c" w/axpy/
echo '- flags'
for flag in '-fplugin=x.so' '-wrapper", "id' '-specs=x' '@w/x' '-o", "x' '-x", "c++' '-Wl,-rpath,x' '-Xlinker", "x' '-T", "x' '-B.' '-L.' '-l:x' '-ldir/x' 'w/axpy/kernel.c' \
	'-fuse-ld=x' '-fprofile-use=x' '-fdump-tree-all' '-fdiagnostics-format=sarif-file' '-mllvm", "-load=x' '-imacros", "/etc/passwd' '-D", "@w/x' '-D' '-std=c11/x' \
	'-I/etc' '-Ioutside' '-I", "w/../outside' '-include", "/etc/passwd' '-include", "@w/x' '--param", "/x' '-Wa,x' '-save-temps' '-M'; do
	flag "\"$flag\""
done
flag '"-O2", "-ObjC"'
flag '"-DA=1\\n#include </etc/passwd>"'
echo '- flags of NVRTC'
for flag in '--create-pch=x' '-pch-dir=x' '-time=x' '--device-time-trace=x' '-I/etc' '--include-path=outside' '--pre-include=/etc/passwd' '--ptxas-options=-o'; do
	BUILDER=nvrtc flag "\"$flag\""
done
BUILDER=nvrtc flag '"-minimal", "--use_fast_math", "-DA=1", "-Iw/axpy", "--ptxas-options=-O3", "-maxrregcount=64"'
echo '- flags of others'
make 's|"builder": "cc",|"builder": "triton", "flags": ["-O2"],|; s|{"builtin": "block_x"}|{"scalar": 0, "type": "i64"}|; s|, "threads": "THREADS"||'
echo '- all that is wrong'
make -e 's|axpy/reference.c|../outside/kernel.c|' -e 's|"builder": "cc",|"builder": "cc", "flags": ["-O2", "-B."],|'
if asctune doctor | grep -q '^sandbox.\(files\|network\) *no'; then # nothing is run then: the case `lacking`
	sed -n '/^- run$/,$p' "$CASES/untrusted.out"
	return
fi
echo '- run'
tune() { asctune run "$@" -p small --device cpu --cache hot --repeats 2 --budget 1 --db "$PWD/r.db" --json >out 2>err; echo "exit $?"; sed "s/^asctune: //" err; grep -o '"status":"[a-z_]*"' out; }
tune w/w.json --untrusted
sed 's|"builder": "cc",|"builder": "cc", "flags": ["-O2", "-std=gnu17", "-Wall", "-Wno-unused", "-march=native", "-funroll-loops", "-fno-math-errno", "-ffast-math", "--param", "l1-cache-size=32", "--param=l2-cache-size=512", "-DA=1", "-D", "B=2", "-UA", "-Iw/axpy", "-I", "w", "-isystem", "w", "-include", "w/axpy/own.h", "-lm", "-pthread", "-g", "-mno-avx512f"],|' "$WORKLOADS/axpy.json" >w/w.json
echo '#include <stdint.h>' >w/axpy/own.h
tune w/w.json --untrusted
cp "$WORKLOADS/axpy.json" w/w.json
echo '- a file that only the compiler finds, where it may read'
export CC="cc -B$PWD/outside"
{ printf '%s\n' 'static const char raw[] __attribute__((unused)) = R"( )\' '" /* )";' "#include \"$PWD/outside/secret.h\"" '/* */'; cat "$WORKLOADS/axpy/kernel.c"; } >w/axpy/kernel.c
tune w/w.json --untrusted
echo '- and it is not taken from the cache when another run has built it'
tune w/w.json
tune w/w.json --untrusted
# a small file may ask for days: the time is bounded
run check-workload --untrusted --time 1ns "$WORKLOADS/axpy.json"
run check-workload --untrusted --time 5m "$WORKLOADS/axpy.json"
run check-workload --time never "$WORKLOADS/axpy.json"
