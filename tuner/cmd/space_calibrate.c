#include "tuner/cmd/space_calibrate.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/kernel_variants.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/limits/calibration.h"
#include "tuner/workload/space/space.h"

struct run {
	const struct space_calibrate *o;
	const volatile sig_atomic_t *stop;
	struct planner_questions questions;
	struct screen screen;
	size_t kernels; /* calibrated so far */
	bool lost, unanswered;
};

/* One variant of a kernel on its way. */
struct work {
	const struct kernel_variant *variant;
	struct calibration_space space;
	struct calibration *calibration;
	const struct verdict *answer; /* that is awaited; NULL: none */
	char *why_not;                /* words about the first question without a verdict; heap */
	struct calibration_report report;
	char *bounds[CALIBRATION_SPACES]; /* as formulas; heap */
};

/* ---- asking ---- */

static void show_progress(struct run *r, const struct kernel_variants *v)
{
	char text[160];

	if (*r->stop || !screen_begin(&r->screen, false))
		return;
	(void)snprintf(text, sizeof text, "%s: %zu questions about %zu variants answered",
		       v->implementation->name,
		       verdicts_asked(r->questions.desk) -
			       verdicts_open_questions(r->questions.desk),
		       v->n);
	if (canvas_begin_line(&r->screen.canvas))
		canvas_put(&r->screen.canvas, INK_PLAIN, text, sizeof text);
	screen_draw(&r->screen);
}

/* Tells a variant its answer, if that is there. */
static void tell(const struct run *r, struct work *w)
{
	const struct verdict *a = w->answer;

	/* Trouble of the machine leaves NONE. */
	if (!a || (a->kind == VERDICT_NONE && verdicts_open_questions(r->questions.desk) > 0))
		return;
	w->answer = NULL;
	if (a->kind != VERDICT_FITS && a->kind != VERDICT_REFUSED && !w->why_not)
		w->why_not = str_dup(a->reason ? a->reason : "no answer");
	/* A refusal that names no space is one of UB, which every kernel has a part in. */
	calibration_tell(w->calibration,
			 a->kind == VERDICT_FITS      ? CALIBRATION_FITS
			 : a->kind == VERDICT_REFUSED ? CALIBRATION_REFUSED
						      : CALIBRATION_UNKNOWN,
			 a->kind == VERDICT_REFUSED && a->space < VERDICT_SPACES ? a->space
										 : VERDICT_UB);
}

/* Asks a variant's questions up to the first that has to wait for its answer. */
static enum asc_status ask(const struct run *r, const struct kernel_variants *v, struct work *w,
			   struct asc_err *e)
{
	int64_t sizes[TILE_MAX_SIZES];

	while (!w->answer && calibration_ask(w->calibration, sizes)) {
		const struct variant_place *place;
		struct config c;
		if (!kernel_variants_find(v, w->variant, sizes, &place, &c)) {
			calibration_tell(w->calibration, CALIBRATION_UNKNOWN, VERDICT_UB);
			continue;
		}
		const struct verdict_question q = {.binding = &place->binding,
						   .implementation = v->implementation,
						   .call = v->call,
						   .config = &c,
						   .names = space_names(place->space)};
		if (verdicts_ask(r->questions.desk, &q, &w->answer, e))
			return e->status;
		tell(r, w); /* the same may have been asked before */
	}
	return ASC_OK;
}

/* Calibrates all variants side by side: each has one question out at a time, for the next one
 * depends on its answer. */
static enum asc_status ask_all(struct run *r, const struct kernel_variants *v, struct work *works,
			       struct asc_err *e)
{
	const int64_t tick_ns = 200000000; /* signals are looked at so often */
	size_t waiting;

	do {
		waiting = 0;
		for (size_t i = 0; i < v->n; i++) {
			tell(r, &works[i]);
			if (ask(r, v, &works[i], e))
				return e->status;
			waiting += works[i].answer != NULL;
		}
		if (*r->stop)
			return asc_err_set(e, ASC_INTERRUPTED,
					   "stopped; the cache has the answers so far, and the "
					   "same command goes on there");
		const size_t open = verdicts_open_questions(r->questions.desk);
		if (open && verdicts_await(r->questions.desk, open - 1, tick_ns, e))
			return e->status;
		show_progress(r, v);
	} while (waiting);
	return ASC_OK;
}

/* ---- the formula of a memory space ---- */

/* Finds the column whose values tell most about the bounds of these variants: split by it, the
 * groups have the fewest different bounds in all. */
static size_t find_split(const struct kernel_variants *v, const struct work *works, size_t n,
			 size_t space)
{
	size_t best = v->n_columns, fewest = SIZE_MAX;

	for (size_t k = 0; k < v->n_columns; k++) {
		size_t pairs = 0, values = 0;
		if (v->columns[k].is_size || v->columns[k].is_hidden)
			continue;
		for (size_t i = 0; i < n; i++) {
			bool new_value = true, new_pair = true;
			for (size_t j = 0; j < i; j++) {
				const bool same = value_equal(works[i].variant->first->values[k],
							      works[j].variant->first->values[k]);
				new_value = new_value && !same;
				new_pair =
					new_pair && !(same && strcmp(works[i].bounds[space],
								     works[j].bounds[space]) == 0);
			}
			values += new_value;
			pairs += new_pair;
		}
		if (values > 1 && pairs < fewest) {
			fewest = pairs;
			best = k;
		}
	}
	return best;
}

/* Appends the bound of these variants, whose order changes: one formula where they agree, else one
 * for each value of a column. Of variants that no formula tells apart none has a bound. */
static void print_formula(const struct kernel_variants *v, struct work *works, size_t n,
			  size_t space, struct buf *out)
{
	bool agree = true;

	for (size_t i = 1; i < n; i++)
		agree = agree && strcmp(works[i].bounds[space], works[0].bounds[space]) == 0;
	const size_t k = agree ? v->n_columns : find_split(v, works, n, space);

	if (k == v->n_columns) {
		buf_add_str(out, agree ? works[0].bounds[space] : "0");
		return;
	}
	/* The largest value goes before: "if WHOLE" reads better than "if not WHOLE". */
	struct value value = works[0].variant->first->values[k];
	size_t first = 0;

	for (size_t i = 1; i < n; i++)
		if (value_order(works[i].variant->first->values[k], value) == 1)
			value = works[i].variant->first->values[k];

	for (size_t i = 0; i < n; i++)
		if (value_equal(works[i].variant->first->values[k], value)) {
			const struct work here = works[i];
			works[i] = works[first];
			works[first++] = here;
		}
	buf_add_char(out, '(');
	print_formula(v, works, first, space, out);
	buf_add_str(out, " if ");
	kernel_variants_print_condition(v, k, works[0].variant, out);
	buf_add_str(out, " else ");
	print_formula(v, works + first, n - first, space, out);
	buf_add_char(out, ')');
}

/* Makes the formula of a memory space for the workload: on this architecture what was found, on
 * others what the workload states already. Empty where nothing was found: what is stated stays. */
static enum asc_status print_memory(const struct run *r, const struct kernel_variants *v,
				    const struct work *works, size_t space, struct buf *out,
				    struct asc_err *e)
{
	const struct implementation *i = v->implementation;
	const struct facts *facts = &r->questions.target.info.facts;
	struct work *all = calloc(v->n, sizeof *all); /* borrows; their order changes */
	const char *stated = "0";
	struct buf found = {0};

	if (!all)
		return asc_err_nomem(e);
	memcpy(all, works, v->n * sizeof *all);
	for (size_t k = 0; k < i->n_memory; k++)
		if (strcmp(i->memory[k].space, verdict_space_name((enum verdict_space)space)) ==
			    0 &&
		    i->memory[k].bytes.node && json_get_string(i->memory[k].bytes.node, &stated, e))
			stated = i->memory[k].bytes.text; /* a number */
	print_formula(v, all, v->n, space, &found);
	free(all);
	if (strcmp(buf_str(&found), "0") != 0)
		buf_print(out, "%s if device.npu_arch == %lld else %s", buf_str(&found),
			  (long long)facts->value[FACT_NPU_ARCH], stated);
	const enum asc_status s = buf_check(&found, e);

	buf_fini(&found);
	return s ? s : buf_check(out, e);
}

/* ---- output ---- */

static void add_row(struct table *t, const struct kernel_variants *v, const struct work *w)
{
	const struct calibration_report *c = &w->report;
	const size_t checked = c->checked_fitting + c->checked_refused;
	struct buf name = {0}, largest = {0}, bounds = {0};

	kernel_variants_print(v, w->variant, &name);
	for (size_t k = 0; k < v->n_sizes && c->fitting; k++)
		buf_print(&largest, "%s%s=%lld", k ? " " : "", v->size_names[k],
			  (long long)c->largest[k]);
	for (size_t s = 0; s < CALIBRATION_SPACES; s++)
		if (strcmp(w->bounds[s], "0") != 0)
			buf_print(&bounds, "%s%s: %s", bounds.len ? "; " : "",
				  verdict_space_name((enum verdict_space)s), w->bounds[s]);
	table_add(t, "%s", buf_str(&name));
	table_add(t, "%zu", c->asked);
	table_add(t, "%zu", c->fitting);
	table_add(t, "%zu", c->lost);
	table_add(t, "%zu", c->refused);
	table_add(t, "%zu", c->foreseen);
	table_add(t, "%zu/%zu",
		  checked - c->checked_lost - (c->checked_refused - c->checked_foreseen), checked);
	table_add(t, "%s", buf_str(&largest));
	table_add(t, "%s",
		  bounds.len   ? buf_str(&bounds)
		  : c->refused ? "no sum tells what is refused"
		  : c->fitting ? "nothing is refused"
			       : "no verdict");
	if (w->why_not)
		table_note(t, "%zu without a verdict: %s", c->unknown, w->why_not);
	buf_fini(&name);
	buf_fini(&largest);
	buf_fini(&bounds);
}

/* Prints a row for each variant, then the formulas as a workload takes them. */
static enum asc_status print_text(const struct run *r, const struct kernel_variants *v,
				  const struct work *works, struct asc_err *e)
{
	struct table t;
	size_t shown = 0;

	table_init(&t, "VARIANT|>ASKED|>FIT|>LOST|>REFUSED|>FORESEEN|>CHECKS|LARGEST|BOUND");
	for (size_t i = 0; i < v->n; i++)
		add_row(&t, v, &works[i]);
	enum asc_status s = table_print(&t, stdout, e);

	table_fini(&t);
	for (size_t k = 0; k < CALIBRATION_SPACES && s == ASC_OK; k++) {
		struct buf formula = {0}, quoted = {0};
		s = print_memory(r, v, works, k, &formula, e);
		if (s == ASC_OK && formula.len) {
			struct json_writer w = {&quoted, false};
			json_write_string(&w, NULL, buf_str(&formula));
			printf("%s\"%s\": %s", shown++ ? ",\n  " : "\"memory\": {\n  ",
			       verdict_space_name((enum verdict_space)k), buf_str(&quoted));
		}
		buf_fini(&formula);
		buf_fini(&quoted);
	}
	puts(shown ? "\n}" : "the planner refuses nothing: no memory has to be stated");
	return s;
}

static enum asc_status print_variant_json(const struct kernel_variants *v, const struct work *w,
					  struct asc_err *e)
{
	const struct calibration_report *c = &w->report;
	struct buf line = {0}, name = {0};
	struct json_writer j = {&line, false};

	kernel_variants_print(v, w->variant, &name);
	json_write_begin(&j, NULL, '{');
	json_write_string(&j, "type", "variant");
	json_write_string(&j, "implementation", v->implementation->name);
	json_write_string(&j, "variant", buf_str(&name));
	json_write_count(&j, "rows", w->variant->n_rows);
	json_write_count(&j, "asked", c->asked);
	json_write_count(&j, "fitting", c->fitting);
	json_write_count(&j, "lost", c->lost);
	json_write_count(&j, "refused", c->refused);
	json_write_count(&j, "foreseen", c->foreseen);
	json_write_count(&j, "unknown", c->unknown);
	json_write_begin(&j, "checks", '{');
	json_write_count(&j, "fitting", c->checked_fitting);
	json_write_count(&j, "lost", c->checked_lost);
	json_write_count(&j, "refused", c->checked_refused);
	json_write_count(&j, "foreseen", c->checked_foreseen);
	json_write_end(&j, '}');
	json_write_begin(&j, "largest", '{');
	for (size_t k = 0; k < v->n_sizes && c->fitting; k++)
		json_write_int(&j, v->size_names[k], c->largest[k]);
	json_write_end(&j, '}');
	json_write_begin(&j, "bounds", '{');
	for (size_t s = 0; s < CALIBRATION_SPACES; s++)
		if (strcmp(w->bounds[s], "0") != 0)
			json_write_string(&j, verdict_space_name((enum verdict_space)s),
					  w->bounds[s]);
	json_write_end(&j, '}');
	json_write_string(&j, "reason", w->why_not);
	json_write_end(&j, '}');
	buf_fini(&name);
	return command_print_line(&line, e);
}

static enum asc_status print_json(const struct run *r, const struct kernel_variants *v,
				  const struct work *works, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer j = {&line, false};
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < v->n && s == ASC_OK; i++)
		s = print_variant_json(v, &works[i], e);
	json_write_begin(&j, NULL, '{');
	json_write_string(&j, "type", "memory");
	json_write_string(&j, "implementation", v->implementation->name);
	json_write_string(&j, "model", r->questions.target.limits.name);
	json_write_string(&j, "planner", verdicts_planner(r->questions.desk));
	json_write_begin(&j, "memory", '{');
	for (size_t k = 0; k < CALIBRATION_SPACES && s == ASC_OK; k++) {
		struct buf formula = {0};
		s = print_memory(r, v, works, k, &formula, e);
		if (formula.len)
			json_write_string(&j, verdict_space_name((enum verdict_space)k),
					  buf_str(&formula));
		buf_fini(&formula);
	}
	json_write_end(&j, '}');
	json_write_end(&j, '}');
	if (s == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return s;
}

/* ---- one kernel ---- */

static enum asc_status work_start(const struct run *r, const struct kernel_variants *v,
				  const struct kernel_variant *one, struct work *w,
				  struct asc_err *e)
{
	const size_t questions = r->o->questions ? (size_t)r->o->questions : CALIBRATION_QUESTIONS;

	*w = (struct work){.variant = one};
	w->space = (struct calibration_space){.n_sizes = v->n_sizes,
					      .rows = one->sizes,
					      .n_rows = one->n_rows,
					      .fixed = one->fixed,
					      .checks = questions * CALIBRATION_CHECKS /
							CALIBRATION_QUESTIONS};
	for (size_t k = 0; k < v->n_sizes; k++)
		if (v->columns[v->size_columns[k]].source == VARIANT_PARAMETER)
			w->space.between |= 1u << k;
	/* Of one size a dozen questions find the largest tile itself, and no check says more. */
	if (v->n_sizes == 1) {
		w->space.step = 64;
		w->space.checks = 0;
	}
	for (size_t s = 0; s < CALIBRATION_SPACES; s++) {
		const struct memory_space *m = limits_space(
			&r->questions.target.limits, verdict_space_name((enum verdict_space)s));
		w->space.capacities[s] = m ? (double)m->bytes : 0;
	}
	return calibration_new(&w->space, questions, &w->calibration, e);
}

/* Takes what came of a variant; its questions are over. */
static enum asc_status work_end(struct run *r, const struct kernel_variants *v, struct work *w,
				struct asc_err *e)
{
	calibration_report(w->calibration, &w->report);
	r->lost = r->lost || w->report.lost > 0;
	r->unanswered = r->unanswered || w->report.fitting + w->report.refused == 0;
	for (size_t s = 0; s < CALIBRATION_SPACES; s++) {
		struct buf text = {0};
		char too_much[64];
		(void)snprintf(too_much, sizeof too_much, "2 * device.%s_bytes",
			       verdict_space_name((enum verdict_space)s));
		tile_bound_print(&w->report.bounds[s], v->size_names, v->n_sizes, too_much, &text);
		w->bounds[s] = buf_take(&text);
		if (!w->bounds[s])
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

static enum asc_status calibrate_kernel(struct run *r, const struct kernel_variants *v,
					struct asc_err *e)
{
	struct work *works = calloc(v->n + 1, sizeof *works);
	enum asc_status s = works ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK && !r->o->planner.json)
		prose_say(stdout, 2, "%s%s%.0zu: %s, for %s", v->implementation->name,
			  v->call ? ", call " : "", v->call, verdicts_planner(r->questions.desk),
			  r->questions.target.limits.name);
	for (size_t i = 0; i < v->n && s == ASC_OK; i++)
		s = work_start(r, v, &v->list[i], &works[i], e);
	if (s == ASC_OK) {
		fflush(stdout);
		screen_open(&r->screen, stderr);
		s = ask_all(r, v, works, e);
		screen_close(&r->screen);
	}
	for (size_t i = 0; i < v->n && s == ASC_OK; i++)
		s = work_end(r, v, &works[i], e);
	if (s == ASC_OK)
		s = r->o->planner.json ? print_json(r, v, works, e) : print_text(r, v, works, e);
	for (size_t i = 0; works && i < v->n; i++) {
		calibration_free(works[i].calibration);
		free(works[i].why_not);
		for (size_t k = 0; k < CALIBRATION_SPACES; k++)
			free(works[i].bounds[k]);
	}
	free(works);
	return s;
}

/* ---- the command ---- */

/* Calibrates a call of an implementation, over all problems that are chosen. */
static enum asc_status calibrate_call(struct run *r, const struct implementation *i, size_t call,
				      struct asc_err *e)
{
	const struct planned_target t = {.device = "npu",
					 .facts = &r->questions.target.info.facts,
					 .limits = target_limits(&r->questions.target),
					 .rewrites_off = r->o->planner.rewrites_off};
	struct kernel_variants v = {.implementation = i, .call = call};
	enum asc_status s = ASC_OK;

	for (size_t k = 0; k < r->questions.workload->n_problems && s == ASC_OK; k++)
		if (target_wants(&r->questions.target, &r->questions.workload->problems[k],
				 r->o->planner.problems))
			s = kernel_variants_add(&v, r->questions.workload,
						&r->questions.workload->problems[k], &t, e);
	if (s == ASC_OK)
		s = kernel_variants_sort(&v, e);
	if (s == ASC_OK && v.n > 0 && !r->questions.desk)
		s = planner_questions_ask(&r->o->planner, &r->questions, r->stop, e);
	if (s == ASC_OK && v.n > 0) {
		r->kernels++;
		s = calibrate_kernel(r, &v, e);
	}
	kernel_variants_fini(&v);
	return s;
}

static enum asc_status calibrate(struct run *r, struct asc_err *e)
{
	if (planner_questions_open(&r->o->planner, &r->questions, e))
		return e->status;
	for (size_t k = 0; k < r->questions.workload->n_implementations; k++) {
		const struct implementation *i = &r->questions.workload->implementations[k];
		if (r->o->planner.implementation &&
		    strcmp(r->o->planner.implementation, i->name) != 0)
			continue;
		for (size_t call = 0; call < i->n_calls; call++) {
			struct callable storage;
			if (planned_call(&i->calls[call], &storage) &&
			    calibrate_call(r, i, call, e))
				return e->status;
		}
	}
	return r->kernels ? ASC_OK : planner_questions_none(&r->o->planner, &r->questions, e);
}

int space_calibrate_main(const struct space_calibrate *o)
{
	struct run r = {.o = o, .stop = command_watch_signals()};
	struct asc_err e;
	const enum asc_status s = calibrate(&r, &e);

	planner_questions_close(&r.questions);
	if (s)
		return command_fail(&e);
	return r.lost ? EXIT_NEGATIVE : r.unanswered ? EXIT_UNDECIDED : EXIT_DONE;
}
