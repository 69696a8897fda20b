#include "tuner/cmd/explain_verdict.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/planner_questions.h"
#include "tuner/cmd/space_overview.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

/* Appends an answer. */
static void print_answer(const struct verdict *a, const char *planner, const char *place,
			 struct buf *out)
{
	struct verdict_row row;

	buf_print(out, "%sthe planner decided, %s, %s: ", place,
		  a->cached ? "asked before" : "asked now", planner);
	if (planner_row(a, &row))
		verdict_row_print(&row, out);
	else
		buf_print(out, "no verdict: %s\n", a->reason ? a->reason : "it does not answer");
}

/* Asks about each kernel, at an open desk. */
static enum asc_status ask(const struct space_subject *s, struct verdicts *desk,
			   const struct config *c, bool *valid, struct buf *out, struct asc_err *e)
{
	const struct implementation *i = s->implementation;
	const struct verdict *answers[WORKLOAD_MAX_CALLS] = {NULL};
	struct callable storage;

	for (size_t k = 0; k < i->n_calls; k++) {
		const struct verdict_question q = {s->binding, i, k, c, space_names(s->space)};

		if (planned_call(&i->calls[k], &storage) && verdicts_ask(desk, &q, &answers[k], e))
			return e->status;
	}
	if (verdicts_await(desk, 0, -1, e))
		return e->status;
	for (size_t k = 0; k < i->n_calls; k++) {
		char place[CALL_MEMBER_SIZE] = "";

		if (!answers[k])
			continue;
		if (i->n_calls > 1)
			(void)snprintf(place, sizeof place, "calls[%zu]: ", k);
		print_answer(answers[k], verdicts_planner(desk), place, out);
		*valid &= answers[k]->kind != VERDICT_REFUSED &&
			  answers[k]->kind != VERDICT_UNSUPPORTED;
	}
	return ASC_OK;
}

enum asc_status explain_verdict(const struct space_subject *s, const struct target *t,
				const struct config *c, bool *valid, struct buf *out,
				struct asc_err *e)
{
	const struct planner_options o = {.file = s->file, .jobs = s->implementation->n_calls};
	struct planner_questions q = {.target = *t};
	char *planner = NULL;

	if (!binding_is_judged(s->binding, s->implementation))
		return ASC_OK;
	if (target_find_planner(t, &planner, e))
		return e->status;
	const bool at_hand = planner != NULL;

	free(planner);
	enum asc_status status = at_hand ? planner_questions_ask(&o, &q, NULL, e) : ASC_ABSENT;

	if (status == ASC_OK)
		status = ask(s, q.desk, c, valid, out, e);
	planner_questions_close(&q);
	/* ASC_INPUT: the launch of a configuration that breaks other conditions may not be
	 * stated. */
	if (status == ASC_ABSENT || status == ASC_INPUT)
		return binding_explain_verdicts(s->binding, s->implementation, c, out, e);
	return status;
}
