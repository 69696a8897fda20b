/* Lines of L2 that a kernel has marked to stay: one that reads 16 MB as evict_last takes, with cold
 * caches, as long as one that does not. Says how long both take behind other flushes.
 * covers: cuda_device.c */
#include "tuner/device/cuda/cuda_device.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_kernel.h"
#include "tuner/device/libs/nvrtc_library.h"
#include "tuner/workload/binding/binding.h"

enum { READ_BYTES = 16 << 20, ROUNDS = 60, THREADS = 256 };
static const double MOST_APART = 0.03;

/* read0 and read1 read 16 MB, read1 as evict_last. The others are parts of a flush: sweep0 reads
 * memory, sweep1 as evict_last, fill1 writes as evict_last, demote has the lines of memory stay no
 * longer than others. */
static const char source[] =
	"typedef unsigned long long word;\n"
	"template <bool last> __device__ static void read(const uint4 *at, word n, uint4 *out) {\n"
	"  uint4 sum = {0, 0, 0, 0}, x;\n"
	"  word policy;\n"
	"  asm volatile(\"createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\" : "
	"\"=l\"(policy));\n"
	"  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
	"       i += (word)gridDim.x * blockDim.x) {\n"
	"    if (last)\n"
	"      asm volatile(\"ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, "
	"\"\n"
	"                   \"[%4], %5;\"\n"
	"                   : \"=r\"(x.x), \"=r\"(x.y), \"=r\"(x.z), \"=r\"(x.w)\n"
	"                   : \"l\"(at + i), \"l\"(policy));\n"
	"    else\n"
	"      asm volatile(\"ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
	"                   : \"=r\"(x.x), \"=r\"(x.y), \"=r\"(x.z), \"=r\"(x.w)\n"
	"                   : \"l\"(at + i));\n"
	"    sum.x ^= x.x; sum.y ^= x.y; sum.z ^= x.z; sum.w ^= x.w;\n"
	"  }\n"
	"  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 1) *out = sum; /* loads are not left out */\n"
	"}\n"
	"#define READ(name, last) extern \"C\" __global__ void name( \\\n"
	"    const uint4 *at, uint4 *out, long long n) { read<last>(at, n, out); }\n"
	"READ(read0, false) READ(read1, true) READ(sweep0, false) READ(sweep1, true)\n"
	"extern \"C\" __global__ void fill1(uint4 *at, uint4 *out, long long n) {\n"
	"  word policy;\n"
	"  asm volatile(\"createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\" : "
	"\"=l\"(policy));\n"
	"  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
	"       i += (word)gridDim.x * blockDim.x)\n"
	"    asm volatile(\"st.global.L2::cache_hint.v4.u32 [%0], {%1, %1, %1, %1}, %2;\"\n"
	"                 :: \"l\"(at + i), \"r\"((unsigned)i), \"l\"(policy) : \"memory\");\n"
	"}\n"
	"extern \"C\" __global__ void demote(const uint4 *at, uint4 *out, long long n) {\n"
	"  for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < n / 8;\n"
	"       i += (word)gridDim.x * blockDim.x)\n"
	"    asm volatile(\"applypriority.global.L2::evict_normal [%0], 128;\" :: \"l\"(at + 8 * "
	"i));\n"
	"}\n";

enum kernel { READ0, READ1, SWEEP0, SWEEP1, FILL1, DEMOTE, KERNELS };
static const char *const names[KERNELS] = {"read0", "read1", "sweep0", "sweep1", "fill1", "demote"};

static const struct device_ops *const ops = &device_cuda;
static struct device *d;
static struct device_buffer *data, *spare, *out; /* what is read; memory to flush with */
static size_t spare_bytes;
static struct device_kernel *kernels[KERNELS];
static struct asc_err e;

static bool failed(enum asc_status s)
{
	if (s)
		tap_ok(false, "%s", e.text);
	return s != ASC_OK;
}

/* Binds a kernel to so much memory. */
static bool bind(enum kernel k, struct device_buffer *memory, size_t bytes)
{
	struct device_buffer *const tensors[] = {memory, out};
	struct device_buffer *const scratch[3] = {NULL};
	const struct plan plan = {
		.grid = {4 * d->info.facts.value[FACT_PROCESSORS], 1, 1},
		.block = {THREADS, 1, 1},
		.cluster = {1, 1, 1},
		.n_arguments = 3,
		.arguments = {{.kind = ARG_TENSOR},
			      {.kind = ARG_TENSOR, .tensor = 1},
			      {.kind = ARG_SCALAR,
			       .type = DTYPE_I64,
			       .scalar = value_int((int64_t)(bytes / sizeof(uint32_t[4])))}}};

	return !failed(ops->bind(d, kernels[k], &plan, tensors, scratch, &e));
}

static void launch(enum kernel k)
{
	(void)failed(ops->launch(d, &(struct device_sequence){&kernels[k], 1}, 1, &e));
	(void)failed(ops->wait(d, &e));
}

static double run(enum kernel k, bool cold)
{
	const struct device_batch batch = {.samples = 1, .launches = 1, .cold = cold};
	int64_t ns = 0;

	(void)failed(ops->run(d, &(struct device_sequence){&kernels[k], 1}, &batch, &ns, &e));
	return (double)ns;
}

/* ---- ways to flush ---- */

static void flush_not(void)
{
}

static void fill(void)
{
	(void)failed(ops->flush(d, NULL, &e));
}

static bool persists; /* what the device says of itself */

static void reset_and_fill(void)
{
	d->persists = persists;
	cuda_flush_begin(d);
	d->persists = false;
	fill();
}

static void demote_and_fill(void)
{
	if (bind(DEMOTE, data, READ_BYTES))
		launch(DEMOTE);
	fill();
}

static void empty(void)
{
	(void)failed(ops->empty(d, &e));
}

static void sweep(void)
{
	if (bind(SWEEP0, spare, spare_bytes))
		launch(SWEEP0);
}

static void sweep_last(void)
{
	if (bind(SWEEP1, spare, spare_bytes))
		launch(SWEEP1);
	if (bind(DEMOTE, spare, spare_bytes))
		launch(DEMOTE);
	fill();
}

static void fill_last(void)
{
	if (bind(FILL1, spare, spare_bytes / 2))
		launch(FILL1);
	if (bind(DEMOTE, spare, spare_bytes / 2))
		launch(DEMOTE);
}

static const struct {
	const char *name;
	void (*flush)(void);
} ways[] = {{"nothing", flush_not},
	    {"a fill of twice L2", fill},
	    {"marks taken off by the driver, then the fill", reset_and_fill},
	    {"marks of the kernel's lines taken off, then the fill", demote_and_fill},
	    {"a read of four times L2", sweep},
	    {"a read of five times L2 (device_ops.empty)", empty},
	    {"a read as evict_last, its marks taken off, then the fill", sweep_last},
	    {"a fill of twice L2 as evict_last, its marks taken off", fill_last}};

enum { WAYS = sizeof ways / sizeof *ways };

/* Times of both kernels behind each way, by turns: each finds what launches of its own have left.
 */
static void report_ways(void)
{
	static double times[WAYS][2][ROUNDS];

	/* A batch takes marks off as it begins: not here. */
	persists = d->persists;
	d->persists = false;
	for (int round = 0; round < ROUNDS; round++)
		for (int way = 0; way < WAYS; way++)
			for (int k = 0; k < 2; k++) {
				launch((enum kernel)k);
				launch((enum kernel)k);
				ways[way].flush();
				times[way][k][round] = run((enum kernel)k, false);
			}
	d->persists = persists;
	for (int way = 0; way < WAYS; way++) {
		const double plain = stats_select_median(times[way][0], ROUNDS);
		const double last = stats_select_median(times[way][1], ROUNDS);

		tap_note("behind %s: %.0f ns, as evict_last %.0f ns: %.3f", ways[way].name, plain,
			 last, last / plain);
	}
}

/* Launches `before` twice, then `k` with cold caches, ROUNDS times by turns with the others. */
static double run_behind(enum kernel before, enum kernel k)
{
	launch(before);
	launch(before);
	return run(k, true);
}

static void test_cold(void)
{
	static double times[2][2][ROUNDS]; /* of a kernel behind a kernel */
	double medians[2][2];

	for (int round = 0; round < ROUNDS; round++)
		for (int k = 0; k < 2; k++)
			for (int before = 0; before < 2; before++)
				times[k][before][round] =
					run_behind((enum kernel)before, (enum kernel)k);
	for (int k = 0; k < 2; k++)
		for (int before = 0; before < 2; before++)
			medians[k][before] = stats_select_median(times[k][before], ROUNDS);
	const double hot = (run(READ0, false), run(READ0, false)), plain = medians[0][0];

	tap_ok(hot < 0.8 * plain, "the cache matters: %.0f ns with hot caches, %.0f with cold ones",
	       hot, plain);
	/* What is left of the marks shows in a kernel whose lines had some, beside itself without
	 * them: a load as evict_last may take another time than a plain one, on lines that nobody
	 * has marked. */
	for (int k = 0; k < 2; k++) {
		const double ratio = medians[k][1] / medians[k][0];

		tap_ok(ratio > 1 - MOST_APART && ratio < 1 + MOST_APART,
		       "%s, cold: %.0f ns, behind launches that had its lines stay %.0f: %.3f",
		       names[k], medians[k][0], medians[k][1], ratio);
	}
	tap_ok(medians[1][1] > (1 - MOST_APART) * plain,
	       "cold: %.0f ns, as evict_last %.0f: no less than %.3f of it", plain, medians[1][1],
	       medians[1][1] / plain);
	int64_t start = clock_now_ns();
	cuda_flush_begin(d);
	tap_note("taking marks off by the driver %s, %.1f us", d->persists ? "works" : "does not",
		 1e-3 * (double)(clock_now_ns() - start));
}

static void test_all(void)
{
	struct buf image = {0};

	if (failed(cuda_compile(d->info.arch, source, &image, &e)) ||
	    failed(ops->alloc(d, READ_BYTES, &data, &e)) ||
	    failed(ops->alloc(d, spare_bytes, &spare, &e)) || failed(ops->alloc(d, 16, &out, &e)) ||
	    failed(ops->fill(d, data, 0, &e)) || failed(ops->fill(d, spare, 0, &e)))
		goto out;
	for (int k = 0; k < KERNELS; k++)
		if (failed(cuda_kernel_load_image(d, image.data, names[k], &kernels[k], &e)))
			goto out;
	if (bind(READ0, data, READ_BYTES) && bind(READ1, data, READ_BYTES)) {
		test_cold();
		report_ways();
	}
out:
	for (int k = 0; k < KERNELS; k++)
		ops->unload(d, kernels[k]);
	ops->release(d, data);
	ops->release(d, spare);
	ops->release(d, out);
	buf_fini(&image);
}

int main(void)
{
	const struct nvrtc *n;
	char reason[256] = "";

	if (!ops->check(reason, sizeof reason) || (nvrtc_open(&n, &e) != ASC_OK)) {
		tap_skip("%s", *reason ? reason : e.text);
		return tap_done();
	}
	if (failed(ops->open("", &d, &e)))
		return tap_done();
	spare_bytes = 4 * (size_t)d->info.facts.value[FACT_L2_BYTES];
	if (d->info.facts.value[FACT_COMPUTE_CAPABILITY] < 80)
		tap_skip("no lines can be marked to stay before compute capability 8");
	else
		test_all();
	ops->close(d);
	return tap_done();
}
