/* The conformance program: one table of checks, run for every device that is usable here. A new
 * device adds a line to `targets` and its kernels. */
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/probe.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/build/builder.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/results/result.h"
#include "tuner/results/roofline.h"

#define BUILD_LIMIT_NS INT64_C(120000000000)
#define MINUTE_NS      INT64_C(60000000000)

/* How kernels are made for a device, and what only some can do. */
static const struct target {
	const char *device, *builder, *folder, *suffix;
	bool threads; /* the plan's threads share the grid's calls */
	bool guards;  /* a stray access ends the process */
	bool inside;  /* kernels are loaded into this process, whatever they were built with */
	bool blocks;  /* kernels know their block, and blocks may meet; tensor maps */
} targets[] = {{"cpu", "cc", TEST_DATA "/device/kernels", ".c", true, true, true, false},
	       {"cuda", "nvrtc", TEST_DATA "/device/kernels", ".cu", false, false, false, true},
	       {0}};

struct fixture {
	const struct target *target;
	const struct device_ops *ops;
	struct device_info info;
	struct device *d;
	struct pool *pool;
};

static char scratch[300];
static char program[300]; /* this one, which compiles for itself */

/* ---- kernels ---- */

struct call {
	const char *name; /* of source and entry */
	const char *flag; /* one that the compiler may not know, or NULL */
	struct plan plan;
	enum dtype types[2];
	struct device_buffer *tensors[2];
	struct device_buffer *scratch[WORKLOAD_MAX_ARGUMENTS];
};

static void call_init(struct call *c, const char *name, enum dtype type)
{
	*c = (struct call){
		.name = name,
		.types = {type, DTYPE_F32},
		.plan = {
			.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .threads = 1}};
}

static struct bound_argument *add(struct call *c, enum argument_kind kind)
{
	struct bound_argument *a = &c->plan.arguments[c->plan.n_arguments++];

	a->kind = kind;
	return a;
}

static void add_scalar(struct call *c, enum dtype type, struct value v)
{
	struct bound_argument *a = add(c, ARG_SCALAR);

	a->type = type;
	a->scalar = v;
}

/* Of a plan's argument. */
static enum build_argument_kind kind_of(const struct bound_argument *a)
{
	return a->kind == ARG_TENSOR       ? BUILD_TENSOR
	       : a->kind == ARG_SCALAR     ? BUILD_SCALAR
	       : a->kind == ARG_SCRATCH    ? BUILD_SCRATCH
	       : a->kind == ARG_TENSOR_MAP ? BUILD_TENSOR_MAP
					   : BUILD_BUILTIN;
}

/* Heap path of the artifact, or NULL after a failed test: a skipped one if there is a flag. */
static char *build(struct fixture *f, const struct call *c)
{
	const struct builder_ops *builder = builder_find(f->target->builder);
	char *source = str_print("%s/%s%s", f->target->folder, c->name, f->target->suffix);
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e;
	char *artifact = NULL;

	build_request_init(&r, source, c->name, f->info.arch, program);
	if (c->flag)
		build_request_add_flag(&r, c->flag);
	for (size_t i = 0; i < c->plan.n_arguments; i++) {
		const struct bound_argument *a = &c->plan.arguments[i];
		enum dtype type = a->kind == ARG_TENSOR ? c->types[a->tensor] : a->type;

		build_request_add_argument(&r, kind_of(a), type, NULL);
	}
	if (pool_submit(f->pool, 1, builder, &r, &e))
		tap_ok(false, "pool_submit %s: %s", source, e.text);
	else if (pool_take(f->pool, -1, &done) && done.artifact.path)
		artifact = str_dup(done.artifact.path);
	else if (c->flag)
		tap_skip("%s with %s: %s", source, c->flag, done.reason);
	else
		tap_ok(false, "%s is built: %s", source, done.reason);
	pool_done_fini(&done);
	free(source);
	return artifact;
}

static struct device_kernel *load(struct fixture *f, const struct call *c)
{
	struct device_kernel *k = NULL;
	struct asc_err e;
	char *artifact = build(f, c);

	if (artifact && f->ops->load(f->d, artifact, c->name, &k, &e))
		tap_ok(false, "%s is loaded: %s", c->name, e.text);
	free(artifact);
	return k;
}

/* Builds, loads, binds and runs; -1 after a failed test, else nanoseconds. */
static int64_t run(struct fixture *f, const struct call *c, int64_t launches)
{
	const struct device_batch batch = {.samples = 1, .launches = launches};
	int64_t ns = -1;
	struct asc_err e;
	struct device_kernel *k = load(f, c);

	if (!k)
		return -1;
	if (f->ops->bind(f->d, k, &c->plan, c->tensors, c->scratch, &e) ||
	    f->ops->run(f->d, k, &batch, &ns, &e)) {
		tap_ok(false, "%s runs: %s", c->name, e.text);
		ns = -1;
	}
	f->ops->unload(f->d, k);
	return ns;
}

static struct device_buffer *alloc(struct fixture *f, size_t bytes, int byte)
{
	struct device_buffer *b = NULL;
	struct asc_err e;

	if (f->ops->alloc(f->d, bytes, &b, &e) || f->ops->fill(f->d, b, byte, &e))
		tap_ok(false, "a buffer of %zu bytes: %s", bytes, e.text);
	return b;
}

static enum device_harm look(struct fixture *f, struct device_buffer *b)
{
	return device_look(f->ops, f->d, b);
}

static void get(struct fixture *f, const struct device_buffer *b, void *data, size_t bytes)
{
	struct asc_err e;

	if (f->ops->read(f->d, b, data, bytes, &e))
		tap_ok(false, "read: %s", e.text);
}

/* ---- the checks ---- */

static void check_inspect(struct fixture *f)
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
	tap_int(f->ops->inspect("", &again, &e), ASC_OK, "it is inspected again");
	tap_str(again.fingerprint, f->info.fingerprint, "with the same fingerprint");
	again.facts.value[FACT_MEMORY_BYTES]++;
	again.facts.known[FACT_MEMORY_BYTES] = true;
	(void)device_info_seal(&again, f->ops->name, &e);
	tap_ok(strcmp(again.fingerprint, f->info.fingerprint) != 0, "which depends on the facts");
	tap_ok(f->ops->inspect("9999", &again, &e) == ASC_ABSENT && e.text[0],
	       "one that is not there is an error");
	tap_int(f->ops->inspect("x", &again, &e), ASC_USAGE, "a place that is no place");
	const struct device_info *opened = f->ops->info(f->d);
	tap_str(opened->fingerprint, f->info.fingerprint, "the opened device's fingerprint");
	tap_ok(opened->queues == f->info.queues && opened->shares_host == f->info.shares_host &&
		       !opened->simulated,
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
	get(f, b, out, bytes);
	for (size_t i = 0; i < bytes; i++)
		wrong += out[i] != 0xA5;
	tap_int(wrong, 0, "every byte");
	tap_ok(look(f, b) == DEVICE_UNHARMED, "it is intact");
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

static void check_buffers(struct fixture *f)
{
	static const size_t sizes[] = {1, 63, 64, 4096, (1 << 20) + 3, 5 << 20};
	struct device_buffer *b = NULL;
	struct asc_err e;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_buffer(f, sizes[i]);
	tap_int(f->ops->alloc(f->d, SIZE_MAX - 100, &b, &e), ASC_NOMEM, "more than there is");
	f->ops->release(f->d, NULL);
	f->ops->unload(f->d, NULL);
	f->ops->close(NULL);
}

/* By a kernel that writes one byte; "pry" makes its page writable first. */
static void write_by(struct fixture *f, const char *kernel, struct device_buffer *b, int64_t at)
{
	struct call c;

	call_init(&c, kernel, DTYPE_U8);
	(void)add(&c, ARG_TENSOR);
	add_scalar(&c, DTYPE_I64, value_int(at));
	c.tensors[0] = b;
	(void)run(f, &c, 1);
}

static void poke(struct fixture *f, struct device_buffer *b, int64_t at)
{
	write_by(f, "poke", b, at);
}

static void check_intact(struct fixture *f)
{
	/* Where no access is guarded, those further away are noticed in the same way. */
	static const int64_t strays[] = {100, 127, -1, -28, 5000, 60000, -5000, -60000};
	const size_t n = f->target->guards ? 4 : sizeof strays / sizeof *strays;

	for (size_t i = 0; i < n; i++) {
		struct device_buffer *b = alloc(f, 100, 0);
		poke(f, b, 99);
		tap_ok(look(f, b) == DEVICE_UNHARMED,
		       "a write to the last byte is noticed as fine");
		poke(f, b, strays[i]);
		tap_ok(look(f, b) == DEVICE_STRAY, "a write to byte %d of 100 is noticed",
		       (int)strays[i]);
		f->ops->release(f->d, b);
	}
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
		poke(f, b, at);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void check_guards(struct fixture *f)
{
	struct asc_err e;

	if (!f->target->guards) {
		tap_skip("this device has no guards");
		return;
	}
	struct device_buffer *b = alloc(f, 128, 0);
	poke(f, b, 0); /* so that the kernel is in the cache */
	tap_int(die(f, b, 128), SIGSEGV, "a write past 128 of 128 bytes ends the process");
	tap_int(die(f, b, 0), 0, "one inside does not");
	tap_int(die(f, b, 128 + 20480), SIGSEGV, "one pages behind it does");
	tap_int(die(f, b, 15 << 20), SIGSEGV, "and one megabytes behind it");
	tap_int(die(f, b, -(15 << 20)), SIGSEGV, "or before it");
	tap_int(f->ops->protect(f->d, b, true, &e), ASC_OK, "the buffer is protected");
	tap_int(die(f, b, 0), SIGSEGV, "a write to it ends the process");
	tap_int(f->ops->protect(f->d, b, false, &e), ASC_OK, "and no longer");
	poke(f, b, 0);
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
	(void)add(&c, ARG_TENSOR);
	for (size_t i = 0; i < 5 && !f->target->blocks; i++)
		add(&c, ARG_BUILTIN)->builtin = builtins[i];
	c.tensors[0] = alloc(f, sizeof counts, 0);
	c.plan.threads = threads;
	memcpy(c.plan.grid, (int64_t[]){2, 3, 4}, sizeof c.plan.grid);
	int64_t ns = run(f, &c, launches);
	tap_ok(ns > 0 && ns < MINUTE_NS, "%d launches by %d threads take %lld ns", (int)launches,
	       (int)threads, (long long)ns);
	get(f, c.tensors[0], counts, sizeof counts);
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
	(void)add(&c, ARG_TENSOR);
	for (int i = 0; i < 5; i++)
		add(&c, ARG_BUILTIN)->builtin = (enum builtin)i;
	c.tensors[0] = alloc(f, sizeof counts, 0);
	c.plan.sampled = 3;
	c.plan.threads = 2;
	memcpy(c.plan.grid, (int64_t[]){2, 3, 4}, sizeof c.plan.grid);
	(void)run(f, &c, 1);
	get(f, c.tensors[0], counts, sizeof counts);
	for (int i = 0; i < 24; i++)
		made += counts[i];
	tap_ok(made == 3 && counts[0] == 1 && counts[11] == 1 && counts[23] == 1,
	       "of a sampled grid the first, a middle and the last call are made");
	f->ops->release(f->d, c.tensors[0]);
}

static void check_grid(struct fixture *f)
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

static void check_scalars(struct fixture *f)
{
	static const double want[DTYPE_COUNT] = {
		[DTYPE_F64] = 0.1,        [DTYPE_F32] = 0.5,         [DTYPE_F16] = 0x3C00,
		[DTYPE_BF16] = 0x3F80,    [DTYPE_I64] = -0x1p53 + 1, [DTYPE_I32] = INT32_MIN,
		[DTYPE_I16] = INT16_MIN,  [DTYPE_I8] = INT8_MIN,     [DTYPE_U64] = UINT32_MAX,
		[DTYPE_U32] = UINT32_MAX, [DTYPE_U16] = UINT16_MAX,  [DTYPE_U8] = UINT8_MAX,
		[DTYPE_BOOL] = 1};
	double have[DTYPE_COUNT];
	struct call c;

	call_init(&c, "scalars", DTYPE_F64);
	(void)add(&c, ARG_TENSOR);
	for (int t = 0; t < DTYPE_COUNT; t++) {
		struct value v = value_int((int64_t)want[t]);
		if (t == DTYPE_F64 || t == DTYPE_F32)
			v = value_real(want[t]);
		if (t == DTYPE_F16 || t == DTYPE_BF16)
			v = value_real(1);
		if (t == DTYPE_U64)
			v = value_int(-1);
		add_scalar(&c, (enum dtype)t, v);
	}
	c.tensors[0] = alloc(f, sizeof have, 0);
	(void)run(f, &c, 1);
	get(f, c.tensors[0], have, sizeof have);
	for (int t = 0; t < DTYPE_COUNT; t++)
		tap_ok(have[t] == want[t], "a scalar of type %s: %.17g", dtype_name((enum dtype)t),
		       have[t]);
	f->ops->release(f->d, c.tensors[0]);
}

static void check_absent(struct fixture *f)
{
	int32_t out[2] = {0};
	struct call c;

	call_init(&c, "absent", DTYPE_I32);
	(void)add(&c, ARG_TENSOR);
	add(&c, ARG_TENSOR)->tensor = 1;
	add(&c, ARG_SCRATCH)->bytes = 100;
	add_scalar(&c, DTYPE_I64, value_int(100));
	c.tensors[0] = alloc(f, sizeof out, 0);
	c.scratch[2] = alloc(f, 100, 0);
	(void)run(f, &c, 1);
	get(f, c.tensors[0], out, sizeof out);
	tap_int(out[0], 1, "an absent tensor is a null pointer");
	tap_int(out[1], 99, "scratch memory can be used");
	tap_ok(look(f, c.scratch[2]) == DEVICE_UNHARMED, "and is not left");
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.scratch[2]);
}

static void check_errors(struct fixture *f)
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
	(void)add(&c, ARG_TENSOR);
	add_scalar(&c, DTYPE_I64, value_int(0));
	k = load(f, &c);
	if (!k)
		return;
	tap_ok(f->ops->run(f->d, k, &once, &ns, &e) != ASC_OK, "a kernel is not run unbound");
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
	(void)add(&c, ARG_TENSOR);
	c.tensors[0] = alloc(f, sizeof sum, 0);
	bool ran = run(f, &c, 1) >= 0;
	nanosleep(&moment, NULL); /* for what it has left running to run into nothing */
	if (ran && tap_ok(run(f, &c, 1) >= 0, "a kernel built with %s runs twice", flag)) {
		get(f, c.tensors[0], &sum, sizeof sum);
		tap_int(sum, 499500, "and computes");
	}
	f->ops->release(f->d, c.tensors[0]);
}

static void check_flags(struct fixture *f)
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

static void check_leaks(struct fixture *f)
{
	struct device_kernel *k = NULL;
	struct call c;
	struct asc_err e;

	call_init(&c, "poke", DTYPE_U8);
	(void)add(&c, ARG_TENSOR);
	add_scalar(&c, DTYPE_I64, value_int(0));
	char *artifact = build(f, &c);
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
static void check_flush(struct fixture *f)
{
	struct device_buffer *b = alloc(f, 1000, 0x5A);
	unsigned char data[1000] = {0};
	struct asc_err e;

	if (!b)
		return;
	tap_int(f->ops->flush(f->d, NULL, &e), ASC_OK, "the caches are flushed");
	tap_int(f->ops->flush(f->d, NULL, &e), ASC_OK, "and again");
	tap_int(f->ops->read(f->d, b, data, sizeof data, &e), ASC_OK, "a buffer is read");
	tap_ok(data[0] == 0x5A && data[999] == 0x5A, "and holds what it held");
	tap_ok(look(f, b) == DEVICE_UNHARMED, "with nothing beyond it");
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
		       (arithmetic->rate > 0) == (arithmetic->moments > 1),
	       "%g to %g FLOP/s of %s in %d moments", arithmetic->low, arithmetic->rate, name,
	       (int)arithmetic->moments);
	tap_ok(isfinite(memory->rate) && memory->low <= memory->rate, "%g to %g B/s", memory->low,
	       memory->rate);
	if (known)
		tap_ok(arithmetic->rate > 0, "%s can be measured", name);
	*rate = arithmetic->rate;
}

static void check_peaks(struct fixture *f)
{
	const int64_t capability = f->info.facts.value[FACT_COMPUTE_CAPABILITY];
	double f32 = 0, f64 = 0, bf16 = 0, other = 0;

	if (!f->ops->peaks) {
		tap_skip("%s does not tell its peaks", f->ops->name);
		return;
	}
	check_peak(f, DTYPE_F32, true, &f32);
	check_peak(f, DTYPE_F64, true, &f64);
	check_peak(f, DTYPE_BF16, capability >= 80 && capability < 90, &bf16);
	check_peak(f, DTYPE_F16, capability >= 80 && capability < 90, &other);
	check_peak(f, DTYPE_I8, capability >= 80 && capability < 90, &other);
	check_peak(f, DTYPE_BOOL, false, &other);
	tap_ok(other == 0, "bool has none");
	tap_ok(f32 != f64, "f32 and f64 have peaks of their own");
	tap_ok(bf16 == 0 || bf16 > f32, "bf16 has matrix units, or none is known");
}

/* Four threads, one call each: `leave` changes how each of them computes, `thirds` finds out. */
static void check_float(struct fixture *f)
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
		(void)add(&c, ARG_TENSOR);
		add(&c, ARG_BUILTIN)->builtin = BUILTIN_THREAD;
		c.plan.grid[0] = c.plan.threads = THREADS;
		c.tensors[0] = alloc(f, sizeof have, 0xFF);
		(void)run(f, &c, 1);
		get(f, c.tensors[0], have, sizeof have);
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
static void check_launch(struct fixture *f)
{
	const struct device_batch batch = {.samples = 1, .launches = 4};
	int64_t ns = 0;
	int32_t counts[25];
	struct call c;
	struct asc_err e;

	call_init(&c, "visit", DTYPE_I32);
	(void)add(&c, ARG_TENSOR);
	for (int i = 0; i < 5 && !f->target->blocks; i++)
		add(&c, ARG_BUILTIN)->builtin = (enum builtin)i;
	c.tensors[0] = alloc(f, sizeof counts, 0);
	c.plan.grid[0] = 2;
	struct device_kernel *k = load(f, &c);
	if (!k)
		return;
	tap_int(f->ops->launch(f->d, k, 1, &e), ASC_USAGE, "a launch before arguments are bound");
	tap_int(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e), ASC_OK, "bound");
	for (int32_t made = 0; made < 14;) {
		tap_int(f->ops->launch(f->d, k, 3, &e), ASC_OK, "3 launches without a clock");
		tap_int(f->ops->wait(f->d, &e), ASC_OK, "they are waited for");
		get(f, c.tensors[0], counts, sizeof counts);
		tap_int(counts[1], made += 3, "launches made, the untimed ones included");
		tap_int(f->ops->run(f->d, k, &batch, &ns, &e), ASC_OK, "4 timed launches");
		tap_ok(ns > 0 && ns < MINUTE_NS, "timed launches after untimed ones: %lld ns",
		       (long long)ns);
		made += 4;
	}
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

/* ---- what only some devices do ---- */

static void check_queue(struct fixture *f)
{
	const struct device_batch batch = {.samples = 5, .launches = 60, .cold = true};
	int64_t ns[5] = {0};
	int32_t counts[25];
	struct call c;
	struct asc_err e;

	if (!f->info.queues) {
		tap_skip("%s does not queue launches", f->ops->name);
		return;
	}
	call_init(&c, "visit", DTYPE_I32);
	(void)add(&c, ARG_TENSOR);
	c.tensors[0] = alloc(f, sizeof counts, 0);
	c.plan.grid[0] = 2;
	struct device_kernel *k = load(f, &c);
	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e))
		tap_int(f->ops->run(f->d, k, &batch, ns, &e), ASC_OK, "5 samples of 60 launches");
	for (size_t i = 0; i < 5; i++)
		tap_ok(ns[i] >= 60 && ns[i] < MINUTE_NS, "sample %zu: %lld ns", i,
		       (long long)ns[i]);
	get(f, c.tensors[0], counts, sizeof counts);
	tap_int(counts[1], 300, "all launches were made");
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return -1;
}

/* A third of a second of flushes. */
static void watch_flushes(struct fixture *f, struct probe *p, struct result *out)
{
	const struct probe_ops *nvml = probe_find("nvml");
	const int64_t start = clock_now_ns();
	struct asc_err e;

	tap_int(nvml->begin(p, &e), ASC_OK, "the probe nvml begins");
	while (clock_now_ns() - start < MINUTE_NS / 180)
		(void)f->ops->flush(f->d, NULL, &e);
	tap_int(nvml->end(p, out, &e), ASC_OK, "and ends");
}

static void check_nvml(struct fixture *f)
{
	const struct probe_ops *nvml = probe_find("nvml");
	const struct device_info nowhere = {.bus = "ffff:ff:1f.0"};
	char reason[256] = "";
	struct probe *p = NULL;
	struct result r;
	struct asc_err e;

	if (!nvml->check(f->ops->name, reason, sizeof reason)) {
		tap_skip("the probe nvml: %s", reason);
		return;
	}
	result_init(&r);
	if (tap_int(nvml->open(f->ops->info(f->d), &p, &e), ASC_OK, "the probe nvml is opened")) {
		watch_flushes(f, p, &r);
		tap_ok(find_metric(&r, "seconds") >= 0.3, "%g s", find_metric(&r, "seconds"));
		tap_ok(find_metric(&r, "power") > 5, "%g W", find_metric(&r, "power"));
		tap_ok(find_metric(&r, "sm_clock") > 100, "%g MHz", find_metric(&r, "sm_clock"));
		tap_ok(find_metric(&r, "temperature") > 5, "%g degrees",
		       find_metric(&r, "temperature"));
		tap_ok(find_metric(&r, "readings") >= 10, "%g readings",
		       find_metric(&r, "readings"));
		tap_ok(find_metric(&r, "energy_counted") < 0, "too short to be counted");
		nvml->close(p);
	}
	tap_ok(nvml->open(&nowhere, &p, &e) == ASC_ABSENT && !p, "not there: %s", e.text);
	result_fini(&r);
}

/* Every clock that a GPU has, each on a device opened for it. Comes last: what runs there is
 * recorded for the first one too. */
static void check_clocks(struct fixture *f)
{
	static const char *const names[] = {"event-blocked", "event"};
	struct asc_err e;

	if (strcmp(f->ops->name, "cuda") != 0) {
		tap_skip("%s has one clock", f->ops->name);
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct fixture other = *f;

		(void)setenv("ASCTUNE_CUDA_CLOCK", names[i], 1);
		if (f->ops->inspect("", &other.info, &e) || f->ops->open("", &other.d, &e)) {
			tap_ok(false, "%s: %s", names[i], e.text);
			continue;
		}
		tap_str(other.info.clock, names[i], "a device with the clock %s", names[i]);
		tap_ok(strcmp(other.info.fingerprint, f->info.fingerprint) != 0,
		       "is told from the one with %s", f->info.clock);
		check_queue(&other);
		check_queue(&other);
		f->ops->close(other.d);
	}
	(void)unsetenv("ASCTUNE_CUDA_CLOCK");
}

static void check_unchanged(struct fixture *f)
{
	static const int64_t places[] = {0, 500, 998, 1002};
	struct asc_err e;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct device_buffer *b = alloc(f, 1003, 0x11);
		(void)f->ops->protect(f->d, b, true, &e);
		tap_ok(look(f, b) == DEVICE_UNHARMED, "what is read-only is unchanged");
		write_by(f, f->target->guards ? "pry" : "poke", b, places[i]);
		tap_ok(look(f, b) == DEVICE_CHANGED, "a write to byte %d is noticed",
		       (int)places[i]);
		(void)f->ops->fill(f->d, b, 0x12, &e);
		tap_ok(look(f, b) == DEVICE_UNHARMED, "ours is no change");
		(void)f->ops->protect(f->d, b, false, &e);
		poke(f, b, places[i]);
		tap_ok(look(f, b) == DEVICE_UNHARMED, "nor is one where kernels may write");
		f->ops->release(f->d, b);
	}
}

/* Each has its own, however many are looked at together. */
static void check_many(struct fixture *f)
{
	enum { N = 50, STRAY = 7, CHANGED = 41 };
	struct device_buffer *buffers[N];
	enum device_harm harms[N];
	struct asc_err e;
	int right = 0;

	for (int i = 0; i < N; i++) {
		buffers[i] = alloc(f, 90 + (size_t)i, i);
		(void)f->ops->protect(f->d, buffers[i], i % 3 == CHANGED % 3, &e);
	}
	poke(f, buffers[STRAY], -1);
	write_by(f, f->target->guards ? "pry" : "poke", buffers[CHANGED], 90 + CHANGED - 1);
	f->ops->look(f->d, buffers, N, harms);
	for (int i = 0; i < N; i++)
		right += harms[i] == (i == STRAY     ? DEVICE_STRAY
				      : i == CHANGED ? DEVICE_CHANGED
						     : DEVICE_UNHARMED);
	tap_int(right, N, "of many buffers each has its own harm");
	for (int i = 0; i < N; i++)
		f->ops->release(f->d, buffers[i]);
}

/* Elements with known errors against a reference of i: 0.5 at 3, twice 1 at 70001, NaN at the last
 * one; written as `type`. */
static void compare(struct fixture *f, enum dtype type, double scale)
{
	enum { N = 100001 };
	const struct device_tolerance how = {.type = type, .count = N, .atol = 0.25};
	double *numbers = malloc(N * sizeof *numbers);
	void *elements = malloc(N * sizeof *numbers);
	struct device_buffer *out = alloc(f, N * dtype_bytes(type), 0);
	struct device_buffer *reference = alloc(f, N * sizeof *numbers, 0);
	struct device_difference d;
	struct asc_err e;

	for (int i = 0; i < N; i++)
		numbers[i] = scale * (double)(i % 100);
	(void)f->ops->write(f->d, reference, numbers, N * sizeof *numbers, &e);
	dtype_from_double(type, numbers, elements, N);
	(void)f->ops->write(f->d, out, elements, N * dtype_bytes(type), &e);
	tap_int(f->ops->compare(f->d, out, reference, &how, &d, &e), ASC_OK, "%s is compared",
		dtype_name(type));
	tap_ok(d.bad == 0 && d.first == -1 && d.max_abs == 0 && d.sum_abs == 0, "and equal");
	numbers[3] += 1;
	numbers[70001] += 2;
	if (dtype_is_float(type))
		numbers[N - 1] = NAN;
	dtype_from_double(type, numbers, elements, N);
	(void)f->ops->write(f->d, out, elements, N * dtype_bytes(type), &e);
	tap_int(f->ops->compare(f->d, out, reference, &how, &d, &e), ASC_OK, "again");
	tap_int(d.bad, dtype_is_float(type) ? 3 : 2, "elements that differ are counted");
	tap_int(d.not_finite, dtype_is_float(type), "so is what is no number");
	tap_int(d.first, 3, "the first is known");
	tap_ok(d.first_out == 3 * scale + 1 && d.first_reference == 3 * scale, "with its values");
	tap_ok(d.max_abs == 2 && d.sum_abs == 3, "largest error %g, sum %g", d.max_abs, d.sum_abs);
	tap_ok(d.max_rel == fmax(1 / (3 * scale), 2 / scale), "largest relative error %g",
	       d.max_rel);
	f->ops->release(f->d, out);
	f->ops->release(f->d, reference);
	free(elements);
	free(numbers);
}

/* 0.25 more than allowed anywhere else; a zero of another sign; a NaN that both have. */
static void compare_exactly(struct fixture *f)
{
	enum { N = 1000 };
	const struct device_tolerance how = {
		.type = DTYPE_F32, .count = N, .atol = 0.5, .exact = true};
	float out[N] = {[7] = -0.0F, [900] = 0.25F, [999] = NAN};
	double numbers[N] = {[999] = NAN};
	struct device_buffer *b = alloc(f, sizeof out, 0);
	struct device_buffer *reference = alloc(f, sizeof numbers, 0);
	struct device_difference d;
	struct asc_err e;

	(void)f->ops->write(f->d, b, out, sizeof out, &e);
	(void)f->ops->write(f->d, reference, numbers, sizeof numbers, &e);
	tap_int(f->ops->compare(f->d, b, reference, &how, &d, &e), ASC_OK, "compared exactly");
	tap_ok(d.bad == 2 && d.first == 7, "%d elements differ, first %d", (int)d.bad,
	       (int)d.first);
	tap_real(d.max_abs, 0.25, 0, "the largest error");
	f->ops->release(f->d, b);
	f->ops->release(f->d, reference);
}

static void check_compare(struct fixture *f)
{
	if (!f->ops->compare) {
		tap_skip("%s does not compare: that is done by the host", f->ops->name);
		return;
	}
	for (int t = 0; t < DTYPE_COUNT; t++)
		if (t != DTYPE_BOOL)
			compare(f, (enum dtype)t, 1);
	compare_exactly(f);
}

static void check_facts(struct fixture *f)
{
	struct result r;
	struct call c;
	struct asc_err e;

	if (!f->ops->facts) {
		tap_skip("%s does not tell what a kernel takes", f->ops->name);
		return;
	}
	result_init(&r);
	call_init(&c, "poke", DTYPE_U8);
	(void)add(&c, ARG_TENSOR);
	add_scalar(&c, DTYPE_I64, value_int(0));
	c.plan.shared_bytes = 100000;
	c.tensors[0] = alloc(f, 1, 0);
	struct device_kernel *k = load(f, &c);
	if (k && tap_int(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e), ASC_OK,
			 "bound with much shared memory"))
		tap_int(f->ops->facts(k, &r, &e), ASC_OK, "it tells what the kernel takes");
	tap_ok(find_metric(&r, "registers") > 0 && find_metric(&r, "registers") < 256,
	       "%g registers", find_metric(&r, "registers"));
	tap_int(find_metric(&r, "local_bytes"), 0, "none of them spilled");
	tap_int(find_metric(&r, "shared_bytes"), 100000, "and the launch's shared memory");
	result_fini(&r);
	c.plan.shared_bytes = INT64_C(1) << 30;
	tap_int(k ? f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e) : ASC_OK, ASC_LIMIT,
		"a gigabyte of it is refused");
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

static void meet(struct fixture *f, int64_t cluster)
{
	int32_t sizes[8] = {0};
	struct call c;

	call_init(&c, "meet", DTYPE_I32);
	(void)add(&c, ARG_TENSOR);
	add(&c, ARG_TENSOR)->tensor = 1;
	c.types[1] = DTYPE_I32;
	c.tensors[0] = alloc(f, sizeof sizes, 0);
	c.tensors[1] = alloc(f, sizeof(int32_t), 0);
	c.plan.grid[0] = 8;
	c.plan.cluster[0] = cluster;
	c.plan.cooperative = 1;
	(void)run(f, &c, 1);
	get(f, c.tensors[0], sizes, sizeof sizes);
	for (size_t i = 0; i < 8; i++)
		tap_int(sizes[i], cluster, "block %zu met the others, in a cluster of %d", i,
			(int)cluster);
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.tensors[1]);
}

static void check_blocks(struct fixture *f)
{
	if (!f->target->blocks) {
		tap_skip("%s has no blocks that could meet", f->ops->name);
		return;
	}
	meet(f, 1);
	if (f->info.facts.value[FACT_COMPUTE_CAPABILITY] >= 90)
		meet(f, 4);
	else
		tap_skip("clusters begin with compute capability 9");
}

static void check_tile(struct fixture *f)
{
	enum { ROWS = 24, COLUMNS = 64 };
	float in[ROWS * COLUMNS], out[8 * 16] = {0};
	int wrong = 0;
	struct call c;
	struct asc_err e;

	if (!f->target->blocks || f->info.facts.value[FACT_COMPUTE_CAPABILITY] < 90) {
		tap_skip("%s has no tensor maps", f->ops->name);
		return;
	}
	for (int i = 0; i < ROWS * COLUMNS; i++)
		in[i] = (float)i;
	call_init(&c, "tile", DTYPE_F32);
	*add(&c, ARG_TENSOR_MAP) = (struct bound_argument){.kind = ARG_TENSOR_MAP,
							   .type = DTYPE_F32,
							   .rank = 2,
							   .shape = {ROWS, COLUMNS},
							   .box = {8, 16},
							   .swizzle = "none"};
	add(&c, ARG_TENSOR)->tensor = 1;
	c.tensors[0] = alloc(f, sizeof in, 0);
	c.tensors[1] = alloc(f, sizeof out, 0);
	c.plan.block[0] = 8 * 16;
	(void)f->ops->write(f->d, c.tensors[0], in, sizeof in, &e);
	(void)run(f, &c, 1);
	get(f, c.tensors[1], out, sizeof out);
	for (int i = 0; i < 8 * 16; i++)
		wrong += out[i] != in[(8 + i / 16) * COLUMNS + 16 + i % 16];
	tap_int(wrong, 0, "a tile is copied by its tensor map");
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.tensors[1]);
}

static const struct {
	const char *name;
	void (*check)(struct fixture *f);
} checks[] = {
	{"inspect", check_inspect}, {"buffers", check_buffers},     {"intact", check_intact},
	{"guards", check_guards},   {"grid", check_grid},           {"scalars", check_scalars},
	{"absent", check_absent},   {"errors", check_errors},       {"flags", check_flags},
	{"leaks", check_leaks},     {"flush", check_flush},         {"peaks", check_peaks},
	{"queue", check_queue},     {"unchanged", check_unchanged}, {"compare", check_compare},
	{"facts", check_facts},     {"launch", check_launch},       {"blocks", check_blocks},
	{"tile", check_tile},       {"float", check_float},         {"nvml", check_nvml},
	{"clocks", check_clocks},   {"many", check_many},
};

/* ---- which devices ---- */

static const struct target *find_target(const char *device)
{
	const struct target *t = targets;

	while (t->device && strcmp(t->device, device) != 0)
		t++;
	return t;
}

static void check_device(const struct device_ops *ops)
{
	struct fixture f = {.ops = ops, .target = find_target(ops->name)};
	struct asc_err e;

	if (!tap_ok(f.target->device, "%s has kernels for these checks", ops->name))
		return;
	if (!tap_int(ops->inspect("", &f.info, &e), ASC_OK, "%s is inspected", ops->name) ||
	    !tap_int(ops->open("", &f.d, &e), ASC_OK, "%s is opened", ops->name))
		return;
	if (pool_open(scratch, 2, BUILD_LIMIT_NS, &f.pool, &e)) {
		tap_ok(false, "%s", e.text);
	} else {
		for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
			tap_note("%s: %s", ops->name, checks[i].name);
			checks[i].check(&f);
		}
	}
	pool_close(f.pool);
	ops->close(f.d);
}

static void check_members(const struct device_ops *ops)
{
	tap_ok(ops->name && ops->summary && ops->check && ops->count && ops->inspect,
	       "%s has what every entry has", ops->name);
	tap_ok(device_find(ops->name) == ops, "%s is found by name", ops->name);
	if (!ops->open)
		return;
	tap_ok(ops->close && ops->lost && ops->alloc && ops->release && ops->write && ops->read &&
		       ops->fill && ops->protect && ops->look && ops->address && ops->load &&
		       ops->adopt && ops->unload && ops->bind && ops->flush && ops->observe &&
		       ops->run,
	       "%s has what an entry with a back end has", ops->name);
}

static void check_choose(void)
{
	static const struct {
		const char *text;
		enum asc_status status;
		const char *words;
	} cases[] = {
		{"cpu", ASC_OK, "cpu: "},
		{"cpu:0", ASC_OK, "cpu: "},
		{"cpu:1", ASC_ABSENT, "cpu:1: there are 1"},
		{"cpu:x", ASC_USAGE, "cpu:x: expected a device number"},
		{"cpu:", ASC_USAGE, "expected a device number"},
		{"cpu:all", ASC_ABSENT, "one real device"},
		{"cup", ASC_USAGE, "did you mean \"cpu\""},
		{"", ASC_USAGE, "there are auto, cuda, npu, cpu (and models to plan for"},
		{"gpu", ASC_USAGE, "did you mean \"cuda\"?"},
		{"GPU:1", ASC_USAGE, "did you mean \"cuda\"?"},
		{"h100", ASC_USAGE, "did you mean \"sm_90\"?"},
		{"U100", ASC_USAGE, "asctune list devices --all"},
		{"toaster_with_a_long_name:1", ASC_USAGE, "no device \"toaster"},
		{"sm_90", ASC_ABSENT, "sm_90 is a target to plan for"},
		{"Ascend910B3", ASC_ABSENT, "not a device of this machine"},
		{"npu:sim:Ascend910B3", ASC_ABSENT, "npu:sim:Ascend910B3"},
	};
	const struct device_ops *ops = NULL;
	char place[DEVICE_PLACE_SIZE];
	struct asc_err e;
	char why[512];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(device_choose(cases[i].text, &ops, place, why, sizeof why, &e),
			cases[i].status, "choosing \"%s\"", cases[i].text);
		tap_has(cases[i].status ? e.text : why, cases[i].words, "says why");
	}
	tap_int(device_choose("auto", &ops, place, why, sizeof why, &e), ASC_OK, "auto: %s", why);
	tap_ok(ops->open && !*place && strncmp(why, ops->name, strlen(ops->name)) == 0,
	       "chooses a usable one");
	tap_ok(!device_find("toaster"), "an unknown device is not found");
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	char reason[256];

	if (argc > 1 && strcmp(argv[1], NVRTC_COMMAND) == 0)
		return compile_serve(&nvrtc_service) ? 0 : 1;
	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return 1;

	snprintf(scratch, sizeof scratch, "%.200s/t-device-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(scratch), "a temporary folder"))
		return tap_done();
	check_choose();
	for (size_t i = 0; device_list[i]; i++) {
		check_members(device_list[i]);
		*reason = '\0';
		if (device_list[i]->check(reason, sizeof reason))
			check_device(device_list[i]);
		else if (tap_ok(*reason, "%s says why it is not usable", device_list[i]->name))
			tap_skip("%s: %s", device_list[i]->name, reason);
	}
	dir_remove(scratch);
	return tap_done();
}
