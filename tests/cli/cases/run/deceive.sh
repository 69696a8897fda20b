# Kernels that set out to be right without their work, or in spite of it: each becomes its typed result, and the honest one is the best.
# covers: worker_config.c verify.c
mkdir own
cat >own/w.json <<'JSON'
{"asctune": 1, "name": "scale", "operator": "scale",
 "problems": [{"name": "p", "dims": {"N": 1000}}],
 "tensors": {"x": {"shape": ["N"], "dtype": "i32", "role": "in", "fill": {"kind": "uniform", "low": 1, "high": 100}},
             "y": {"shape": ["N"], "dtype": "i32", "role": "out", "verify": {"kind": "exact"}}},
 "reference": {"source": "reference.c", "entry": "reference", "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]},
 "implementations": [{"name": "own", "devices": ["cpu"], "builder": "cc", "source": "kernel.c", "entry": "scale",
   "parameters": {"TRICK": {"values": [0, 1, 2, 3, 4], "default": 0}},
   "arguments": [{"tensor": "x"}, {"tensor": "y"}, {"scalar": "N", "type": "i64"}]}]}
JSON
echo '#include <stdint.h>
void reference(const double *x, double *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >own/reference.c
cat >own/kernel.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int32_t *from;
static int32_t *to;
static int64_t count;

static void work(int factor)
{
	for (int64_t i = 0; i < count; i++) {
		for (int k = 0; k < 100; k++)
			__asm__ volatile("");
		to[i] = factor * from[i];
	}
}

#if TRICK == 1 || TRICK == 2
/* Closes the worker's reference, or puts another one in its place. */
static void replace_reference(void)
{
	double *wrong = malloc((size_t)count * 8 + 8);
	for (int64_t i = 0; i < count; i++)
		wrong[i] = 3.0 * from[i];
	for (int fd = 3; fd < 65536; fd++) {
		char link[64] = "/proc/self/fd/", path[4096], digits[8], *d = digits + 7;
		*d = 0;
		for (int rest = fd; rest > 0; rest /= 10)
			*--d = (char)('0' + rest % 10);
		ssize_t n = readlink(strcat(link, d), path, sizeof path - 1);
		if (n < 4 || memcmp(path + n - 4, ".f64", 4) != 0)
			continue;
		int other = memfd_create("other", 0);
		(void)!write(other, wrong, (size_t)count * 8 + 8);
		(void)(TRICK == 1 ? dup2(other, fd) : close(fd));
	}
	free(wrong);
}
#elif TRICK == 4
/* Leaves the work for when somebody looks. */
static char *page;
static void on_fault(int signal)
{
	(void)signal;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	work(2);
}
#endif

void scale(const int32_t *x, int32_t *y, int64_t n)
{
	static int calls;
	from = x, to = y, count = n;
#if TRICK == 0
	work(2);
#elif TRICK <= 2
	work(3);
	if (!calls++)
		replace_reference();
#elif TRICK == 3
	/* Takes what its output held at first for the right values, inverted. */
	static int32_t kept[1000];
	for (int64_t i = 0; i < n && !calls; i++)
		kept[i] = ~y[i];
	calls = 1;
	memcpy(y, kept, sizeof kept);
#else
	static char stack[65536];
	page = (char *)((uintptr_t)y & ~(uintptr_t)4095);
	if (!calls++) {
		sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
		sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER}, NULL);
	}
	mprotect(page, 4096, PROT_NONE);
#endif
}
C
for cache in hot cold; do
	asctune run own/w.json --device cpu --cache $cache --repeats 3 --strategy exhaustive --budget all --json --db $cache.db >lines 2>err
	echo "$cache: exit $?"
	cat err
	sed -n 's/.*"type":"trial",.*"config":{\([^}]*\)}.*"status":"\([a-z_]*\)".*/\1 \2/p' lines | tr -d '"' | sort
	sed -n 's/.*"type":"trial",.*"reason":"\(the reference[^"]*\)".*/\1/p' lines
	grep -o '"best":{"implementation":"own","config":{[^}]*}' lines
done
