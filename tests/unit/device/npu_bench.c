#include "tests/unit/device/npu_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/device/libs/acl.h"

enum { N = NPU_BENCH_N, BYTES = NPU_BENCH_BYTES, BLOCKS = NPU_BENCH_BLOCKS };

static const struct device_ops *const npu = &device_npu;

struct npu_bench bench;

/* ---- cases ---- */

/* True when the log is whole, and as much was freed of each kind as was made; or nothing was. */
static bool is_balanced(const char *log)
{
	bool equal = !*log || strstr(log, "\ncalls ");

	for (const char *at = strstr(log, "balance "); at; at = strstr(at + 1, "balance ")) {
		int made = 0, freed = -1;

		equal &= sscanf(at, "balance %*[^:]: %d made, %d freed", &made, &freed) == 2 &&
			 made == freed;
	}
	return equal;
}

void npu_case_run(const struct npu_case *c)
{
	const char *folder = c->folder ? c->folder : "head";
	char path[400], name[300];

	(void)snprintf(path, sizeof path, "%s/%s", STANDIN_FOLDER, folder);
	(void)snprintf(name, sizeof name, "%s %s%s%s: %s", folder, c->control ? c->control : "",
		       c->clock ? " clock " : "", c->clock ? c->clock : "", c->name);
	(void)setenv("ASCTUNE_CANN", path, 1);
	(void)setenv("ASCTUNE_NPU_CLOCK", c->clock ? c->clock : "", 1);
	standin_case(folder, c->control ? c->control : "soc=Ascend910B3", c->run, name);
	if (c->control && strstr(c->control, "fault"))
		return;
	tap_ok(standin_case_count("\nerror") + standin_case_count("\nlost") == 0 &&
		       is_balanced(standin_case_log()),
	       "%s: what was made is gone, nothing else was done with it", name);
}

/* ---- a device with a kernel ---- */

static void make_plan(int64_t n, int64_t x, int64_t y)
{
	bench.plan = (struct plan){.grid = {x, y, 1}, .block = {1, 1, 1}, .n_arguments = 3};
	bench.plan.arguments[0] = (struct bound_argument){.kind = ARG_TENSOR, .tensor = 0};
	bench.plan.arguments[1] = (struct bound_argument){.kind = ARG_TENSOR, .tensor = 1};
	bench.plan.arguments[2] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I32, .scalar = value_int(n)};
}

void npu_bench_open(void)
{
	struct asc_err e;

	for (int i = 0; i < N; i++)
		bench.data[i] = (float)i;
	WORKS(npu->open("sim:Ascend910B3", &bench.d, &e));
	if (!bench.d)
		return;
	for (size_t i = 0; i < 2; i++)
		WORKS(npu->alloc(bench.d, BYTES, &bench.tensors[i], &e));
	WORKS(npu->write(bench.d, bench.tensors[0], bench.data, BYTES, &e));
	WORKS(npu->fill(bench.d, bench.tensors[1], 0xFF, &e));
	WORKS(npu->load(bench.d, TWIN_ADD, "add_one", &bench.k, &e));
}

void npu_bench_close(void)
{
	if (!bench.d)
		return;
	npu->unload(bench.d, bench.k);
	for (size_t i = 0; i < 2; i++)
		npu->release(bench.d, bench.tensors[i]);
	npu->close(bench.d);
}

enum asc_status npu_bench_bind(int64_t n, int64_t x, int64_t y, struct asc_err *e)
{
	make_plan(n, x, y);
	return bench.k ? npu->bind(bench.d, bench.k, &bench.plan, bench.tensors, NULL, e)
		       : ASC_INTERNAL;
}

enum asc_status npu_bench_launch(int64_t n, struct asc_err *e)
{
	return npu->launch(bench.d, &(struct device_sequence){&bench.k, 1}, n, e);
}

enum asc_status npu_bench_run(struct device_batch batch, int64_t *ns, struct asc_err *e)
{
	return npu->run(bench.d, &(struct device_sequence){&bench.k, 1}, &batch, ns, e);
}

bool npu_bench_is_added(void)
{
	struct asc_err e;
	float out[N];
	int right = 0;

	if (npu->read(bench.d, bench.tensors[1], out, BYTES, &e))
		return false;
	for (int i = 0; i < N; i++)
		right += out[i] == (float)i + 1;
	return right == N;
}

void npu_bench_check(void)
{
	struct asc_err e;
	int64_t ns[3] = {0}, sums[3] = {0};

	npu_bench_open();
	const bool records = bench.d && strcmp(npu->info(bench.d)->clock, "mspti") == 0;

	WORKS(npu_bench_bind(N, BLOCKS, 1, &e));
	WORKS(npu_bench_run(
		(struct device_batch){.samples = 3, .launches = 100, .kernels_ns = sums}, ns, &e));
	for (int i = 0; i < 3; i++)
		HOLDS(ns[i] > 0 && (records ? sums[i] == ns[i] : sums[i] == 0));
	HOLDS(bench.d && npu_bench_is_added());
	WORKS(npu->flush(bench.d, NULL, &e));
	WORKS(npu_bench_run((struct device_batch){.samples = 2, .launches = 2, .cold = true}, ns,
			    &e));
	HOLDS(ns[0] > 0 && ns[1] > 0);
	WORKS(npu_bench_launch(5, &e));
	WORKS(npu->wait(bench.d, &e));
	HOLDS(!npu->lost(bench.d));
	npu_bench_close();
}

struct acl_runtime *npu_bench_runtime(void)
{
	struct asc_err e;
	const struct acl_runtime *runtime;

	WORKS(acl_start(&runtime, &e));
	return (struct acl_runtime *)(uintptr_t)runtime;
}
