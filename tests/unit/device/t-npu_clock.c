/* The clocks of an NPU on the stand-in: records of MSPTI that come late, in another order, several
 * for a launch or not at all; and events.
 * covers: npu_clock.c mspti.c */
#include "tuner/device/npu/npu_clock.h"

#include <string.h>

#include "tests/tap.h"
#include "tests/unit/device/npu_bench.h"
#include "tuner/device/libs/acl.h"
#include "tuner/device/libs/mspti.h"

enum { N = NPU_BENCH_N, BLOCKS = NPU_BENCH_BLOCKS };

static struct asc_err e;
static const struct device_ops *const npu = &device_npu;
static const char place[] = "sim:Ascend910B3"; /* the control may name another SoC */

static const struct device_batch once = {.samples = 1, .launches = 1};

/* ---- records ---- */

/* A vendor's function of two kernels, in the place of the bench's own. */
static void open_softmax(void)
{
	struct vendor_kernel *v;

	npu_bench_open();
	npu->unload(bench.d, bench.k);
	bench.k = NULL;
	WORKS(device_load(npu, bench.d, "aclnn:Softmax", "Softmax", &v, &bench.k, &e));
	bench.plan = (struct plan){.grid = {1, 1, 1}, .block = {1, 1, 1}, .n_arguments = 3};
	for (size_t i = 0; i < 3; i += 2)
		bench.plan.arguments[i] = (struct bound_argument){.kind = ARG_TENSOR,
								  .type = DTYPE_F32,
								  .tensor = i / 2,
								  .rank = 2,
								  .shape = {50, N / 50},
								  .strides = {N / 50, 1}};
	bench.plan.arguments[1] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(1)};
	if (bench.k)
		WORKS(npu->bind(bench.d, bench.k, &bench.plan, bench.tensors, NULL, &e));
}

/* Each sample has both kernels, also where every launch is a batch of its own. */
static void counts_kernels(void)
{
	enum { SAMPLES = 40 };
	int64_t ns[SAMPLES] = {0}, sums[SAMPLES] = {0}, most = 0;

	open_softmax();
	for (size_t i = 0; i < SAMPLES; i++) {
		WORKS(npu_bench_run(
			(struct device_batch){.samples = 1, .launches = 1, .kernels_ns = &sums[i]},
			&ns[i], &e));
		most = sums[i] > most ? sums[i] : most;
	}
	for (size_t i = 0; i < SAMPLES; i++)
		HOLDS(ns[i] >= sums[i] && 10 * sums[i] > 9 * most);
	npu_bench_close();
}

static enum asc_status count_restored(void *user, struct asc_err *err)
{
	(void)err;
	++*(int *)user;
	return ASC_OK;
}

/* Launches that are counted come before the one that is timed, which finds nothing of theirs; none
 * is after the kernel was bound anew to the same plan. */
static void puts_counted_back(void)
{
	int n = 0;
	const struct device_batch one = {
		.samples = 1, .launches = 1, .restore = count_restored, .user = &n};
	const struct plan other = (open_softmax(), bench.plan);
	int64_t ns = 0;

	WORKS(npu_bench_run(one, &ns, &e));
	HOLDS(n == 8);
	WORKS(npu->bind(bench.d, bench.k, &bench.plan, bench.tensors, NULL, &e));
	WORKS(npu_bench_run(one, &ns, &e));
	HOLDS(n == 8);
	WORKS(npu->bind(bench.d, bench.k, &other, bench.tensors, NULL, &e));
	WORKS(npu_bench_run(one, &ns, &e));
	HOLDS(n == 16);
	npu_bench_close();
}

/* A launch whose number of kernels cannot be known has no time. */
static void loses_kernels(void)
{
	int64_t ns = 0;

	open_softmax();
	HOLDS(npu_bench_run(once, &ns, &e) == ASC_IO);
	HOLDS(strstr(e.text, "loses records") != NULL);
	npu_bench_close();
}

static void has_no_times(void)
{
	int64_t ns = 0;

	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	HOLDS(npu_bench_run((struct device_batch){.samples = 1, .launches = 4}, &ns, &e) == ASC_IO);
	HOLDS(strcmp(e.text, "the clock \"mspti\" has no time of 32 launches") == 0);
	npu_bench_close();
}

/* Records of launches that nothing times do not pile up. */
static void drops_untimed(void)
{
	struct mspti_records left;
	int64_t ns = 0;

	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	WORKS(npu_bench_run(once, &ns, &e)); /* records are collected from then on */
	WORKS(npu_bench_launch(5, &e));
	WORKS(npu->wait(bench.d, &e));
	WORKS(mspti_take(&left, 0, 0, &e));
	HOLDS(left.n_kernels == 0);
	npu_bench_close();
}

static int (*wait_really)(void *stream, int32_t timeout_ms);

/* Waits, and fails after that: the kernels have ended, their records are there. */
static int wait_and_fail(void *stream, int32_t timeout_ms)
{
	(void)wait_really(stream, timeout_ms);
	return 100000;
}

/* What a batch that failed has left is no kernel of the next one. */
static void leaves_failed(void)
{
	struct acl_runtime *runtime = npu_bench_runtime();
	int64_t ns = 0;

	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	WORKS(npu_bench_run(once, &ns, &e));
	wait_really = runtime->stream_synchronize_within;
	runtime->stream_synchronize_within = wait_and_fail;
	HOLDS(npu_bench_run(once, &ns, &e) == ASC_IO && !npu->lost(bench.d));
	runtime->stream_synchronize_within = wait_really;
	WORKS(npu_bench_run(once, &ns, &e));
	npu_bench_close();
}

/* ---- events ---- */

static void falls_back(void)
{
	struct device_info info;

	WORKS(npu->inspect(place, &info, &e));
	HOLDS(strcmp(info.clock, "event") == 0);
	npu_bench_check();
}

static int reverse(float *ms, void *begin, void *end)
{
	(void)begin, (void)end;
	*ms = -0.005F;
	return 0;
}

static int quarter(float *ms, void *begin, void *end)
{
	(void)begin, (void)end;
	*ms = 0.25F;
	return 0;
}

/* Times a launch where `elapsed` tells how far its events are apart. */
static enum asc_status time_launch(int (*elapsed)(float *ms, void *begin, void *end), int64_t *ns)
{
	npu_bench_open();
	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	npu_bench_runtime()->event_elapsed = elapsed;
	const enum asc_status s = npu_bench_run(once, ns, &e);

	npu_bench_close();
	return s;
}

/* An event that is recorded later, with an earlier time. */
static void has_no_negative_times(void)
{
	int64_t ns = 0;

	HOLDS(time_launch(reverse, &ns) == ASC_IO);
	HOLDS(strstr(e.text, "the clock \"event\" has no time of") != NULL);
}

static void reads_events(void)
{
	int64_t ns = 0;

	WORKS(time_launch(quarter, &ns));
	HOLDS(ns == 250000);
}

/* ---- which clock ---- */

static void refuses_clocks(void)
{
	HOLDS(npu->open(place, &bench.d, &e) == ASC_USAGE && !bench.d);
	HOLDS(strcmp(e.text, "ASCTUNE_NPU_CLOCK is \"sun\", expected mspti or event") == 0);
}

static const struct npu_case cases[] = {
	{NULL, NULL, "sun", "refuses an unknown clock", refuses_clocks},
	{NULL, "fault=zero", "mspti", "has no times", has_no_times},
	{NULL, "fault=rows=0", "mspti", "has no times", has_no_times},
	{NULL, "fault=drop=0.3", "mspti", "makes launches again", npu_bench_check},
	{NULL, NULL, "mspti", "counts a function's kernels", counts_kernels},
	{NULL, "fault=drop=0.1", "mspti", "counts a function's kernels", counts_kernels},
	{NULL, NULL, "mspti", "puts back what counted launches change", puts_counted_back},
	{NULL, "fault=drop=0.5", "mspti", "does not guess a function's kernels", loses_kernels},
	{NULL, "fault=rows=2", "mspti", "takes several records of a kernel", npu_bench_check},
	{NULL, "fault=reorder", "mspti", "knows whose records they are", npu_bench_check},
	{NULL, "fault=drift", "mspti", "has no time below 0", npu_bench_check},
	{NULL, NULL, "event", "has no time below 0", has_no_negative_times},
	{NULL, "fault=preload", NULL, "takes events", falls_back},
	{NULL, NULL, "event", "has times in nanoseconds", reads_events},
	{NULL, "fault=drop=0.3", "mspti", "does not guess a function's kernels", loses_kernels},
	{NULL, NULL, "mspti", "drops records of launches that nothing times", drops_untimed},
	{NULL, NULL, "mspti", "leaves records of a batch that failed", leaves_failed},
};

int main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		npu_case_run(&cases[i]);
	return tap_done();
}
