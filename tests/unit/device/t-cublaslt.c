/* The calls of cublasLt, made to a fake of it that is compiled here and multiplies in this
 * process's memory: operands, layouts, the choice of an algorithm and what is refused. The real
 * library needs a GPU: ci/device-tests.
 * covers: cublaslt.c vendor.c */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/compile.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/result/result.h"
#include "tuner/workload/binding/binding.h"

enum { M = 5, N = 3, K = 4, ARGUMENTS = 11, WORKSPACE = 2500 };
enum { ALGORITHM = 6, TILE, STAGES, SPLIT_K, MOST_BYTES };

static struct asc_err e;
static char fake[400];
static float a[M * K], b[K * N], c[M * N];
static struct plan plan;

/* ---- a device in this process's memory, with a queue that nothing is done with ---- */

struct device_buffer {
	size_t bytes;
	char *data; /* and a byte after them */
};

struct device_kernel {
	struct vendor_kernel *vendor;
};

static struct device_buffer buffers[] = {
	{sizeof a, (char *)a}, {sizeof b, (char *)b}, {sizeof c, (char *)c}};
static char queue;
static size_t allocated;
static int live;

static enum asc_status alloc(struct device *d, size_t bytes, struct device_buffer **out,
			     struct asc_err *error)
{
	(void)d;
	(void)error;
	*out = malloc(sizeof **out);
	**out = (struct device_buffer){bytes, calloc(1, bytes + 1)};
	allocated = bytes;
	live++;
	return ASC_OK;
}

static void release(struct device *d, struct device_buffer *buffer)
{
	(void)d;
	free(buffer->data);
	free(buffer);
	live--;
}

static bool is_intact(const struct device_buffer *buffer)
{
	return !buffer || buffer->data[buffer->bytes] == 0;
}

static long slow_ns; /* time that a launch takes, which asks for its workspace's address */

static void *address(const struct device_buffer *buffer)
{
	const struct timespec slow = {0, slow_ns};

	if (slow_ns > 0)
		(void)nanosleep(&slow, NULL);
	return buffer ? buffer->data : NULL;
}

static enum asc_status adopt(struct device *d, struct vendor_kernel *v, struct device_kernel **out,
			     struct asc_err *error)
{
	static struct device_kernel k;

	(void)d;
	(void)error;
	k.vendor = v;
	*out = &k;
	return ASC_OK;
}

static const struct device_info *info(const struct device *d)
{
	static const struct device_info queued = {.queues = true};

	(void)d;
	return &queued;
}

static const struct device_ops device = {.name = "cuda",
					 .info = info,
					 .alloc = alloc,
					 .release = release,
					 .address = address,
					 .adopt = adopt};

/* ---- calls ---- */

static void *look(const char *name)
{
	void *handle = dlopen(fake, RTLD_NOW | RTLD_NOLOAD);

	return handle ? dlsym(handle, name) : NULL;
}

static void set(size_t i, int64_t v)
{
	plan.arguments[i] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(v)};
}

static void reset(void)
{
	plan = (struct plan){.n_arguments = ARGUMENTS, .threads = 1};
	for (size_t i = 0; i < 3; i++)
		plan.arguments[i] =
			(struct bound_argument){.kind = ARG_TENSOR, .tensor = i, .type = DTYPE_F32};
	set(3, M);
	set(4, N);
	set(5, K);
	for (size_t i = ALGORITHM; i <= SPLIT_K; i++)
		set(i, 0);
	set(MOST_BYTES, WORKSPACE);
}

/* Small whole numbers: products of them are exact in any order. */
static void fill(float *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)((int)((i * 2654435761U >> 7) % 17) - 8);
}

static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return -1;
}

/* Checks what a result says of a call beside a kernel that was built. */
static void check_facts(struct vendor_kernel *v)
{
	struct vendor_kernel *const calls[] = {NULL, v};
	struct result r;

	result_init(&r);
	tap_int(vendor_record_facts(calls, 1, &r, &e), ASC_OK, "a kernel that was built");
	tap_int(r.n_metrics, 0, "has no facts of a call");
	tap_int(vendor_record_facts(calls, 2, &r, &e), ASC_OK, "facts of a call");
	tap_int((int64_t)find_metric(&r, "workspace_bytes"), (int64_t)allocated, "its workspace");
	tap_ok(find_metric(&r, "host_ns") > 0, "its time on the host: %g ns",
	       find_metric(&r, "host_ns"));
	tap_int((int64_t)find_metric(&r, "capturable"), 1, "it can be captured");
	result_fini(&r);
}

static enum asc_status run(void)
{
	struct device_buffer *const tensors[] = {&buffers[0], &buffers[1], &buffers[2]};
	struct device_buffer *const scratch[ARGUMENTS] = {NULL};
	const int *overrun = look("fake_overrun");
	struct vendor_kernel *v;
	struct device_kernel *k;

	allocated = 0;
	enum asc_status s = vendor_load(&device, NULL, "cublaslt:gemm", "gemm", &v, &k, &e);
	if (!tap_ok(s == ASC_OK && k->vendor == v, "cublaslt:gemm is loaded"))
		return s;
	s = vendor_kernel_bind(v, &plan, tensors, scratch, &queue, &e);
	if (s == ASC_OK)
		s = vendor_kernel_launch(v, &e);
	if (s == ASC_OK)
		tap_int(is_intact(vendor_workspace(v)), *overrun == 0,
			"the workspace's surroundings are %s",
			*overrun ? "overwritten" : "as they were");
	if (s == ASC_OK)
		check_facts(v);
	vendor_kernel_free(v);
	tap_int(live, 0, "workspaces that were not released");
	return s;
}

/* Rows of launches: the one with the least median says the host's time, and other launches do not.
 */
static void test_rows(void)
{
	enum { ROWS = 3, LAUNCHES = 5 };
	struct device_buffer *const tensors[] = {&buffers[0], &buffers[1], &buffers[2]};
	struct device_buffer *const scratch[ARGUMENTS] = {NULL};
	struct vendor_kernel *v, *calls[1];
	struct device_kernel *k;
	double found[ROWS];
	struct result r;

	reset();
	if (vendor_load(&device, NULL, "cublaslt:gemm", "gemm", &v, &k, &e) ||
	    vendor_kernel_bind(v, &plan, tensors, scratch, &queue, &e)) {
		tap_ok(false, "a function for rows of launches: %s", e.text);
		return;
	}
	calls[0] = v;
	for (int row = 0; row <= ROWS; row++) {
		if (row < ROWS)
			vendor_kernel_time_host(v, true);
		slow_ns = row == 1 ? 0 : 2000000;
		for (int i = 0; i < LAUNCHES; i++)
			(void)vendor_kernel_launch(v, &e);
		if (row == ROWS)
			break;
		vendor_kernel_time_host(v, false);
		result_init(&r);
		(void)vendor_record_facts(calls, 1, &r, &e);
		found[row] = find_metric(&r, "host_ns");
		result_fini(&r);
	}
	slow_ns = 0;
	tap_ok(found[0] >= 2e6, "the first row is slow: %g ns", found[0]);
	tap_ok(found[1] > 0 && found[1] < 1e6, "the second is not: %g ns", found[1]);
	tap_ok(found[2] == found[1], "a slow one behind it says nothing: %g ns", found[2]);
	vendor_kernel_free(v);
}

static int count_wrong(void)
{
	int bad = 0;

	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;
			for (int p = 0; p < K; p++)
				sum += a[i * K + p] * b[p * N + j];
			bad += c[i * N + j] != sum;
		}
	return bad;
}

static void test_product(void)
{
	const uint64_t *used = look("fake_used");
	void *const *stream = look("fake_stream");
	const uint64_t *workspace_bytes = look("fake_preference");
	int *overrun = look("fake_overrun");

	reset();
	fill(a, M * K);
	fill(b, K * N);
	tap_int(run(), ASC_OK, "a product: %s", e.text);
	tap_int(count_wrong(), 0, "elements of it that are not exact");
	tap_ok(*stream == &queue, "the product is queued on the stream that was given");
	tap_int(allocated, 0, "bytes of workspace for an algorithm that needs none");
	tap_int(*workspace_bytes, WORKSPACE, "the heuristic is told the workspace");
	tap_ok(used[0] == 0 && used[1] == 0, "the heuristic's choice is left as it is");
	set(ALGORITHM, 1);
	set(TILE, 20);
	set(STAGES, 7);
	set(SPLIT_K, 2);
	tap_int(run(), ASC_OK, "another: %s", e.text);
	tap_int(used[0], 1, "its second algorithm");
	tap_int(used[1], 20, "with a tile");
	tap_int(used[6], 7, "stages");
	tap_ok(used[2] == 2 && used[3] == 2, "parts of K, added in float");
	tap_int(allocated, 2000, "bytes of workspace for two parts");
	*overrun = 1;
	tap_int(run(), ASC_OK, "a product that writes a byte beyond its workspace");
	*overrun = 0;
	tap_int(count_wrong(), 0, "elements that are not exact");
}

static void test_refusals(void)
{
	reset();
	set(ALGORITHM, 3);
	tap_int(run(), ASC_INPUT, "an algorithm that there is not");
	tap_str(e.text, "cublaslt:gemm: the heuristic has 3 algorithms: there is no ALGORITHM=3",
		"is named");
	set(ALGORITHM, 2);
	tap_int(run(), ASC_INPUT, "one that cannot be used");
	tap_has(e.text, "CUBLAS_STATUS_NOT_SUPPORTED", "in the library's words");
	set(ALGORITHM, 0);
	set(TILE, 9);
	tap_int(run(), ASC_INPUT, "a tile that it does not have");
	tap_has(e.text, "cublasLtMatmulAlgoCheck: CUBLAS_STATUS_NOT_SUPPORTED", "in its words");
	set(TILE, 0);
	set(SPLIT_K, 3);
	tap_int(run(), ASC_LIMIT, "too little workspace");
	tap_has(e.text, "wants a WORKSPACE of 3000 bytes and has 2500", "says how much it takes");
	set(SPLIT_K, 0);
	set(4, 0);
	tap_int(run(), ASC_LIMIT, "no columns");
	set(4, N);
	plan.arguments[1].type = DTYPE_I8;
	tap_int(run(), ASC_INPUT, "elements of another type");
	tap_str(e.text, "cublaslt:gemm: B is of type i8: expected f32, f16, bf16", "are named");
	plan.n_arguments--;
	tap_int(run(), ASC_INPUT, "too few arguments");
	tap_int(*(const int *)look("fake_live"), 0, "descriptors that were not destroyed");
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	struct buf text = {0};

	snprintf(fake, sizeof fake, "%s/fake-cublaslt-%d.so", base && *base ? base : "/tmp",
		 (int)getpid());
	if (!tap_ok(compile_library(fake, "tests/data/vendor/fake_cublaslt.c", NULL),
		    "the fake compiles"))
		return tap_done();
	setenv("ASCTUNE_CUBLASLT", fake, 1);
	tap_int(vendor_check("cublaslt:gemm", "gemm", "cpu", &e), ASC_ABSENT, "no CPU's");
	tap_str(e.text, "cublaslt is for cuda", "says for what it is");
	tap_int(vendor_check("cublaslt:gemm", "gemm", "cuda", &e), ASC_OK, "it is opened");
	tap_int(vendor_identity("cublaslt:gemm", &text, &e), ASC_OK, "it says its version");
	tap_str(buf_str(&text), "cublaslt 2 cublasLt 130000", "with that of the calls");
	buf_fini(&text);
	test_product();
	test_rows();
	test_refusals();
	unlink(fake);
	return tap_done();
}
