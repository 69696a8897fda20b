# What a kernel, a function that makes an input, and a compiler may not do, they cannot; with --trust they can, which the first line says.
# covers: sandbox.c sandbox_files.c sandbox_filter.c
asctune run "$WORKLOADS/axpy.json" --device cpu --cache hot --budget 1 --db first.db 2>&1 >/dev/null | grep -q 'sandbox lacks' && lacks=1
[ -z "${lacks:-}" ] || { cat "$CASES/sandbox.out"; return; } # t-sandbox tests each part, and skips what the kernel has not
mkdir -p home/.ssh home/.local/include outside
echo '#error secret' >home/.ssh/id
echo '#define ANSWER 1' >home/.local/include/answer.h
cat >w.json <<'END'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "function", "source": "fill.c", "entry": "fill"}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale", "flags": ["-Ihome/.ssh", "-Ihome/.local/include"],
   "parameters": {"TRIES": {"values": [0, 1, 2, 3, 4, 5, 6], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
END
cat >tries.h <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>
static int reads(void) { return open(HOME "/.ssh/id", O_RDONLY) >= 0; }
static int writes(void) { return open(HOME "/../outside/new", O_WRONLY | O_CREAT, 0600) >= 0; }
static int connects(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }
END
echo '#include "tries.h"
void fill(double *out, int64_t n, uint64_t seed) { for (int64_t i = 0; i < n; i++) out[i] = 1 + reads() + writes() + connects() + 0 * (seed > 1); }' >fill.c
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 1; (void)x; }' >reference.c
cat >kernel.c <<'END'
#if TRIES == 4
#include <id>
#elif TRIES == 5
#include "home/.ssh/id"
#elif TRIES == 6
#include <answer.h>
#else
#define ANSWER 1
#endif
void scale(const float *x, float *y, int64_t n)
{
	int done = TRIES == 0 ? x[0] != 1 : TRIES == 1 ? reads() : TRIES == 2 ? writes() : TRIES == 6 ? 0 : connects();
	for (int64_t i = 0; i < n; i++) y[i] = ANSWER + done;
}
END
sed -i "1i #define HOME \"$PWD/home\"" tries.h
sed -i '1i #include "tries.h"' kernel.c
tune() {
	HOME="$PWD/home" asctune run w.json --device cpu --cache hot --repeats 2 --strategy exhaustive --budget all --db s.db "$@" >/dev/null 2>err
	sqlite3 s.db "select config_key, status, substr(replace(reason, '$PWD/', ''), 1, 59) from trial where config_key <> '' and id in (select max(id) from trial group by config_key) order by config_key"
	grep -o 'no sandbox (--trust)' err
	ls outside
}
tune
mv s.db r.db
tune --trust
echo '- what the sandbox refused is no verdict'
mv r.db s.db
tune --trust --resume
echo '- a file that a kernel needs and the sandbox denies'
data=$(mktemp -d)
echo 1 >"$data/table.txt"
mkdir needs
sed "s|\"fill\": {[^}]*}|\"fill\": {\"kind\": \"constant\", \"value\": 1}|; s|fill.c|other.c|" w.json >needs/w.json
cp reference.c needs
cat >needs/kernel.c <<END
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void scale(const float *x, float *y, int64_t n)
{
	FILE *table = fopen("$data/table.txt", "r");
	if (!table) {
		perror("$data/table.txt");
		abort();
	}
	fclose(table);
	for (int64_t i = 0; i < n; i++) y[i] = 1;
	(void)x;
}
END
sed -i 's|"flags": \[[^]]*\],||' needs/w.json
need() { asctune run needs/w.json --device cpu --cache hot --repeats 2 --budget 1 --db needs.db "$@" >/dev/null 2>&1; sqlite3 needs.db "select status, replace(reason, '$data', 'DATA') from trial where id = (select max(id) from trial)"; }
need
need --trust
rm -r "$data"
echo '- a trial that the sandbox does not let be built again'
sqlite3 s.db "select min(id) from trial where config_key = 'TRIES=0' and status = 'ok'" >trial
sed -i 's|^#include "tries.h"|&\n#include "home/.ssh/id"|' kernel.c
sed -i "s|#error secret|int secret;|" home/.ssh/id
again() { HOME="$PWD/home" asctune reproduce "$(cat trial)" --db s.db "$@" >out 2>err; status=$?; [ $status = 2 ] && echo 'exit 2' || echo measured; sed "s|$PWD/||g" err; grep -o 'no sandbox (--trust)' out; }
again
again --untrusted
again --trust
again --trust --untrusted
