/* Vendor libraries: found or not with words, called with the right arguments, and right. Runs with
 * a fake OpenBLAS that is compiled here; the real one, where it is there, runs the same checks in a
 * process of its own, since a process opens one.
 * covers: vendor.c openblas.c openblas_sdpa.c softmax.c */
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/compile.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/openblas.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/proc.h"

#define LIMIT_NS INT64_C(60000000000)
#define FAKE     "tests/data/vendor/fake_openblas.c"
enum { MAX_FLOATS = 40 * 1024 };

static struct asc_err e;
static char folder[300], fake[400], lacking[400];

/* ---- opening ---- */

struct table {
	char *(*config)(void);
	void (*absent)(void);
};

static void test_library(void)
{
	static const struct library_symbol some[] = {
		{"openblas_get_config", offsetof(struct table, config), false},
		{"no_such_function", offsetof(struct table, absent), true},
		{0}};
	static const struct library_symbol sgemm[] = {{"cblas_sgemm", 0, false}, {0}};
	struct table t = {0};

	tap_int(library_open("libnothing.so.7", some, &t, &e), ASC_ABSENT, "a missing library");
	tap_has(e.text, "libnothing.so.7: cannot open shared object file", "in the loader's words");
	tap_int(library_open(lacking, sgemm, &t, &e), ASC_ABSENT, "a missing function");
	tap_has(e.text, "lacking.so: has no function cblas_sgemm", "by its name");
	tap_int(library_open(fake, some, &t, &e), ASC_OK, "an optional function may be missing");
	tap_ok(t.config && !t.absent, "then its pointer is NULL");
}

static void test_names(void)
{
	tap_ok(vendor_find("openblas:gemm") == vendor_find("openblas"), "found by its first part");
	tap_ok(!vendor_find("open:gemm") && !vendor_find("openblast"), "and by all of it");
	tap_int(vendor_check("nothing", "x", "cpu", &e), ASC_ABSENT, "an unknown library");
	tap_str(e.text, "this version has no vendor library \"nothing\"", "is named");
	tap_int(vendor_check("openblas:fft", "fft", "cpu", &e), ASC_ABSENT, "a function");
	tap_str(e.text, "openblas has no function \"fft\" here", "that there is not");
	tap_int(vendor_check("openblas:gemm", "gemm", "cuda", &e), ASC_ABSENT, "a device");
	tap_str(e.text, "openblas is for cpu", "that it is not for");
	for (size_t i = 0; vendor_list[i]; i++)
		tap_ok(vendor_list[i]->prepare && vendor_list[i]->enqueue && vendor_list[i]->fini,
		       "%s has what an entry needs", vendor_list[i]->name);
}

/* ---- the part between the products ---- */

static void test_softmax(void)
{
	static float row[1000], want[1000];
	softmax_row_fn *run = softmax_row_choose();
	double worst = 0, sum_error = 0;
	bool zero = true;

	for (int64_t n = 1; n < 1000; n += 37) {
		int64_t visible = n - n / 3;
		double sum = 0;
		for (int64_t i = 0; i < n; i++)
			row[i] = want[i] = (float)((i * 7919) % 1000) * -0.11F + 30;
		float max = -INFINITY;
		for (int64_t i = 0; i < visible; i++)
			max = fmaxf(max, want[i]);
		double have = (double)run(row, n, visible);
		for (int64_t i = 0; i < visible; i++) {
			double x = exp2((double)(want[i] - max));
			sum += x;
			worst = fmax(worst, fabs((double)row[i] - x) / x);
		}
		for (int64_t i = visible; i < n; i++)
			zero &= row[i] == 0;
		sum_error = fmax(sum_error, fabs(have - sum) / sum);
	}
	/* The C library's exp2 of doubles is the other implementation. */
	tap_ok(worst <= 4 * 0x1p-24, "weights: largest relative error %.3g", worst);
	tap_ok(sum_error <= 64 * 0x1p-24, "their sum: %.3g", sum_error);
	tap_ok(zero, "what is not visible has no weight");
	float few[2] = {3e38F, -3e38F};
	tap_ok(run(few, 2, 2) == 1 + few[1] && few[0] == 1 && few[1] <= 0x1p-126F,
	       "weights end at 2^-126");
}

/* ---- calls ---- */

struct fixture {
	const struct device_ops *ops;
	struct device *d;
	struct device_buffer *tensors[4], *scratch[PLAN_MAX_ARGUMENTS];
	struct plan plan;
};

static struct bound_argument *add(struct fixture *f, enum argument_kind kind)
{
	struct bound_argument *a = &f->plan.arguments[f->plan.n_arguments++];

	*a = (struct bound_argument){.kind = kind};
	return a;
}

static void add_tensor(struct fixture *f, size_t i, size_t floats)
{
	add(f, ARG_TENSOR)->tensor = i;
	if (f->ops->alloc(f->d, floats * sizeof(float), &f->tensors[i], &e))
		tap_ok(false, "%s", e.text);
}

static void add_scalar(struct fixture *f, enum dtype type, struct value v)
{
	struct bound_argument *a = add(f, ARG_SCALAR);

	a->type = type;
	a->scalar = v;
}

static void fixture_init(struct fixture *f, int64_t threads)
{
	*f = (struct fixture){.ops = device_find("cpu"),
			      .plan = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = threads}};
	if (f->ops->open("", &f->d, &e))
		tap_ok(false, "%s", e.text);
}

static void fixture_fini(struct fixture *f)
{
	for (size_t i = 0; i < 4; i++)
		if (f->tensors[i])
			f->ops->release(f->d, f->tensors[i]);
	for (size_t i = 0; i < f->plan.n_arguments; i++)
		if (f->scratch[i])
			f->ops->release(f->d, f->scratch[i]);
	f->ops->close(f->d);
}

/* Small whole numbers: products of them are exact in any order. */
static void fill(struct fixture *f, size_t tensor, float *values, size_t n, float scale)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (float)((int)((i * 2654435761U >> 7) % 17) - 8) * scale;
	if (f->ops->write(f->d, f->tensors[tensor], values, n * sizeof *values, &e))
		tap_ok(false, "%s", e.text);
}

static bool is_intact(struct fixture *f, const struct vendor_kernel *v)
{
	struct device_buffer *b = vendor_workspace(v);

	enum device_harm harm = DEVICE_UNHARMED;

	return !b || (device_look(f->ops, f->d, b, &harm, &e) == ASC_OK && harm == DEVICE_UNHARMED);
}

/* Loads `source`, binds and launches it once; what it answers. */
static enum asc_status launch(struct fixture *f, const char *source)
{
	const struct device_batch twice = {.samples = 1, .launches = 2};
	struct device_kernel *k = NULL;
	int64_t ns = -1;
	struct vendor_kernel *v = NULL;
	enum asc_status s = device_load(f->ops, f->d, source, strchr(source, ':') + 1, &v, &k, &e);

	if (!s)
		s = f->ops->bind(f->d, k, &f->plan, f->tensors, f->scratch, &e);
	if (!s)
		s = f->ops->run(f->d, &(struct device_sequence){&k, 1}, &twice, &ns, &e);
	if (!s)
		tap_ok(ns >= 0 && is_intact(f, v), "%s is timed on the device's clock", source);
	f->ops->unload(f->d, k);
	return s;
}

static void plan_gemm(struct fixture *f, int64_t m, int64_t n, int64_t k)
{
	add_tensor(f, 0, (size_t)(m * k));
	add_tensor(f, 1, (size_t)(k * n));
	add_tensor(f, 2, (size_t)(m * n));
	add_scalar(f, DTYPE_I64, value_int(m));
	add_scalar(f, DTYPE_I64, value_int(n));
	add_scalar(f, DTYPE_I64, value_int(k));
}

static void test_gemm(void)
{
	enum { M = 19, N = 33, K = 21 };
	static float a[M * K], b[K * N], c[M * N];
	struct fixture f;
	int bad = 0;

	fixture_init(&f, 2);
	plan_gemm(&f, M, N, K);
	fill(&f, 0, a, M * K, 1);
	fill(&f, 1, b, K * N, 1);
	tap_int(launch(&f, "openblas:gemm"), ASC_OK, "gemm runs");
	tap_int(f.ops->read(f.d, f.tensors[2], c, sizeof c, &e), ASC_OK, "and is read");
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;
			for (int p = 0; p < K; p++)
				sum += a[i * K + p] * b[p * N + j];
			bad += c[i * N + j] != sum;
		}
	tap_int(bad, 0, "elements of a product of integers that are not exact");
	fixture_fini(&f);
}

static void test_refusals(void)
{
	struct fixture f;

	fixture_init(&f, 1);
	plan_gemm(&f, 2, 2, 2);
	f.plan.arguments[4].type = DTYPE_I32;
	tap_int(launch(&f, "openblas:gemm"), ASC_INPUT, "an argument of another type");
	tap_str(e.text, "openblas: gemm takes as argument 4 N: expected a scalar of type i64",
		"is named");
	f.plan.arguments[4].type = DTYPE_I64;
	f.plan.n_arguments--;
	tap_int(launch(&f, "openblas:gemm"), ASC_INPUT, "too few arguments");
	f.plan.n_arguments++;
	f.plan.arguments[1].scattered = true;
	tap_int(launch(&f, "openblas:gemm"), ASC_INPUT, "a tensor that is not row by row");
	tap_str(e.text, "openblas: gemm takes tensors row by row, and B has strides of its own",
		"is named");
	f.plan.arguments[1].scattered = false;
	f.plan.arguments[5].scalar.i = INT64_C(1) << 31;
	tap_int(launch(&f, "openblas:gemm"), ASC_LIMIT, "a size beyond the library's integers");
	tap_has(e.text, "openblas:gemm: K is 2147483648", "is named");
	tap_int(launch(&f, "openblas:fft"), ASC_ABSENT, "a function that there is not");
	fixture_fini(&f);
}

struct attention {
	int64_t heads, s, d;
	bool causal;
	int64_t form, threads;
};

static void plan_sdpa(struct fixture *f, const struct attention *t, int64_t scratch_heads)
{
	int64_t bytes = 4 * t->s * (t->s + 1) * scratch_heads;

	for (size_t i = 0; i < 4; i++)
		add_tensor(f, i, (size_t)(t->heads * t->s * t->d));
	add_scalar(f, DTYPE_I64, value_int(t->heads));
	add_scalar(f, DTYPE_I64, value_int(t->s));
	add_scalar(f, DTYPE_I64, value_int(t->d));
	add_scalar(f, DTYPE_BOOL, value_int(t->causal));
	add_scalar(f, DTYPE_F32, value_real(0.25));
	add_scalar(f, DTYPE_I64, value_int(t->form));
	add(f, ARG_SCRATCH)->bytes = bytes;
	if (f->ops->alloc(f->d, (size_t)bytes, &f->scratch[10], &e))
		tap_ok(false, "%s", e.text);
}

/* Row i of one head in doubles, by the definition; the largest error of `out` from it. */
static double row_error(const struct attention *t, const float *q, const float *k, const float *v,
			const float *out, int64_t i)
{
	static double weight[256];
	double max = -INFINITY, sum = 0, worst = 0;
	int64_t seen = t->causal ? i + 1 : t->s;

	for (int64_t j = 0; j < seen; j++) {
		weight[j] = 0;
		for (int64_t p = 0; p < t->d; p++)
			weight[j] += 0.25 * (double)q[i * t->d + p] * (double)k[j * t->d + p];
		max = fmax(max, weight[j]);
	}
	for (int64_t j = 0; j < seen; j++)
		sum += weight[j] = exp(weight[j] - max);
	for (int64_t p = 0; p < t->d; p++) {
		double want = 0;
		for (int64_t j = 0; j < seen; j++)
			want += weight[j] / sum * (double)v[j * t->d + p];
		worst = fmax(worst, fabs((double)out[i * t->d + p] - want));
	}
	return worst;
}

static void check_sdpa(const struct attention *t)
{
	static float x[4][MAX_FLOATS];
	const size_t n = (size_t)(t->heads * t->s * t->d);
	struct fixture f;
	double worst = 0;

	fixture_init(&f, t->threads);
	plan_sdpa(&f, t, t->form ? t->threads : 1);
	for (size_t i = 0; i < 3; i++)
		fill(&f, i, x[i], n, 0.1F + 0.05F * (float)i);
	tap_int(launch(&f, "openblas:sdpa"), ASC_OK, "sdpa runs: S %d, D %d, form %d, %d threads",
		(int)t->s, (int)t->d, (int)t->form, (int)t->threads);
	if (f.ops->read(f.d, f.tensors[3], x[3], n * sizeof(float), &e))
		tap_ok(false, "%s", e.text);
	for (int64_t h = 0; h < t->heads; h++)
		for (int64_t i = 0; i < t->s; i++) {
			int64_t at = h * t->s * t->d;
			worst = fmax(worst,
				     row_error(t, x[0] + at, x[1] + at, x[2] + at, x[3] + at, i));
		}
	/* Scores up to 4 in sums of D terms, values up to 1.6: far above f32's rounding, far below
	 * what one wrong key would change. */
	tap_ok(worst <= 2e-5, "%s within 2e-5 of the definition: %.3g",
	       t->causal ? "causal" : "full", worst);
	fixture_fini(&f);
}

static void test_sdpa(void)
{
	static const struct attention all[] = {{1, 1, 1, false, 0, 1},
					       {3, 37, 16, false, 1, 2},
					       {2, 130, 72, true, 0, 2},
					       {5, 33, 8, true, 1, 3},
					       {2, 17, 5, true, 1, 4}};
	struct fixture f;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		check_sdpa(&all[i]);
	fixture_init(&f, 2);
	plan_sdpa(&f, &(struct attention){2, 9, 4, true, 1, 2}, 1);
	tap_int(launch(&f, "openblas:sdpa"), ASC_INPUT, "scratch for one of two heads at once");
	tap_has(e.text, "360 bytes of scratch are too few for 2 heads at once", "is too little");
	f.plan.arguments[9].scalar.i = 2;
	tap_int(launch(&f, "openblas:sdpa"), ASC_INPUT, "a third form");
	tap_has(e.text, "FORM is 2, expected 0 or 1", "there is not");
	fixture_fini(&f);
}

/* The fake's own variable of that name, set to 0; -1: there is none. */
static int take_fake(const char *name)
{
	void *handle = dlopen(fake, RTLD_NOW | RTLD_NOLOAD);
	int *variable = handle ? dlsym(handle, name) : NULL;
	int value = variable ? *variable : -1;

	if (variable)
		*variable = 0;
	if (handle)
		dlclose(handle);
	return value;
}

/* As the device's own threads are: a comparison of two that are not treated alike is none. */
static void test_places(void)
{
	struct fixture f;

	(void)take_fake("fake_places");
	(void)take_fake("fake_placed");
	fixture_init(&f, 3);
	plan_gemm(&f, 4, 4, 4);
	tap_int(launch(&f, "openblas:gemm"), ASC_OK, "gemm with three threads");
	tap_int(take_fake("fake_places"), 1, "whose caller is kept on a processor");
	tap_int(take_fake("fake_placed"), 3, "and so are the library's two others");
	fixture_fini(&f);
	check_sdpa(&(struct attention){4, 17, 5, true, 1, 2});
	tap_int(take_fake("fake_places"), 1, "two heads at once: all callers are kept on one");
	tap_int(take_fake("fake_placed"), 0, "the library has no threads of its own then");
}

/* The checks of a library whose file $ASCTUNE_OPENBLAS names, unset: the system's. */
static void test_calls(const char *what)
{
	struct buf text = {0};

	tap_int(vendor_identity("openblas:gemm", &text, &e), ASC_OK, "%s says its version", what);
	tap_has(buf_str(&text), "openblas 2 ", "%s", buf_str(&text));
	buf_fini(&text);
	test_gemm();
	test_refusals();
	test_sdpa();
}

/* What the real library says of the thread that it has beside the caller's. */
static void test_real_places(void)
{
	void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = handle ? dlsym(handle, "openblas_getaffinity") : NULL;
	int (*find)(int thread, size_t bytes, cpu_set_t *set) = NULL;
	cpu_set_t set;
	struct fixture f;

	if (!symbol) {
		tap_skip("this OpenBLAS does not place its threads");
		return;
	}
	memcpy(&find, &symbol, sizeof symbol);
	fixture_init(&f, 2);
	plan_gemm(&f, 40, 40, 40);
	tap_int(launch(&f, "openblas:gemm"), ASC_OK, "gemm with two threads");
	tap_ok(find(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1,
	       "the library's own is kept on a processor");
	fixture_fini(&f);
}

/* Exit status 0 when every check held, 77 when there is no such library. */
static int run_real(void)
{
	unsetenv("ASCTUNE_OPENBLAS");
	if (vendor_check("openblas:gemm", "gemm", "cpu", &e)) {
		puts(e.text);
		return 77;
	}
	test_calls("OpenBLAS");
	test_real_places();
	return tap_done();
}

/* As a program of its own, with its lines made notes of ours. */
static void test_real(const char *program)
{
	const char *argv[] = {program, "real", NULL};
	struct buf said = {0};
	int status = -1;

	tap_int(proc_run(argv, NULL, LIMIT_NS, 65536, &said, &status, &e), ASC_OK,
		"a second process");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip("no OpenBLAS: %s", buf_str(&said));
	else if (!tap_int(status, 0, "the same with the real library"))
		tap_note("%s", buf_str(&said));
	buf_fini(&said);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR");

	if (argc > 1)
		return run_real();
	snprintf(folder, sizeof folder, "%s/t-vendor.XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a temporary folder"))
		return tap_done();
	snprintf(fake, sizeof fake, "%s/fake.so", folder);
	snprintf(lacking, sizeof lacking, "%s/lacking.so", folder);
	if (tap_ok(compile_library(fake, FAKE, "-DWHOLE") &&
			   compile_library(lacking, FAKE, "-DLACKING"),
		   "fakes compile")) {
		test_real(argv[0]);
		setenv("ASCTUNE_OPENBLAS", fake, 1);
		test_library();
		test_names();
		test_softmax();
		test_calls("the fake");
		test_places();
	}
	unlink(fake);
	unlink(lacking);
	rmdir(folder);
	return tap_done();
}
