#include "tuner/cmd/space_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/build/verdict.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/live_lines.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/tune/verify_space.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/space/space.h"

struct verification {
	const struct space_verify *o;
	const volatile sig_atomic_t *stop;
	struct planner_questions questions;
	struct verify_space *space;
	struct screen screen;
	int64_t began_ns;
	size_t answered;  /* when progress was drawn first with answers */
	int64_t asked_ns; /* time of that */
};

/* ---- what is counted ---- */

struct tally { /* variants */
	uint64_t n[VERIFIED_COUNT];
	uint64_t of_space[VERDICT_SPACES][VERIFIED_COUNT]; /* LOST, REFUSED and FORESEEN */
	uint64_t variants, configurations;
};

/* The memory space that a variant is about: the one that the planner finds too small, else that of
 * the first limit which leaves it out; VERDICT_SPACES: none. */
static enum verdict_space space_of(const struct verify_variant *v, const char *limits)
{
	static const char prefix[] = "memory.";
	enum verdict_space found = VERDICT_SPACES;
	size_t call;
	const struct verdict *answer = verify_variant_answer(v, &call);

	if (answer->kind == VERDICT_REFUSED)
		return answer->space;
	if (strncmp(limits, prefix, strlen(prefix)) != 0)
		return VERDICT_SPACES;
	for (int s = 0; s < VERDICT_SPACES; s++) {
		const char *name = verdict_space_name((enum verdict_space)s);
		const size_t n = strlen(name);

		if (strncmp(limits + strlen(prefix), name, n) == 0 &&
		    limits[strlen(prefix) + n] == ' ')
			found = (enum verdict_space)s;
	}
	return found;
}

static enum asc_status tally_add(struct tally *t, const struct verify_variant *v, struct asc_err *e)
{
	const enum verified judged = verify_variant_judge(v);
	struct buf limits = {0};

	if (verify_variant_print_limits(v, &limits, e)) {
		buf_fini(&limits);
		return e->status;
	}
	const enum verdict_space space = space_of(v, buf_str(&limits));

	buf_fini(&limits);
	t->n[judged]++;
	t->variants++;
	t->configurations += v->configurations;
	if (space < VERDICT_SPACES)
		t->of_space[space][judged]++;
	return ASC_OK;
}

/* Counts the variants of an implementation; NULL: of all. */
static enum asc_status count(const struct verification *v, const struct implementation *i,
			     struct tally *t, struct asc_err *e)
{
	*t = (struct tally){0};
	for (size_t k = 0; k < verify_space_variants(v->space); k++) {
		const struct verify_variant *one = verify_space_get(v->space, k);

		if ((!i || one->implementation == i) && tally_add(t, one, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- text ---- */

static void add_counts(struct table *t, const uint64_t n[VERIFIED_COUNT])
{
	/* The four that compare are always there, the others where there are some. */
	for (int k = 0; k < VERIFIED_COUNT; k++)
		if (n[k] || k <= VERIFIED_FORESEEN)
			table_add(t, "%llu", (unsigned long long)n[k]);
		else
			table_add(t, "%s", "");
}

/* Adds a row for an implementation, and where several memory spaces have a part one for each. */
static void add_rows(struct table *t, const struct implementation *i, const struct tally *tally)
{
	size_t spaces = 0;
	const char *name = "-";

	for (int s = 0; s < VERDICT_SPACES; s++) {
		const uint64_t *n = tally->of_space[s];

		if (n[VERIFIED_LOST] + n[VERIFIED_REFUSED] + n[VERIFIED_FORESEEN]) {
			spaces++;
			name = verdict_space_name((enum verdict_space)s);
		}
	}
	table_add(t, "%s", i->name);
	table_add(t, "%s", spaces > 1 ? "all" : name);
	add_counts(t, tally->n);
	table_add(t, "%llu", (unsigned long long)tally->variants);
	for (int s = 0; s < VERDICT_SPACES && spaces > 1; s++) {
		const uint64_t *n = tally->of_space[s];

		if (!(n[VERIFIED_LOST] + n[VERIFIED_REFUSED] + n[VERIFIED_FORESEEN]))
			continue;
		table_add(t, "%s", "");
		table_add(t, "%s", verdict_space_name((enum verdict_space)s));
		for (int k = 0; k < VERIFIED_COUNT; k++)
			if (k > VERIFIED_ACCEPTED && k <= VERIFIED_FORESEEN)
				table_add(t, "%llu", (unsigned long long)n[k]);
			else
				table_add(t, "%s", "");
		table_add(t, "%s", "");
	}
}

static enum asc_status print_table(const struct verification *v, struct asc_err *e)
{
	struct table t;
	enum asc_status s = ASC_OK;

	table_init(&t, "IMPLEMENTATION|MEMORY|>ACCEPTED|>LOST|>REFUSED|>FORESEEN|>UNSUPPORTED|"
		       ">FAILED|>UNANSWERED|>VARIANTS");
	for (size_t i = 0; i < v->questions.workload->n_implementations && s == ASC_OK; i++) {
		struct tally tally;

		s = count(v, &v->questions.workload->implementations[i], &tally, e);
		if (s == ASC_OK && tally.variants)
			add_rows(&t, &v->questions.workload->implementations[i], &tally);
	}
	if (s == ASC_OK)
		s = table_print(&t, stdout, e);
	table_fini(&t);
	return s;
}

static void put_configuration(struct prose *p, const struct verify_variant *v)
{
	struct buf config = {0};
	struct config c;

	space_get(v->space, v->index, &c);
	config_print(&c, space_names(v->space), &config);
	prose_put(p, INK_PLAIN, "%s/%s", v->binding->problem->name, v->implementation->name);
	if (v->configurations > 1)
		prose_put(p, INK_PLAIN, " and %llu more",
			  (unsigned long long)(v->configurations - 1));
	prose_put(p, INK_PLAIN, ": %s", buf_str(&config));
	buf_fini(&config);
}

static const char *reason_of(const struct verify_variant *v)
{
	size_t call;
	const struct verdict *a = verify_variant_answer(v, &call);

	return a->reason ? a->reason : "no answer";
}

/* Puts the variant, what the planner says of it, and the limits that it does not meet. */
static enum asc_status put_disagreement(struct prose *p, const struct verify_variant *v,
					struct asc_err *e)
{
	size_t call;
	const struct verdict *a = verify_variant_answer(v, &call);
	struct buf limits = {0};
	const enum asc_status s = verify_variant_print_limits(v, &limits, e);

	prose_put(p, INK_STRONG, "%s", verified_name(verify_variant_judge(v)));
	prose_put(p, INK_PLAIN, ": ");
	put_configuration(p, v);
	prose_put(p, INK_PLAIN, ": %s", a->kind == VERDICT_FITS ? "it fits" : reason_of(v));
	for (int k = 0; k < VERDICT_SPACES; k++)
		if (a->planned_bytes[k] > 0)
			prose_put(p, INK_PLAIN, ", %s %lld B",
				  verdict_space_name((enum verdict_space)k),
				  (long long)a->planned_bytes[k]);
	if (limits.len)
		prose_put(p, INK_PLAIN, "; %s", buf_str(&limits));
	buf_fini(&limits);
	return s;
}

/* Prints what the limits and the planner disagree about, a paragraph each. */
static enum asc_status print_disagreements(const struct verification *v, struct asc_err *e)
{
	static const enum verified shown[] = {VERIFIED_LOST, VERIFIED_REFUSED};
	struct prose p;
	enum asc_status s = ASC_OK;

	prose_open(&p, stdout);
	for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
		for (size_t i = 0; i < verify_space_variants(v->space) && s == ASC_OK; i++) {
			const struct verify_variant *one = verify_space_get(v->space, i);

			if (verify_variant_judge(one) != shown[k])
				continue;
			s = put_disagreement(&p, one, e);
			prose_end(&p, 2);
		}
	prose_close(&p);
	return s;
}

/* Number of the variants from `from` on without a verdict for the same reason as that one; 0 where
 * an earlier one has it too. */
static size_t count_alike(const struct verification *v, size_t from)
{
	const struct verify_variant *one = verify_space_get(v->space, from);
	size_t n = 0;

	for (size_t i = 0; i < verify_space_variants(v->space); i++) {
		const struct verify_variant *other = verify_space_get(v->space, i);

		if (verify_variant_judge(other) != verify_variant_judge(one) ||
		    strcmp(reason_of(other), reason_of(one)) != 0)
			continue;
		if (i < from)
			return 0;
		n++;
	}
	return n;
}

/* Prints what has no verdict: each reason once, with the first variant that has it. */
static void print_without_verdict(const struct verification *v)
{
	struct prose p;

	prose_open(&p, stdout);
	for (size_t i = 0; i < verify_space_variants(v->space); i++) {
		const struct verify_variant *one = verify_space_get(v->space, i);
		const enum verified judged = verify_variant_judge(one);
		const size_t n = judged > VERIFIED_FORESEEN ? count_alike(v, i) : 0;

		if (!n)
			continue;
		prose_put(&p, INK_STRONG, "%zu %s", n, verified_name(judged));
		prose_put(&p, INK_PLAIN, ": %s: ", reason_of(one));
		put_configuration(&p, one);
		prose_end(&p, 2);
	}
	prose_close(&p);
}

/* Says how much was asked, and what it took. */
static void print_sum(const struct verification *v, const struct tally *all)
{
	char time[UNITS_TEXT_SIZE];
	const size_t started = verdicts_started(v->questions.desk);

	prose_say(stdout, 2,
		  "%llu of %llu configurations%s are %llu variants; %zu compiler%s started, %s",
		  (unsigned long long)all->configurations,
		  (unsigned long long)verify_space_configurations(v->space),
		  v->o->sample ? ", drawn and at the edge," : "", (unsigned long long)all->variants,
		  started, started == 1 ? " was" : "s were",
		  units_print_duration((double)(clock_now_ns() - v->began_ns), time));
}

static enum asc_status print_text(const struct verification *v, const struct tally *all,
				  struct asc_err *e)
{
	if (print_table(v, e) || print_disagreements(v, e))
		return e->status;
	print_without_verdict(v);
	print_sum(v, all);
	return ASC_OK;
}

/* ---- JSON ---- */

static enum asc_status print_variant_json(const struct verify_variant *v, struct asc_err *e)
{
	size_t call;
	const struct verdict *a = verify_variant_answer(v, &call);
	struct buf line = {0}, limits = {0};
	struct json_writer w = {&line, false};
	struct config c;
	enum asc_status s = verify_variant_print_limits(v, &limits, e);

	space_get(v->space, v->index, &c);
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "variant");
	json_write_string(&w, "implementation", v->implementation->name);
	json_write_string(&w, "problem", v->binding->problem->name);
	json_write_begin(&w, "config", '{');
	for (size_t i = 0; i < c.n; i++)
		json_write_value(&w, space_names(v->space)[i], c.values[i]);
	json_write_end(&w, '}');
	json_write_count(&w, "configurations", v->configurations);
	json_write_string(&w, "verified", verified_name(verify_variant_judge(v)));
	json_write_bool(&w, "kept", v->kept);
	json_write_string(&w, "limits", limits.len ? buf_str(&limits) : NULL);
	json_write_string(&w, "verdict", verdict_name(a->kind));
	json_write_string(&w, "space",
			  a->kind == VERDICT_REFUSED && a->space < VERDICT_SPACES
				  ? verdict_space_name(a->space)
				  : NULL);
	if (a->kind == VERDICT_FITS)
		verdict_write_plan(a, &w);
	json_write_string(&w, "reason", a->reason);
	json_write_bool(&w, "cached", a->cached);
	json_write_end(&w, '}');
	buf_fini(&limits);
	if (s == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return s;
}

static enum asc_status print_json(const struct verification *v, const struct tally *all,
				  struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	for (size_t i = 0; i < verify_space_variants(v->space); i++)
		if (print_variant_json(verify_space_get(v->space, i), e))
			return e->status;
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "totals");
	json_write_string(&w, "model", v->questions.target.limits.name);
	json_write_string(&w, "planner", verdicts_planner(v->questions.desk));
	for (int k = 0; k < VERIFIED_COUNT; k++)
		json_write_count(&w, verified_name((enum verified)k), all->n[k]);
	json_write_count(&w, "variants", all->variants);
	json_write_count(&w, "configurations", all->configurations);
	json_write_count(&w, "of_configurations", verify_space_configurations(v->space));
	json_write_count(&w, "started", verdicts_started(v->questions.desk));
	json_write_int(&w, "wall_ns", clock_now_ns() - v->began_ns);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* ---- the table ---- */

/* Finds the one kernel that is asked about: a table is of one. */
static enum asc_status find_kernel(const struct verification *v, const struct implementation **out,
				   size_t *call, struct asc_err *e)
{
	*out = NULL;
	for (size_t i = 0; i < verify_space_variants(v->space); i++) {
		const struct verify_variant *one = verify_space_get(v->space, i);

		for (size_t k = 0; k < WORKLOAD_MAX_CALLS; k++) {
			if (!one->answers[k])
				continue;
			if (*out && *out != one->implementation)
				return asc_err_set(e, ASC_USAGE,
						   "-o: a table is of one kernel; choose an "
						   "implementation with --impl");
			if (*out && *call != k)
				return asc_err_set(
					e, ASC_USAGE,
					"-o: a table is of one kernel, and implementation "
					"%s has several",
					one->implementation->name);
			*out = one->implementation;
			*call = k;
		}
	}
	return ASC_OK;
}

/* Adds the answer to one variant; a failure of the source or of the machine is none. */
static enum asc_status add_row(struct verdict_table *t, const struct verify_variant *v, size_t call,
			       struct asc_err *e)
{
	struct verdict_row row;
	struct config c;

	if (!planner_row(v->answers[call], &row))
		return ASC_OK;
	space_get(v->space, v->index, &c);
	return binding_verdicts_add(t, v->binding, v->implementation, call, &c, &row, e);
}

/* Refuses a file that cannot be replaced by a table, before anything is asked. */
static enum asc_status check_table(const char *path, struct asc_err *e)
{
	struct verdict_table *old = NULL;
	const enum asc_status s = path ? verdict_table_open(path, &old, e) : ASC_OK;

	verdict_table_free(old);
	return s == ASC_NOTFOUND ? ASC_OK : s;
}

static enum asc_status write_table(const struct verification *v, struct asc_err *e)
{
	const struct implementation *i;
	struct verdict_table *t = NULL;
	char *planner = NULL;
	size_t call = 0;

	if (find_kernel(v, &i, &call, e) || target_find_planner(&v->questions.target, &planner, e))
		return e->status;
	const struct verdict_target target = {v->questions.target.limits.name, planner};
	enum asc_status s =
		binding_verdicts_begin(v->questions.workload, i, call, &target, v->o->table, &t, e);
	const size_t kept = t ? verdict_table_rows(t) : 0;

	for (size_t k = 0; k < verify_space_variants(v->space) && s == ASC_OK; k++)
		s = add_row(t, verify_space_get(v->space, k), call, e);
	if (s == ASC_OK)
		s = verdict_table_write(t, v->o->table, e);
	if (s == ASC_OK)
		log_print(LOG_NOTE, "%s has %zu verdicts, %zu of them from before", v->o->table,
			  verdict_table_rows(t), kept);
	verdict_table_free(t);
	free(planner);
	return s;
}

/* ---- asking ---- */

static void show_progress(void *user, size_t answered, size_t variants)
{
	struct verification *v = user;
	char text[160], left[UNITS_TEXT_SIZE];

	if (*v->stop || !screen_begin(&v->screen, false))
		return;
	int n = snprintf(text, sizeof text, "%zu of %zu variants answered", answered, variants);

	/* Answers of the cache come first, at once: they say nothing of how long the rest takes. */
	const int64_t now_ns = clock_now_ns();

	if (answered < variants && v->answered && answered > v->answered)
		(void)snprintf(
			text + n, sizeof text - (size_t)n, "; about %s left",
			live_print_age((now_ns - v->asked_ns) / (int64_t)(answered - v->answered) *
					       (int64_t)(variants - answered),
				       left));
	if (!v->answered && answered) {
		v->answered = answered;
		v->asked_ns = now_ns;
	}
	if (canvas_begin_line(&v->screen.canvas))
		canvas_put(&v->screen.canvas, INK_PLAIN, text, sizeof text);
	screen_draw(&v->screen);
}

/* Adds the spaces of the chosen problems. */
static enum asc_status add_spaces(struct verification *v, struct asc_err *e)
{
	const struct planner_options *o = &v->o->planner;
	const struct target *target = &v->questions.target;
	const struct workload *w = v->questions.workload;
	const struct planned_target t = {.device = "npu",
					 .facts = &target->info.facts,
					 .limits = target_limits(target),
					 .rewrites_off = o->rewrites_off};
	enum asc_status s = verify_space_new(&v->space, e);

	for (size_t i = 0; s == ASC_OK && i < w->n_problems; i++)
		if (target_wants(target, &w->problems[i], o->problems))
			s = verify_space_add(v->space, w, &w->problems[i], &t, o->implementation,
					     e);
	if (s == ASC_OK && verify_space_configurations(v->space) == 0)
		s = planner_questions_none(o, &v->questions, e);
	return s;
}

/* 1. The spaces; 2. the planner, said first; 3. all questions; 4. what came of them. */
static enum asc_status verify(struct verification *v, struct tally *all, struct asc_err *e)
{
	const struct space_verify *o = v->o;
	const struct verify_choice c = {.sample = o->sample,
					.seed = o->seed,
					.stop = v->stop,
					.progress = show_progress,
					.user = v};

	if (planner_questions_open(&o->planner, &v->questions, e) || add_spaces(v, e) ||
	    check_table(o->table, e) ||
	    planner_questions_ask(&o->planner, &v->questions, v->stop, e))
		return e->status;
	if (!o->planner.json) {
		prose_say(stdout, 2, "planner: %s, for %s", verdicts_planner(v->questions.desk),
			  v->questions.target.limits.name);
		fflush(stdout);
	}
	screen_open(&v->screen, stderr);
	v->screen.live = v->screen.live && !(o->planner.json && isatty(STDOUT_FILENO));
	const enum asc_status s = verify_space_ask(v->space, v->questions.desk, &c, e);

	screen_close(&v->screen);
	if (s) {
		const size_t asked = verdicts_asked(v->questions.desk);

		return asked == 0 ? s
				  : asc_err_wrap(e,
						 "%zu of %zu questions are answered, and the same "
						 "command goes "
						 "on there",
						 asked - verdicts_open_questions(v->questions.desk),
						 asked);
	}
	if (count(v, NULL, all, e) || (o->table && write_table(v, e)))
		return e->status;
	return o->planner.json ? print_json(v, all, e) : print_text(v, all, e);
}

int space_verify_main(const struct space_verify *o)
{
	struct verification v = {
		.o = o, .stop = command_watch_signals(), .began_ns = clock_now_ns()};
	struct tally all = {0};
	struct asc_err e;
	const enum asc_status s = verify(&v, &all, &e);

	verify_space_free(v.space);
	planner_questions_close(&v.questions);
	if (s)
		return command_fail(&e);
	if (all.n[VERIFIED_LOST])
		return EXIT_NEGATIVE;
	return all.n[VERIFIED_FAILED] + all.n[VERIFIED_UNANSWERED] ? EXIT_UNDECIDED : EXIT_DONE;
}
