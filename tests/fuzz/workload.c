/* Any text as a workload file: read, checked, bound to a device, its space made when that is small,
 * its default configuration planned. No source is compiled and no tensor is filled.
 * covers: workload.c binding.c binding_plan.c */
#include "tuner/workload/binding/workload_open.h"

#include <stdlib.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/space/space.h"

enum { MAX_CARTESIAN = 4096 };

static double cartesian(const struct implementation *i)
{
	double n = 1;

	for (size_t k = 0; k < i->n_parameters; k++)
		n *= (double)i->parameters[k].n_values;
	return n;
}

static void plan_default(const struct binding *b, const struct implementation *i)
{
	struct space *space = NULL;
	struct config config;
	struct plan plan;
	struct buf told = {0};
	struct asc_err e;
	uint64_t index, found;

	if (cartesian(i) > MAX_CARTESIAN || binding_space(b, i, &space, &e))
		return;
	if (space_default(space, &index)) {
		space_get(space, index, &config);
		if (!space_find(space, &config, &found) || found != index)
			abort();
		(void)binding_plan(b, i, 0, &config, &plan, &e);
		(void)binding_explain_rewrites(b, i, &config, &told, &e);
	}
	buf_fini(&told);
	space_free(space);
}

static void bind(const struct workload *w, const struct problem *p, const char *device,
		 const struct facts *facts)
{
	struct binding b;
	struct plan plan;
	struct asc_err e;
	char reason[200];
	bool covers;

	if (binding_init(&b, w, p, device, facts, &e))
		return;
	if (w->reference_kind == REFERENCE_FUNCTION)
		(void)binding_plan(&b, NULL, 0, NULL, &plan, &e);
	for (size_t i = 0; i < w->n_implementations; i++)
		if (!binding_covers(&b, &w->implementations[i], &covers, reason, sizeof reason,
				    &e) &&
		    covers)
			plan_default(&b, &w->implementations[i]);
	binding_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Sources are looked up beside it. */
	static const char path[] = TEST_DATA "/data/workload/full.json";
	const char *text = size > 0 ? (const char *)data : "";
	struct workload *w = NULL;
	struct facts none = {0}, some = {0};
	struct asc_err e;

	facts_set(&some, FACT_THREADS, 4);
	facts_set(&some, FACT_L2_BYTES, 1 << 20);
	if (workload_open_text(path, text, size, &w, &e))
		return 0;
	for (size_t i = 0; i < w->n_problems; i++) {
		bind(w, &w->problems[i], "cpu", &some);
		bind(w, &w->problems[i], "npu", &none);
	}
	workload_close(w);
	return 0;
}
