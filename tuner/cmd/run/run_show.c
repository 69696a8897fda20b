#include "tuner/cmd/run/run_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/answers/trial_text.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_answer.h"
#include "tuner/cmd/run/run_facts.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/terminal/live_lines.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

static const int64_t LONG_NS = INT64_C(2000000000);  /* run from which a hint is worth a line */
static const int64_t DELAY_NS = INT64_C(5000000000); /* silence after which a line says why */

/* ---- the table of several problems ---- */

struct run_row {
	char *workload, *problem, *fingerprint; /* heap */
	const char *cache;                      /* name of the cache policy */
	bool simulated;                         /* on a stand-in */
	struct answer_row row;
};

static void row_fini(struct run_row *r)
{
	free(r->workload);
	free(r->problem);
	free(r->fingerprint);
}

/* Notes a problem that was tuned. */
static void rows_add(struct run_rows *r, const struct loop_options *o)
{
	const struct session *s = o->session;
	struct run_row row = {.workload = str_dup(o->workload->name),
			      .problem = str_dup(o->problem->name),
			      .fingerprint = str_dup(s->target.info->fingerprint),
			      .cache = cache_policy_name(s->policy.cache),
			      .simulated = s->target.info->simulated,
			      .row = {.sure = {.sure = SURE_UNUSABLE}}};

	if (row.workload && row.problem && row.fingerprint &&
	    array_room(&r->list, r->n, &r->room, sizeof *r->list)) {
		r->list[r->n++] = row;
		return;
	}
	row_fini(&row);
	r->failed = true;
}

/* A best_fn. */
static enum asc_status take_row(void *user, const struct best_row *b, struct asc_err *e)
{
	const struct run_rows *r = user;

	(void)e;
	for (size_t i = 0; i < r->n; i++)
		if (str_is_same(r->list[i].workload, b->workload) &&
		    str_is_same(r->list[i].problem, b->problem) &&
		    str_is_same(r->list[i].fingerprint, b->device_fingerprint) &&
		    str_is_same(r->list[i].cache, b->cache_policy))
			r->list[i].row = answer_row_of(b);
	return ASC_OK;
}

/* Prints the table to stdout, in the order in which the problems were tuned: what `best` says of
 * each, asked when everything is recorded. */
static enum asc_status rows_print(const struct run_rows *r, struct db *db, struct asc_err *e)
{
	struct run_rows found = *r; /* its list is filled in */
	struct table t;

	if (r->failed)
		return asc_err_nomem(e);
	/* One command tunes on one device: its problems are all measured, or all simulated. */
	enum asc_status (*const each)(struct db *, const char *, best_fn *, void *,
				      struct asc_err *) =
		r->n && r->list[0].simulated ? best_each_simulated : best_each_or_last;

	if (each(db, NULL, take_row, &found, e))
		return e->status;
	answer_row_begin(&t);
	for (size_t i = 0; i < r->n; i++) {
		char *title = str_print("%s/%s", r->list[i].workload, r->list[i].problem);

		answer_row_add(&t, title ? title : "", &r->list[i].row);
		t.failed |= !title;
		free(title);
	}
	const enum asc_status status = table_print(&t, stdout, e);

	table_fini(&t);
	return status;
}

static void rows_fini(struct run_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		row_fini(&r->list[i]);
	free(r->list);
	*r = (struct run_rows){0};
}

/* Lines of JSON and progress do not share a terminal. */
void run_show_init(struct run_show *s, const struct run_options *run)
{
	*s = (struct run_show){.run = run, .json = run->json, .began_ns = clock_now_ns()};
	prose_open(&s->out, stdout);
	screen_open(&s->screen, stderr);
	s->screen.live = s->screen.live && !(s->json && isatty(STDOUT_FILENO));
}

void run_show_init_device(struct run_show *s, struct run_show *main, const char *device)
{
	*s = (struct run_show){
		.main = main, .device = device, .run = main->run, .json = main->json};
}

static struct screen *screen_of(struct run_show *s)
{
	return s->main ? &s->main->screen : &s->screen;
}

void run_show_fini(struct run_show *s)
{
	screen_close(&s->screen);
	rows_fini(&s->rows);
	prose_close(&s->out);
}

void run_show_begin(struct run_show *s, const struct loop_options *o, size_t number, size_t all)
{
	s->options = o;
	snprintf(s->title, sizeof s->title, "%s/%s", o->workload->name, o->problem->name);
	if (all > 1)
		snprintf(s->place, sizeof s->place, "[%zu/%zu] %s", number, all, s->title);
	else
		snprintf(s->place, sizeof s->place, "%s", s->title);
	if (s->device) {
		const size_t n = strlen(s->place);

		snprintf(s->place + n, sizeof s->place - n, " on %s", s->device);
	}
}

void run_show_clear(struct run_show *s)
{
	screen_clear(screen_of(s));
}

/* ---- lines of JSON ---- */

static void begin_line(struct json_writer *w, const char *type)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "type", type);
}

/* Ends a line and prints it at once: who reads it follows the run. */
static void put_line(struct json_writer *w)
{
	struct asc_err e;

	json_write_end(w, '}');
	if (command_print_line(w->out, &e))
		log_print(LOG_WARN, "a line of the output is missing: %s", e.text);
	fflush(stdout);
}

/* Prints the line that begins a run, or the one that ends it. */
static void put_run(const char *type, void (*write)(struct json_writer *, const struct run_facts *),
		    const struct loop_options *o, const struct loop_summary *sum)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	begin_line(&w, type);
	write(&w, &(struct run_facts){o, sum});
	put_line(&w);
}

/* Name of the device that measured a trial; NULL: it is the only one. */
static const char *place_of(const struct loop_options *o, const struct loop_event *event)
{
	const struct session *s = o->session;

	return s->peers && !event->resumed ? s->peers->list[event->trial->device]->name : s->name;
}

static void put_trial(const struct loop_options *o, const struct loop_event *event)
{
	const struct trial *t = event->trial;
	const struct result *r = &t->result;
	struct buf line = {0};
	struct json_writer w = {&line, false};
	struct asc_err e;
	size_t n;

	begin_line(&w, "trial");
	run_facts_write_origin(&w, &(struct run_facts){o, NULL}, place_of(o, event));
	json_write_string(&w, "implementation", t->implementation->name);
	json_write_begin(&w, "config", '{');
	for (size_t i = 0; i < t->config.n; i++)
		json_write_value(&w, t->names[i], t->config.values[i]);
	json_write_end(&w, '}');
	if (t->implementation->n_rewrites)
		(void)binding_write_rewrites(event->binding, t->implementation, &t->config,
					     "rewrites", &w, &n, &e);
	json_write_bool(&w, "resumed", event->resumed);
	json_write_bool(&w, "best", event->best);
	run_facts_write_clock(&w, result_clock_mhz(r->notes, r->n_samples, NULL));
	result_write_json(r, &w);
	/* How it is built matters where it failed, and of the one that was asked for. */
	if (o->config || r->status == RESULT_BUILD_FAILED)
		trial_text_write_build(o, event, &w);
	put_line(&w);
}

/* ---- text ---- */

/* "200 trials or 60 s": what the budget allows, in words. */
static void print_budget(const struct loop_options *o, const struct loop_summary *sum, char *text,
			 size_t size)
{
	char time[UNITS_TEXT_SIZE] = "";
	unsigned long long planned = (unsigned long long)sum->planned;

	if (o->budget.ns)
		units_print_duration((double)o->budget.ns, time);
	/* A budget beyond the space is none: all configurations are tried. */
	if (o->budget.trials && (double)planned < sum->valid)
		snprintf(text, size, "%llu trial%s%s%s", planned, planned == 1 ? "" : "s",
			 *time ? " or " : "", time);
	else
		snprintf(text, size, "%s%s",
			 *time ? "searching for at most " : "trying all of them", time);
}

static void show_start(struct run_show *s, const struct loop_summary *sum)
{
	char budget[128];

	if (s->json) {
		put_run("run", run_facts_write_begin, s->options, sum);
		return;
	}
	if (s->options->config)
		return;
	/* A table is proved at many sizes: progress alone shows these. */
	if (s->options->n_given > 0 && s->options->quiet)
		return;
	if (s->options->n_given > 0) {
		prose_say(stderr, 2,
			  "%s: measuring %zu more configuration%s, beside the default, for the %s",
			  s->place, s->options->n_given, s->options->n_given == 1 ? "" : "s",
			  s->options->given_for);
		return;
	}
	print_budget(s->options, sum, budget, sizeof budget);
	struct prose p;

	prose_open(&p, stderr);
	prose_put(&p, INK_PLAIN, "%s: %.0f valid configurations of %.0f; %s, %s search, seed %llu",
		  s->place, sum->valid, sum->cartesian, budget, sum->strategy,
		  (unsigned long long)s->options->seed);
	if (sum->planner)
		prose_put(&p, INK_PLAIN, "; memory planned by %s", sum->planner);
	else if (sum->no_planner)
		prose_put(&p, INK_PLAIN, "; no planner is asked about %.0f of them: %s",
			  sum->unasked, sum->no_planner);
	prose_end(&p, 2);
	prose_close(&p);
}

/* "building 3/34", "finals: warming up 2/6 finalists", "finals: round 4 of at most 32". */
static const char *print_doing(struct run_show *s, const struct loop_summary *sum)
{
	const char *name = loop_phase_name(sum->phase);
	const long long done = sum->done, of = sum->of;
	const size_t size = sizeof s->doing;

	if (sum->phase == LOOP_FINALS && sum->step == FINALS_ROUND)
		snprintf(s->doing, size, "finals: round %lld of at most %lld",
			 done < of ? done + 1 : of, of); /* the one that goes on */
	else if (sum->phase == LOOP_FINALS)
		snprintf(s->doing, size, "finals: %s %lld/%lld finalists",
			 sum->step == FINALS_WARM_UP ? "warming up" : "verifying", done, of);
	else if (sum->phase == LOOP_BUILDING && of > 0)
		snprintf(s->doing, size, "%s %lld/%lld", name, done, of);
	else
		snprintf(s->doing, size, "%s", name);
	return s->doing;
}

static bool is_in_rounds(const struct loop_summary *sum)
{
	return sum->phase == LOOP_FINALS && sum->step == FINALS_ROUND && sum->of > 0;
}

/* Time left of the finals; 0: not known. */
static int64_t finals_left_ns(const struct loop_summary *sum)
{
	const int64_t left_ns = sum->ends_ns - clock_now_ns();

	return sum->ends_ns == 0 ? 0 : left_ns > 0 ? left_ns : 1;
}

/* Part that has passed of the time from the first round of the finals on; -1: no rounds now. */
static double finals_part(struct run_show *s, const struct loop_summary *sum)
{
	const double left_ns = (double)finals_left_ns(sum);

	if (!is_in_rounds(sum))
		s->rounds_ns = sum->wall_ns;
	const double passed_ns = (double)(sum->wall_ns - s->rounds_ns);

	return !is_in_rounds(sum) ? -1 : left_ns > 0 ? passed_ns / (passed_ns + left_ns) : 0;
}

static struct live_facts facts_of(struct run_show *s, const struct loop_summary *sum)
{
	struct live_facts f = {.title = s->place,
			       .phase = print_doing(s, sum),
			       .trials = sum->trials,
			       .planned = sum->planned,
			       .fresh = sum->trials - sum->resumed,
			       .elapsed_ns = sum->wall_ns,
			       .budget_ns = s->options->budget.ns,
			       .age_ns = -1,
			       .over = sum->phase == LOOP_FINALS,
			       .ending = sum->phase == LOOP_FINALS,
			       .retakes = is_in_rounds(sum) ? sum->retakes : 0,
			       .ending_part = finals_part(s, sum),
			       .ending_left_ns = finals_left_ns(sum)};

	memcpy(f.by_status, sum->by_status, sizeof f.by_status);
	if (sum->best.found) {
		f.best_ns = sum->best.time.median;
		f.implementation = sum->best.implementation;
		f.config = buf_str(&sum->best.config);
	}
	if (sum->default_trial.found)
		f.default_ns = sum->default_trial.time.median;
	return f;
}

/* A line for each device that has a problem. */
static void draw_devices(struct run_show *main)
{
	for (size_t i = 0; i < main->n_devices; i++) {
		struct run_show *s = main->devices[i];

		if (!s->now)
			continue;
		const size_t more = session_count_lent(s->options->session);
		char title[sizeof s->place + 32];
		struct live_facts f = facts_of(s, s->now);

		if (more > 0) {
			snprintf(title, sizeof title, "%s and %zu more", s->place, more);
			f.title = title;
		}
		live_lines_add_progress(&f, &main->screen.canvas);
	}
	screen_draw(&main->screen);
}

/* Draws the lines of progress; nothing once a stop was asked for. */
static void draw(struct run_show *s, const struct loop_summary *sum, bool now)
{
	const volatile sig_atomic_t *stop = s->options->stop;

	/* The handler of the signal has ended the line. */
	if ((stop && *stop) || !screen_begin(screen_of(s), now))
		return;
	if (s->main) {
		draw_devices(s->main);
		return;
	}
	const struct live_facts f = facts_of(s, sum);

	live_lines_add(&f, &s->screen.canvas);
	screen_draw(&s->screen);
}

/* A failure is said of a configuration that was chosen, as no line of counts does. */
static void show_given(struct run_show *s, const struct loop_event *event)
{
	const struct trial *t = event->trial;
	struct buf config = {0};

	if (!result_status_failed(t->result.status))
		return;
	run_show_clear(s);
	config_print(&t->config, t->names, &config);
	log_print(LOG_NOTE, "%s, for the %s: %s %s is %s: %s", s->title, s->options->given_for,
		  t->implementation->name, buf_str(&config), result_status_name(t->result.status),
		  result_reason(&t->result));
	buf_fini(&config);
}

void run_show_progress(void *user, const struct loop_summary *so_far, const struct loop_event *last)
{
	struct run_show *s = user;

	s->now = so_far;
	if (!last) {
		show_start(s, so_far);
	} else if (s->json) {
		put_trial(s->options, last);
	} else if (s->options->config) {
		/* The one trial that was asked for: its text has the terminal for itself. */
		run_show_clear(s);
		trial_text_print(s->title, s->options, last);
	} else if (s->options->n_given > 0) {
		show_given(s, last);
	}
	draw(s, so_far, !last);
}

/* Says once that code of the workload keeps the run from its first trial: where output goes to a
 * file, nothing else would be seen until it is stopped. */
static void show_delay(struct run_show *s, const struct loop_summary *sum)
{
	char time[UNITS_TEXT_SIZE];

	if (sum->phase != LOOP_REFERENCE || s->entered_ns < 0 ||
	    sum->wall_ns - s->entered_ns < DELAY_NS)
		return;
	s->entered_ns = -1;
	run_show_clear(s);
	log_print(LOG_NOTE, "%s: %s has not ended after %s; Ctrl-C stops it", s->title,
		  *sum->doing ? sum->doing : "the setting up of inputs",
		  units_print_duration((double)DELAY_NS, time));
}

void run_show_waiting(void *user, const struct loop_summary *so_far)
{
	struct run_show *s = user;
	const bool entered = so_far->phase != s->phase;

	s->now = so_far;
	s->phase = so_far->phase;
	if (entered)
		s->entered_ns = so_far->wall_ns;
	show_delay(s, so_far);
	draw(s, so_far, entered && so_far->phase != LOOP_BUILDING);
}

/* Prints advice for measuring more in the same time. */
static void hint(struct run_show *s, const struct loop_summary *sum)
{
	char text[UNITS_TEXT_SIZE];

	/* Only where flushing was most of a run that somebody waited for. */
	if (s->options->session->policy.cache != CACHE_COLD || 2 * sum->flush_ns <= sum->wall_ns ||
	    sum->wall_ns <= LONG_NS)
		return;
	prose_put(&s->out, INK_PLAIN,
		  "  hint     flushing caches took %s of all that; --cache hot measures without "
		  "it, which is another quantity",
		  units_print_duration((double)sum->flush_ns, text));
	prose_end(&s->out, 11);
}

void run_show_end(struct run_show *s, const struct loop_summary *sum)
{
	const struct loop_options *o = s->options;

	run_show_clear(s);
	s->now = NULL;
	if (s->json) {
		put_run("summary", run_facts_write_end, o, sum);
		return;
	}
	if (o->n_given > 0)
		return;   /* cover and table say what came of them */
	if (!o->config) { /* whose trial has said the rest */
		if (s->answers++ > 0)
			putchar('\n'); /* between the answers of several problems */
		s->found += sum->best.found;
		run_answer_print(&s->out, s->title, s->run, o, sum);
		rows_add(&s->rows, o);
	} else {
		run_answer_print_profile(&s->out, s->run, sum);
	}
	hint(s, sum);
}

enum asc_status run_show_table(struct run_show *s, struct db *db, struct asc_err *e)
{
	char time[UNITS_TEXT_SIZE];

	if (s->answers < 2)
		return ASC_OK;
	putchar('\n');
	prose_put(&s->out, INK_STRONG, "%zu problems in %s", s->answers,
		  units_print_duration((double)(clock_now_ns() - s->began_ns), time));
	prose_end(&s->out, 0);
	return rows_print(&s->rows, db, e);
}
