/* covers: verdicts.c
 * Questions to the planner of an NPU about configurations of a workload: one answer for problems
 * that have the same kernel, none asked twice, also not by the next program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"

static const char model[] = "Ascend910B3";

/* Asks about softmax with blocks of 1 x block_n on a problem; NULL: that could not be stated. */
static const struct verdict *ask(struct verdicts *v, struct workload *w, const char *problem,
				 int64_t block_n)
{
	const struct implementation *i = workload_find_implementation(w, "triton");
	const struct verdict *out = NULL;
	struct config c = {.n = i->n_parameters};
	const char *list[CONFIG_MAX_PARAMETERS + 1] = {0};
	struct limits limits = {0};
	struct facts facts = {0};
	struct binding b = {0};
	struct asc_err e = {0};

	for (size_t k = 0; k < i->n_parameters; k++) {
		const struct parameter *p = &i->parameters[k];

		list[k] = p->name;
		c.values[k] = p->has_default ? p->default_value : p->values[0];
		if (strcmp(p->name, "BLOCK_M") == 0)
			c.values[k] = (struct value){.kind = VALUE_INT, .i = 1};
		if (strcmp(p->name, "BLOCK_N") == 0)
			c.values[k] = (struct value){.kind = VALUE_INT, .i = block_n};
	}
	if (limits_find(model, &limits))
		facts = limits.facts;
	if (!tap_int(binding_init(&b, w, workload_find_problem(w, problem), "npu", &facts, &e),
		     ASC_OK, "problem %s: %s", problem, e.text))
		return NULL;
	b.limits = &limits;
	tap_int(verdicts_ask(v, &(struct verdict_question){&b, i, 0, &c, list}, &out, &e), ASC_OK,
		"%s, %lld: asked: %s", problem, (long long)block_n, e.text);
	binding_fini(&b);
	return out;
}

/* Opens a desk on a cache; NULL with a skipped test where there is no planner. */
static struct verdicts *open_desk(const char *cache)
{
	struct verdicts *v = NULL;
	struct asc_err e = {0};

	if (verdicts_open(cache, model, "/proc/self/exe", 2, NULL, &v, &e))
		tap_skip("%s", e.text);
	return v;
}

int main(void)
{
	struct workload *w = NULL;
	struct verdicts *v;
	struct asc_err e = {0};

	if (!folder_init("verdicts") ||
	    !tap_int(workload_open(PROJECT_ROOT "/workloads/softmax.json", &w, &e), ASC_OK,
		     "the workload: %s", e.text) ||
	    !tap_int(sandbox_grant(w->path, true, &e), ASC_OK, "its files are read: %s", e.text))
		return tap_done();
	tap_int(verdicts_open(in_folder(""), "Ascend310P3", "/proc/self/exe", 1, NULL, &v, &e),
		ASC_ABSENT, "nobody plans for that model: %s", e.text);
	v = open_desk(in_folder(""));
	if (v) {
		const struct verdict *odd = ask(v, w, "odd", 1024);

		tap_ok(odd && ask(v, w, "bert-384", 1024) == odd, "a verdict is of no problem");
		tap_ok(ask(v, w, "bert-384", 256) != odd,
		       "a constant of the kernel is another question");
		tap_ok(ask(v, w, "bert-384-f16", 1024) != odd, "so is a type");
		const struct verdict *large = ask(v, w, "llama-32k-vocabulary", 32768);

		tap_int((long long)verdicts_asked(v), 4, "four questions");
		tap_int(verdicts_await(v, 0, -1, &e), ASC_OK, "all are answered: %s", e.text);
		tap_ok(odd && odd->kind == VERDICT_FITS && odd->planned_bytes[VERDICT_UB] > 0 &&
			       *odd->program,
		       "a small row fits, with a plan");
		tap_ok(large && large->kind == VERDICT_REFUSED && large->space == VERDICT_UB,
		       "a large one does not: %s", large && large->reason ? large->reason : "");
		tap_int((long long)verdicts_started(v), 4, "each was asked once");
		verdicts_close(v);
	}
	v = v ? open_desk(in_folder("")) : NULL;
	if (v) {
		const struct verdict *again = ask(v, w, "odd", 1024);

		tap_int(verdicts_await(v, 0, -1, &e), ASC_OK, "asked again: %s", e.text);
		tap_ok(again && again->kind == VERDICT_FITS && again->cached, "the cache answers");
		tap_int((long long)verdicts_started(v), 0, "no compiler was started");
		verdicts_close(v);
	}
	workload_close(w);
	folder_fini();
	return tap_done();
}
