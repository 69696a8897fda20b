# The secret of a cache that lies in the workload's repository: a kernel reads what is beside it and lists the folder, not the secret; nor does its compiler.
# covers: sandbox_files.c cache.c
if ! asctune doctor | grep -q '^sandbox.files *yes'; then
	cat "$CASES/secret.out"
	return
fi
export ASCTUNE_CACHE_DIR="$PWD/repository/cache"
mkdir -p repository/.git repository/workloads
cp -r "$WORKLOADS/axpy" "$WORKLOADS/axpy.json" repository/workloads
echo beside >repository/cache.beside
try() { # FILE -> what a kernel says that opens it
	sed "/^void axpy/i\\
#include <stdio.h>\\
static float add(void) { FILE *f = fopen(\"$PWD/repository/$1\", \"r\"); int c = f ? fgetc(f) : EOF; if (f) fclose(f); return c == EOF ? 0 : 1; }" "$WORKLOADS/axpy/kernel.c" |
		sed 's/+ y\[i\];/+ y[i] + add();/' >repository/workloads/axpy/kernel.c
	asctune run repository/workloads/axpy.json --device cpu --impl loop --config BLOCK=256,UNROLL=1,THREADS=1 --repeats 1 --cache hot --db r.db 2>&1 | grep -o 'result *[a-z]*' | tr -s ' '
}
echo '- a file beside the secret changes the kernel that reads it'
try cache.beside
echo '- the secret does not, before it is made and behind that'
try cache.secret
asctune run repository/workloads/axpy.json --device cpu --budget 1 --db r.db >/dev/null 2>&1
ls -s --block-size=1 repository | grep -c secret
try cache.secret
echo '- a compiler'
sed -i '1i #include "../../cache.secret"' repository/workloads/axpy/kernel.c
asctune run repository/workloads/axpy.json --device cpu --impl loop --config BLOCK=256,UNROLL=1,THREADS=1 --repeats 1 --db r.db 2>&1 | grep -o 'cache.secret: Permission denied' | sort -u
