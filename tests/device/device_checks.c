/* Checks of every device. */
#include "tests/device/fixture.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/units.h"
#include "tuner/result/roofline.h"

void check_inspect(struct fixture *f)
{
	struct device_info again;
	struct asc_err e;

	tap_ok(f->ops->count() > 0, "there is at least one");
	tap_ok(*f->info.model && *f->info.arch && *f->info.driver && *f->info.clock,
	       "it is described: %s, %s, %s, %s", f->info.model, f->info.arch, f->info.driver,
	       f->info.clock);
	tap_int(strlen(f->info.fingerprint), 32, "its fingerprint has 32 digits");
	tap_ok(strcmp(f->ops->name, "cuda") != 0 || strncmp(f->info.machine, "GPU-", 4) == 0,
	       "which one it is: \"%s\"", f->info.machine);
	tap_int(f->ops->inspect(f->place, &again, &e), ASC_OK, "it is inspected again");
	tap_str(again.fingerprint, f->info.fingerprint, "with the same fingerprint");
	again.facts.value[FACT_MEMORY_BYTES]++;
	again.facts.known[FACT_MEMORY_BYTES] = true;
	(void)device_info_seal(&again, f->ops->name, &e);
	tap_ok(strcmp(again.fingerprint, f->info.fingerprint) != 0, "which depends on the facts");
	if (!f->info.simulated)
		tap_ok(f->ops->inspect("9999", &again, &e) == ASC_ABSENT && e.text[0],
		       "one that is not there is an error");
	tap_int(f->ops->inspect("x", &again, &e), ASC_USAGE, "a place that is no place");
	const struct device_info *opened = f->ops->info(f->d);
	tap_str(opened->fingerprint, f->info.fingerprint, "the opened device's fingerprint");
	tap_ok(opened->queues == f->info.queues && opened->shares_host == f->info.shares_host &&
		       opened->simulated == f->info.simulated,
	       "the opened device's properties are those of the inspected one");
	for (int i = 0; i < FACT_COUNT; i++)
		if (f->info.facts.known[i])
			tap_ok(f->info.facts.value[i] > 0, "%s: %lld", facts_name((enum fact)i),
			       (long long)f->info.facts.value[i]);
}

static void check_buffer(struct fixture *f, size_t bytes)
{
	unsigned char *in = malloc(bytes), *out = calloc(1, bytes);
	struct device_buffer *b = NULL;
	struct asc_err e;
	size_t wrong = 0;

	for (size_t i = 0; i < bytes; i++)
		in[i] = (unsigned char)(i * 7 + i / 251);
	if (!tap_int(f->ops->alloc(f->d, bytes, &b, &e), ASC_OK, "%zu bytes", bytes))
		goto out;
	tap_ok(!f->ops->write(f->d, b, in, bytes, &e) && !f->ops->read(f->d, b, out, bytes, &e) &&
		       memcmp(in, out, bytes) == 0,
	       "what is written is read");
	tap_int(f->ops->fill(f->d, b, 0xA5, &e), ASC_OK, "it is filled");
	fixture_read(f, b, out, bytes);
	for (size_t i = 0; i < bytes; i++)
		wrong += out[i] != 0xA5;
	tap_int(wrong, 0, "every byte");
	tap_ok(fixture_look(f, b) == DEVICE_UNHARMED, "it is intact");
	tap_int(f->ops->write(f->d, b, in, bytes + 1, &e), ASC_LIMIT, "too much does not fit");
	tap_ok(!f->ops->protect(f->d, b, true, &e) && !f->ops->write(f->d, b, in, bytes, &e) &&
		       !f->ops->read(f->d, b, out, bytes, &e) && memcmp(in, out, bytes) == 0 &&
		       !f->ops->protect(f->d, b, false, &e),
	       "it is written by us although protected");
out:
	f->ops->release(f->d, b);
	free(out);
	free(in);
}

/* Bytes within two buffers: what is taken is there, filled where it lay, and nothing beside it is
 * touched. */
static void check_take(struct fixture *f)
{
	enum { BYTES = 3 << 20, AT = 5, N = (2 << 20) + 3 };
	unsigned char *out = calloc(1, BYTES);
	struct device_buffer *from = fixture_alloc(f, BYTES, 0x11);
	struct device_buffer *to = fixture_alloc(f, BYTES, 0x22);
	struct asc_err e;
	size_t wrong = 0;

	tap_int(f->ops->take(f->d, (char *)f->ops->address(to) + AT,
			     (char *)f->ops->address(from) + 2 * AT, N, 0xFF, &e),
		ASC_OK, "bytes are taken from one buffer to another");
	fixture_read(f, to, out, BYTES);
	for (size_t i = 0; i < BYTES; i++)
		wrong += out[i] != (i >= AT && i < AT + N ? 0x11 : 0x22);
	fixture_read(f, from, out, BYTES);
	for (size_t i = 0; i < BYTES; i++)
		wrong += out[i] != (i >= 2 * AT && i < 2 * AT + N ? 0xFF : 0x11);
	tap_int(wrong, 0, "bytes of both that are not as expected");
	f->ops->release(f->d, to);
	f->ops->release(f->d, from);
	free(out);
}

void check_buffers(struct fixture *f)
{
	static const size_t sizes[] = {1, 63, 64, 4096, (1 << 20) + 3, 5 << 20};
	struct device_buffer *b = NULL;
	struct asc_err e;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_buffer(f, sizes[i]);
	if (f->ops->take)
		check_take(f);
	tap_int(f->ops->alloc(f->d, SIZE_MAX - 100, &b, &e), ASC_NOMEM, "more than there is");
	f->ops->release(f->d, NULL);
	f->ops->unload(f->d, NULL);
	f->ops->close(NULL);
}

/* The rest of a buffer's last page belongs to it, and no other buffer lies there. */
static void check_page(struct fixture *f)
{
	enum { ZONE_BYTES = 64 << 10 };
	struct device_buffer *b = fixture_alloc(f, 100, 0), *next = fixture_alloc(f, 100, 0);
	const size_t page = f->target->page_bytes;
	const int64_t last = (int64_t)page - ZONE_BYTES - 1;

	tap_int((uintptr_t)f->ops->address(b) % page, ZONE_BYTES, "a buffer begins with a page");
	tap_int((uintptr_t)f->ops->address(next) % page, ZONE_BYTES, "the next with another");
	fixture_poke(f, b, last);
	tap_int(fixture_look(f, b), DEVICE_STRAY, "a write to the last byte of a page is noticed");
	tap_int(fixture_look(f, next), DEVICE_UNHARMED, "as one to the page's own buffer");
	f->ops->release(f->d, next);
	f->ops->release(f->d, b);
}

void check_intact(struct fixture *f)
{
	/* Where no access is guarded, those further away are noticed in the same way. */
	static const int64_t strays[] = {100, 127, -1, -28, 5000, 60000, -5000, -60000};
	const size_t n = f->target->guards ? 4 : sizeof strays / sizeof *strays;

	for (size_t i = 0; i < n; i++) {
		struct device_buffer *b = fixture_alloc(f, 100, 0);
		fixture_poke(f, b, 99);
		tap_ok(fixture_look(f, b) == DEVICE_UNHARMED,
		       "a write to the last byte is noticed as fine");
		fixture_poke(f, b, strays[i]);
		tap_ok(fixture_look(f, b) == DEVICE_STRAY, "a write to byte %d of 100 is noticed",
		       (int)strays[i]);
		if (f->ops->find_stray)
			tap_int(f->ops->find_stray(b), strays[i] < 0 ? strays[i] : strays[i] - 99,
				"and where it is");
		f->ops->release(f->d, b);
	}
	if (f->target->page_bytes > 0)
		check_page(f);
}

/* A buffer at another place: what it holds, what is noticed around it, what it is protected from.
 */
static void check_moved(struct fixture *f, size_t bytes, size_t at)
{
	unsigned char *const data = malloc(bytes), *const back = malloc(bytes);
	struct device_buffer *b = fixture_alloc(f, bytes, 0);
	const uintptr_t first = (uintptr_t)f->ops->address(b);
	uint64_t before = 0, after = 1;
	struct asc_err e;

	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)(i * 7 + i / 251);
	if (f->ops->write(f->d, b, data, bytes, &e) || f->ops->protect(f->d, b, true, &e) ||
	    f->ops->digest(f->d, &b, 1, &before, &e))
		tap_ok(false, "%s", e.text);
	tap_int(f->ops->move(f->d, b, at, true, &e), ASC_OK, "%zu bytes move", bytes);
	tap_int((int64_t)(first - (uintptr_t)f->ops->address(b)), (int64_t)at, "by %zu", at);
	if (f->ops->read(f->d, b, back, bytes, &e) || f->ops->digest(f->d, &b, 1, &after, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(memcmp(data, back, bytes) == 0 && before == after, "with what they hold");
	tap_int(fixture_look(f, b), DEVICE_UNHARMED, "which is no change, nor a stray write");
	if (!f->target->guards) {
		fixture_poke(f, b, 0);
		tap_int(fixture_look(f, b), DEVICE_CHANGED, "a change there is noticed");
	}
	(void)f->ops->protect(f->d, b, false, &e);
	fixture_poke(f, b, (int64_t)bytes);
	tap_int(fixture_look(f, b), DEVICE_STRAY, "and a write just behind");
	memset(back, 0, bytes);
	tap_int(f->ops->move(f->d, b, 0, true, &e), ASC_OK, "they move back");
	tap_ok((uintptr_t)f->ops->address(b) == first, "to where they were");
	tap_int(fixture_look(f, b), DEVICE_UNHARMED, "with zones as new");
	(void)f->ops->read(f->d, b, back, bytes, &e);
	tap_ok(memcmp(data + 1, back + 1, bytes - 1) == 0, "and the same contents");
	f->ops->release(f->d, b);
	free(data);
	free(back);
}

void check_moves(struct fixture *f)
{
	check_moved(f, 100, DEVICE_MOVE_STEP);
	check_moved(f, 100, f->ops->move_end - DEVICE_MOVE_STEP);
	check_moved(f, (1 << 20) + 3, 3 * DEVICE_MOVE_STEP);
	check_moved(f, 5 << 20, 4096 + DEVICE_MOVE_STEP);
}

/* How a process ends that writes to byte `at`: the signal, or 0. */
static int die(struct fixture *f, struct device_buffer *b, int64_t at)
{
	int status = 0;
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGSEGV, SIG_DFL); /* the sanitizer's */
		fixture_poke(f, b, at);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void check_guards(struct fixture *f)
{
	struct asc_err e;

	if (!f->target->guards) {
		tap_skip("this device has no guards");
		return;
	}
	struct device_buffer *b = fixture_alloc(f, 128, 0);
	fixture_poke(f, b, 0); /* so that the kernel is in the cache */
	tap_int(die(f, b, 128), SIGSEGV, "a write past 128 of 128 bytes ends the process");
	tap_int(die(f, b, 0), 0, "one inside does not");
	tap_int(die(f, b, 128 + 20480), SIGSEGV, "one pages behind it does");
	tap_int(die(f, b, 15 << 20), SIGSEGV, "and one megabytes behind it");
	tap_int(die(f, b, -(15 << 20)), SIGSEGV, "or before it");
	tap_int(f->ops->protect(f->d, b, true, &e), ASC_OK, "the buffer is protected");
	tap_int(die(f, b, 0), SIGSEGV, "a write to it ends the process");
	tap_int(f->ops->protect(f->d, b, false, &e), ASC_OK, "and no longer");
	fixture_poke(f, b, 0);
	f->ops->release(f->d, b);
}

static void visit(struct fixture *f, int64_t threads, int64_t launches)
{
	static const enum builtin builtins[] = {BUILTIN_BLOCK_X, BUILTIN_BLOCK_Y, BUILTIN_BLOCK_Z,
						BUILTIN_THREAD, BUILTIN_THREADS};
	int32_t counts[25];
	int wrong = 0;
	struct call c;

	call_init(&c, "visit", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	for (size_t i = 0; i < 5 && f->target->threads; i++)
		call_add(&c, ARG_BUILTIN)->builtin = builtins[i];
	c.tensors[0] = fixture_alloc(f, sizeof counts, 0);
	c.plan.threads = threads;
	memcpy(c.plan.grid, (int64_t[]){2, 3, 4}, sizeof c.plan.grid);
	int64_t ns = fixture_run(f, &c, launches);
	tap_ok(ns > 0 && ns < MINUTE_NS, "%d launches by %d threads take %lld ns", (int)launches,
	       (int)threads, (long long)ns);
	fixture_read(f, c.tensors[0], counts, sizeof counts);
	for (int i = 0; i < 24; i++)
		wrong += counts[i] != launches;
	tap_ok(wrong == 0 && counts[24] == 0, "each call of the grid is made once");
	f->ops->release(f->d, c.tensors[0]);
}

/* Calls 0, 11 and 23 of 24. */
static void check_sampled(struct fixture *f)
{
	int32_t counts[25] = {0};
	int made = 0;
	struct call c;

	call_init(&c, "visit", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	for (int i = 0; i < 5; i++)
		call_add(&c, ARG_BUILTIN)->builtin = (enum builtin)i;
	c.tensors[0] = fixture_alloc(f, sizeof counts, 0);
	c.plan.sampled = 3;
	c.plan.threads = 2;
	memcpy(c.plan.grid, (int64_t[]){2, 3, 4}, sizeof c.plan.grid);
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[0], counts, sizeof counts);
	for (int i = 0; i < 24; i++)
		made += counts[i];
	tap_ok(made == 3 && counts[0] == 1 && counts[11] == 1 && counts[23] == 1,
	       "of a sampled grid the first, a middle and the last call are made");
	f->ops->release(f->d, c.tensors[0]);
}

void check_grid(struct fixture *f)
{
	static const int64_t threads[] = {1, 2, 3, 40};

	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		visit(f, threads[i], 1);
		visit(f, threads[i], 200);
		if (!f->target->threads)
			return;
	}
	check_sampled(f);
}

void check_scalars(struct fixture *f)
{
	static const double want[DTYPE_COUNT] = {
		[DTYPE_F64] = 0.1,         [DTYPE_F32] = 0.5,        [DTYPE_F16] = 0x3C00,
		[DTYPE_BF16] = 0x3F80,     [DTYPE_F8E4M3] = 0x38,    [DTYPE_F8E5M2] = 0x3C,
		[DTYPE_I64] = -0x1p53 + 1, [DTYPE_I32] = INT32_MIN,  [DTYPE_I16] = INT16_MIN,
		[DTYPE_I8] = INT8_MIN,     [DTYPE_U64] = UINT32_MAX, [DTYPE_U32] = UINT32_MAX,
		[DTYPE_U16] = UINT16_MAX,  [DTYPE_U8] = UINT8_MAX,   [DTYPE_BOOL] = 1};
	double have[DTYPE_COUNT];
	struct call c;

	call_init(&c, "scalars", DTYPE_F64);
	(void)call_add(&c, ARG_TENSOR);
	for (int t = 0; t < DTYPE_COUNT; t++) {
		struct value v = value_int((int64_t)want[t]);
		if (t == DTYPE_F64 || t == DTYPE_F32)
			v = value_real(want[t]);
		if (dtype_is_float((enum dtype)t) && dtype_bytes((enum dtype)t) < 4)
			v = value_real(1);
		if (t == DTYPE_U64)
			v = value_int(-1);
		call_add_scalar(&c, (enum dtype)t, v);
	}
	c.tensors[0] = fixture_alloc(f, sizeof have, 0);
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[0], have, sizeof have);
	for (int t = 0; t < DTYPE_COUNT; t++)
		tap_ok(have[t] == want[t], "a scalar of type %s: %.17g", dtype_name((enum dtype)t),
		       have[t]);
	f->ops->release(f->d, c.tensors[0]);
}

void check_absent(struct fixture *f)
{
	int32_t out[2] = {0};
	struct call c;

	call_init(&c, "absent", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	call_add(&c, ARG_TENSOR)->tensor = 1;
	call_add(&c, ARG_SCRATCH)->bytes = 100;
	call_add_scalar(&c, DTYPE_I64, value_int(100));
	c.tensors[0] = fixture_alloc(f, sizeof out, 0);
	c.scratch[2] = fixture_alloc(f, 100, 0);
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[0], out, sizeof out);
	tap_int(out[0], 1, "an absent tensor is a null pointer");
	tap_int(out[1], 99, "scratch memory can be used");
	tap_ok(fixture_look(f, c.scratch[2]) == DEVICE_UNHARMED, "and is not left");
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.scratch[2]);
}

/* A kernel is given the address of a tensor's first element, which may lie within its memory. */
void check_place(struct fixture *f)
{
	unsigned char data[64];
	int written = 0;
	struct call c;

	call_init(&c, "poke", DTYPE_U8);
	call_add(&c, ARG_TENSOR)->offset_bytes = 24;
	call_add_scalar(&c, DTYPE_I64, value_int(3));
	c.tensors[0] = fixture_alloc(f, sizeof data, 0);
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[0], data, sizeof data);
	for (size_t i = 0; i < sizeof data; i++)
		written += data[i] != 0;
	tap_ok(data[24 + 3] != 0 && written == 1, "a tensor begins where its view says");
	f->ops->release(f->d, c.tensors[0]);
}

void check_errors(struct fixture *f)
{
	const struct device_batch once = {.samples = 1, .launches = 1};
	struct device_kernel *k = NULL;
	struct asc_err e;
	int64_t ns;
	struct call c;

	tap_ok(f->ops->load(f->d, "/nowhere/kernel.so", "visit", &k, &e) != ASC_OK && !k,
	       "a missing artifact is an error");
	tap_has(e.text, "/nowhere/kernel.so", "that names it");
	tap_ok(f->ops->load(f->d, TEST_DATA "/tap.h", "visit", &k, &e) != ASC_OK,
	       "so is a file that is no artifact: %s", e.text);
	call_init(&c, "poke", DTYPE_U8);
	(void)call_add(&c, ARG_TENSOR);
	call_add_scalar(&c, DTYPE_I64, value_int(0));
	k = fixture_load(f, &c);
	if (!k)
		return;
	tap_ok(f->ops->run(f->d, &(struct device_sequence){&k, 1}, &once, &ns, &e) != ASC_OK,
	       "a kernel is not run unbound");
	c.plan.grid[0] = 0;
	tap_ok(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e) != ASC_OK,
	       "an empty grid is refused: %s", e.text);
	c.plan.grid[0] = 1;
	c.plan.threads = 1025;
	if (f->target->threads)
		tap_int(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e), ASC_LIMIT,
			"too many threads are refused");
	f->ops->unload(f->d, k);
	tap_ok(!f->ops->lost(f->d), "none of this makes the device useless");
}

/* A kernel that is built with `flag` loaded, run and unloaded twice. */
static void run_flagged(struct fixture *f, const char *flag)
{
	static const struct timespec moment = {.tv_nsec = 20000000};
	int32_t sum = 0;
	struct call c;

	call_init(&c, "team", DTYPE_I32);
	c.flag = flag;
	(void)call_add(&c, ARG_TENSOR);
	c.tensors[0] = fixture_alloc(f, sizeof sum, 0);
	bool ran = fixture_run(f, &c, 1) >= 0;
	nanosleep(&moment, NULL); /* for what it has left running to run into nothing */
	if (ran && tap_ok(fixture_run(f, &c, 1) >= 0, "a kernel built with %s runs twice", flag)) {
		fixture_read(f, c.tensors[0], &sum, sizeof sum);
		tap_int(sum, 499500, "and computes");
	}
	f->ops->release(f->d, c.tensors[0]);
}

void check_flags(struct fixture *f)
{
	volatile double least = DBL_MIN;

	if (!f->target->inside) {
		tap_skip("kernels of this device are not loaded into this process");
		return;
	}
	run_flagged(f, "-fopenmp");
	run_flagged(f, "-ffast-math");
	tap_ok(least / 2 > 0, "kernels built with -ffast-math leave us our subnormal numbers");
}

static int count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

void check_leaks(struct fixture *f)
{
	struct device_kernel *k = NULL;
	struct call c;
	struct asc_err e;

	call_init(&c, "poke", DTYPE_U8);
	(void)call_add(&c, ARG_TENSOR);
	call_add_scalar(&c, DTYPE_I64, value_int(0));
	char *artifact = fixture_build(f, &c);
	int before = count_descriptors(), loaded = 0;
	for (int i = 0; artifact && i < 1000; i++) {
		if (f->ops->load(f->d, artifact, "poke", &k, &e))
			break;
		f->ops->unload(f->d, k);
		loaded++;
	}
	tap_int(loaded, 1000, "an artifact is loaded 1000 times");
	tap_int(count_descriptors(), before, "no descriptor is left open");
	free(artifact);
}

/* That it empties caches is a benchmark's affair; that it changes nothing is checked. */
void check_flush(struct fixture *f)
{
	struct device_buffer *b = fixture_alloc(f, 1000, 0x5A);
	unsigned char data[1000] = {0};
	struct asc_err e;

	if (!b)
		return;
	tap_int(f->ops->flush(f->d, NULL, &e), ASC_OK, "the caches are flushed");
	tap_int(f->ops->flush(f->d, NULL, &e), ASC_OK, "and again");
	/* Twice: the second time no memory is new. */
	for (int i = 0; f->ops->empty && i < 2; i++)
		tap_int(f->ops->empty(f->d, &e), ASC_OK, "the caches are emptied");
	tap_int(f->ops->read(f->d, b, data, sizeof data, &e), ASC_OK, "a buffer is read");
	tap_ok(data[0] == 0x5A && data[999] == 0x5A, "and holds what it held");
	tap_ok(fixture_look(f, b) == DEVICE_UNHARMED, "with nothing beyond it");
	f->ops->release(f->d, b);
}

/* *rate: FLOP/s of the type, 0 where they cannot be measured. */
static void check_peak(struct fixture *f, enum dtype type, bool known, double *rate)
{
	const char *name = dtype_name(type);
	const int64_t start = clock_now_ns();
	struct peaks p;
	struct asc_err e;

	tap_int(f->ops->peaks(f->d, type, &p, &e), ASC_OK, "peaks of %s are measured", name);
	tap_note("in %.3f s", 1e-9 * (double)(clock_now_ns() - start));
	const struct peak *arithmetic = peaks_find(&p, PEAK_ARITHMETIC, name);
	const struct peak *memory = peaks_find(&p, PEAK_MEMORY, "");
	tap_ok(isfinite(arithmetic->rate) && arithmetic->low <= arithmetic->rate &&
		       (arithmetic->rate > 0) == (arithmetic->low > 0) &&
		       (arithmetic->rate > 0 || arithmetic->moments == 0),
	       "%g to %g FLOP/s of %s in %d quiet moments", arithmetic->low, arithmetic->rate, name,
	       (int)arithmetic->moments);
	tap_ok(isfinite(memory->rate) && memory->low <= memory->rate, "%g to %g B/s", memory->low,
	       memory->rate);
	if (known)
		tap_ok(arithmetic->rate > 0, "%s can be measured", name);
	*rate = arithmetic->rate;
	for (size_t i = 0; i < p.n; i++)
		tap_note("%s %s: %g to %g", p.rows[i].unit, p.rows[i].type, p.rows[i].low,
			 p.rows[i].rate);
	if (dtype_is_float(type))
		tap_ok(peaks_units(&p, PEAK_PLAIN, type) > 0 &&
			       peaks_units(&p, PEAK_PLAIN, type) < INFINITY,
		       "plain units compute %s", name);
	/* What is nearer is faster, if its size is known at all. */
	const double l1 = peaks_find(&p, PEAK_MEMORY, PEAK_L1)->rate;
	const double l2 = peaks_find(&p, PEAK_MEMORY, PEAK_L2)->rate;
	tap_ok(l2 == 0 || (l1 > l2 && l2 > memory->rate),
	       "L1 is faster than L2, which memory is not");
	const double one = peaks_empty_ns(&p, 0, 1, 1), many = peaks_empty_ns(&p, 0, 1, 1e6);
	tap_ok(one > 0 && many > one && many < 1e9,
	       "empty launches: %g us, of a million blocks %g us", 1e-3 * one, 1e-3 * many);
}

void check_peaks(struct fixture *f)
{
	const int64_t capability = f->info.facts.value[FACT_COMPUTE_CAPABILITY];
	double f32 = 0, f64 = 0, bf16 = 0, f8 = 0, other = 0;

	if (!f->ops->peaks) {
		tap_skip("%s does not tell its peaks", f->ops->name);
		return;
	}
	check_peak(f, DTYPE_F32, true, &f32);
	check_peak(f, DTYPE_F64, true, &f64);
	check_peak(f, DTYPE_BF16, capability >= 80 && capability < 90, &bf16);
	check_peak(f, DTYPE_F16, capability >= 80 && capability < 90, &other);
	check_peak(f, DTYPE_F8E4M3, capability == 89, &f8);
	check_peak(f, DTYPE_I8, capability >= 80 && capability < 90, &other);
	check_peak(f, DTYPE_BOOL, false, &other);
	tap_ok(other == 0, "bool has none");
	tap_ok(f32 != f64, "f32 and f64 have peaks of their own");
	tap_ok(bf16 == 0 || bf16 > f32, "bf16 has matrix units, or none is known");
	tap_ok(f8 == 0 || f8 > bf16, "those of f8e4m3 are faster, or none is known");
}

/* Four threads, one call each: `leave` changes how each of them computes, `thirds` finds out. */
void check_float(struct fixture *f)
{
	enum { THREADS = 4, NUMBERS = 2 };
	static const char *const kernels[] = {"thirds", "leave", "thirds"};
	const volatile float five = 5, three = 3, least = FLT_MIN, half = 0.5F;
	const float want[NUMBERS] = {five / three, least * half};

	if (!f->target->inside) {
		tap_skip("%s does not compute with the host's threads", f->ops->name);
		return;
	}
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		float have[THREADS * NUMBERS];
		struct call c;

		call_init(&c, kernels[i], DTYPE_F32);
		(void)call_add(&c, ARG_TENSOR);
		call_add(&c, ARG_BUILTIN)->builtin = BUILTIN_THREAD;
		c.plan.grid[0] = c.plan.threads = THREADS;
		c.tensors[0] = fixture_alloc(f, sizeof have, 0xFF);
		(void)fixture_run(f, &c, 1);
		fixture_read(f, c.tensors[0], have, sizeof have);
		f->ops->release(f->d, c.tensors[0]);
		for (size_t t = 0; t < THREADS && i != 1; t++)
			tap_ok(have[NUMBERS * t] == want[0] && have[NUMBERS * t + 1] == want[1],
			       "thread %zu (%a, %a) rounds to nearest and keeps subnormals %s", t,
			       have[NUMBERS * t], have[NUMBERS * t + 1],
			       i ? "after a kernel that does not" : "");
	}
	tap_ok(five / three == want[0] && least * half == want[1], "so does what compares");
}

/* Launches without a clock, before and after timed ones. */
void check_launch(struct fixture *f)
{
	const struct device_batch batch = {.samples = 1, .launches = 4};
	int64_t ns = 0;
	int32_t counts[25];
	struct call c;
	struct asc_err e;

	call_init(&c, "visit", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	for (int i = 0; i < 5 && f->target->threads; i++)
		call_add(&c, ARG_BUILTIN)->builtin = (enum builtin)i;
	c.tensors[0] = fixture_alloc(f, sizeof counts, 0);
	c.plan.grid[0] = 2;
	struct device_kernel *k = fixture_load(f, &c);
	if (!k)
		return;
	tap_int(f->ops->launch(f->d, &(struct device_sequence){&k, 1}, 1, &e), ASC_USAGE,
		"a launch before arguments are bound");
	tap_int(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e), ASC_OK, "bound");
	for (int32_t made = 0; made < 14;) {
		tap_int(f->ops->launch(f->d, &(struct device_sequence){&k, 1}, 3, &e), ASC_OK,
			"3 launches without a clock");
		tap_int(f->ops->wait(f->d, &e), ASC_OK, "they are waited for");
		fixture_read(f, c.tensors[0], counts, sizeof counts);
		tap_int(counts[1], made += 3, "launches made, the untimed ones included");
		tap_int(f->ops->run(f->d, &(struct device_sequence){&k, 1}, &batch, &ns, &e),
			ASC_OK, "4 timed launches");
		tap_ok(ns > 0 && ns < MINUTE_NS, "timed launches after untimed ones: %lld ns",
		       (long long)ns);
		made += 4;
	}
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}
