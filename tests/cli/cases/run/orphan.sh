# A worker ends with its coordinator, even in a kernel that never returns and no longer wants the signal for that,
# and takes along the processes that kernels have made, those of another session too.
# covers: orphans.c guard.c
cat >w.json <<'JSON'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 64}, "dtypes": {"T": "f32"}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "T", "role": "in", "fill": {"kind": "normal", "mean": 0, "std": 1}},
             "y": {"shape": ["N"], "dtype": "T", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale",
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
JSON
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >reference.c
cat >kernel.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	prctl(PR_SET_PDEATHSIG, 0);
	pid_t worker = getpid(), child = fork();
	if (!child)
		setsid();
	FILE *f = child ? fopen(PLACE "/pid.new", "w") : NULL;
	if (f) {
		fprintf(f, "%d %d\n", (int)worker, (int)child);
		fclose(f);
		rename(PLACE "/pid.new", PLACE "/pid");
	}
	for (;;)
		;
}
C
sed -i "s|PLACE|\"$PWD\"|g" kernel.c
asctune run --trust w.json --device cpu --limit 60s --db o.db >out 2>&1 & coordinator=$!
for i in $(seq 600); do [ -e pid ] && break; sleep 0.1; done
[ -e pid ] || cat out
read -r worker child <pid
kill -9 $coordinator
wait $coordinator 2>/dev/null
alive() { awk '$3 != "Z"' "/proc/$1/stat" 2>/dev/null | grep -q .; }
for i in $(seq 100); do alive "$worker" || alive "$child" || break; sleep 0.1; done
alive "$worker" && echo "the worker is left" && kill -9 "$worker"
alive "$child" && echo "the process that its kernel made is left" && kill -9 "$child"
# a kernel that is right, and leaves a process behind whose parent has ended
cat >kernel.c <<C
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void leave(void)
{
	if (fork() == 0) {
		setsid();
		pid_t child = fork();
		if (child == 0)
			for (;;)
				pause();
		FILE *f = fopen("$PWD/left", "w");
		fprintf(f, "%d\n", (int)child);
		fclose(f);
		_exit(0);
	}
	wait(NULL);
}
void scale(const float *x, float *y, int64_t n)
{
	static int calls;
	if (!calls++)
		leave();
	for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i];
}
C
asctune run --trust w.json --device cpu --cache hot --repeats 3 --db o.db --json 2>/dev/null | sed -n 's/.*"type":"trial",.*"status":"\([a-z_]*\)".*/\1/p'
read -r child <left
alive "$child" && echo "a process is left" && kill -9 "$child"
echo done
