#include "tuner/cmd/run/run_confirm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/track/track_confirm.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/cmd/again/commit_file.h"
#include "tuner/cmd/again/pair_file.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/sandbox_state.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/confirm.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"

/* ---- the session ---- */

enum asc_status run_session_open(const struct run_options *o, struct run_session *s,
				 struct asc_err *e)
{
	if (o->trust)
		sandbox_leave_off();
	if (o->untrusted && sandbox_state_require(e))
		return e->status;
	if (sandbox_grant(o->file, !o->untrusted, e) || target_open(o->device, &s->target, e) ||
	    places_cache(&s->cache, e) || command_own_path(&s->program, e))
		return e->status;
	const struct evaluator_target t = {.device = s->target.ops,
					   .place = s->target.place,
					   .info = &s->target.info,
					   .limits = target_limits(&s->target),
					   .cache = s->cache,
					   .program = s->program,
					   .probes = o->probes,
					   .build_jobs = o->jobs};

	if (*t.info->clock_passed)
		log_print(LOG_NOTE, "timing with the clock \"%s\" (%s)", t.info->clock,
			  t.info->clock_passed);
	session_init(&s->session, evaluator_find("worker"), &t, &o->policy);
	return ASC_OK;
}

void run_session_close(struct run_session *s)
{
	session_fini(&s->session);
	free(s->cache);
	free(s->program);
}

/* ---- regressions to measure again ---- */

struct command_confirm {
	const struct run_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct db *db;
	struct track_history *history;
	size_t suspects, confirmed;
};

static enum asc_status confirm_open(struct command_confirm *s, struct asc_err *e)
{
	const struct run_options *o = s->options;
	const char *path = command_db_path(o->db);

	if (run_session_open(o, &s->on, e) || db_open(path, DB_READ, &s->db, e))
		return e->status;
	return track_history_open(s->db, path, &track_rule_default, &s->history, e);
}

static void confirm_close(struct command_confirm *s)
{
	track_history_free(s->history);
	db_close(s->db);
	run_session_close(&s->on);
}

/* ---- one suspect ---- */

static void write_sessions(const struct confirmation *c, struct json_writer *w)
{
	json_write_begin(w, "sessions", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct confirmation_session *s = &c->sessions[i];

		json_write_begin(w, NULL, '{');
		json_write_real(w, "before_ns", s->time[CONFIRMATION_BEFORE].median);
		json_write_real(w, "after_ns", s->time[CONFIRMATION_AFTER].median);
		json_write_real(w, "ratio", s->ratio);
		json_write_real(w, "low", s->interval.low);
		json_write_real(w, "high", s->interval.high);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void write_finding(const struct track_suspect *x, const struct confirmation *c,
			  enum track_finding f, const char *text, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "series", x->series->name);
	json_write_string(&w, "finding", track_finding_name(f));
	json_write_string(&w, "meaning", track_finding_meaning(f));
	json_write_string(&w, "text", text);
	json_write_string(&w, "config_before", x->configs[CONFIRMATION_BEFORE]);
	json_write_string(&w, "config_after", x->configs[CONFIRMATION_AFTER]);
	json_write_bool(&w, "stored_before", c->stored[CONFIRMATION_BEFORE]);
	json_write_bool(&w, "stored_after", c->stored[CONFIRMATION_AFTER]);
	write_sessions(c, &w);
	json_write_end(&w, '}');
}

static enum asc_status print_finding(const struct command_confirm *s, const struct track_suspect *x,
				     const struct confirmation *c, enum track_finding f,
				     const char *text, struct asc_err *e)
{
	const bool open = f == TRACK_FINDING_UNDECIDED; /* the text has the figure, or why not */
	struct buf line = {0};

	if (s->options->json)
		write_finding(x, c, f, text, &line);
	else
		track_write_texts(&line, (const char *const[]){x->series->name, ": ",
							       track_finding_name(f), ": ",
							       open ? "" : track_finding_meaning(f),
							       open ? "" : "; ", text, NULL});
	const enum asc_status status = command_print_line(&line, e);

	fflush(stdout);
	return status;
}

/* A database that is only read until there is something to record. */
static enum asc_status record(const struct command_confirm *s, const struct track_suspect *x,
			      enum track_finding f, double ratio, const char *text,
			      struct asc_err *e)
{
	struct db *db = NULL;
	enum asc_status status = db_open(command_db_path(s->options->db),
					 s->options->durable ? DB_WRITE_DURABLE : DB_WRITE, &db, e);

	if (status == ASC_OK)
		status = track_confirm_record(x, f, ratio, text, db, e);
	db_close(db);
	return status;
}

/* Judges a suspect by its confirmation; records and prints what is found. */
static enum asc_status conclude(struct command_confirm *s, const struct track_suspect *x,
				const struct confirmation *c, enum track_finding *found,
				struct asc_err *e)
{
	struct buf text = {0};
	enum track_finding f = track_confirm_judge(x, c, &track_rule_default, &text);

	*found = f;
	if (c->gone && c->n > 0)
		buf_print(&text, "; the old artifact was rebuilt from commit %s", x->commit);
	enum asc_status status = buf_check(&text, e);

	if (status == ASC_OK)
		status = record(s, x, f, track_confirm_ratio(c), buf_str(&text), e);
	if (status == ASC_OK)
		status = print_finding(s, x, c, f, buf_str(&text), e);
	s->confirmed += track_confirm_fails(x->series, f);
	buf_fini(&text);
	return status;
}

static const char *const sides_names[CONFIRMATION_SIDES] = {"the previous winner",
							    "the new winner"};

static enum asc_status measure(struct command_confirm *s, const struct workload *w,
			       const struct track_suspect *x, struct confirmation *out,
			       struct asc_err *e)
{
	const struct run_options *o = s->options;
	const struct loop_options lo = {.workload = w,
					.problem = workload_find_problem(w, x->series->problem),
					.implementation = x->series->implementation,
					.session = &s->on.session,
					.seed = o->seed,
					.rewrites_off = o->rewrites_off,
					.stop = s->stop};
	struct confirm_side sides[CONFIRMATION_SIDES];

	*out = (struct confirmation){0};
	if (!lo.problem) {
		snprintf(out->reason, sizeof out->reason, "there is no such problem any more");
		return ASC_OK;
	}
	if (!cache_policy_parse(x->series->cache, &s->on.session.policy.cache)) {
		snprintf(out->reason, sizeof out->reason, "the cache policy %s is not known",
			 x->series->cache);
		return ASC_OK;
	}
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		sides[i] = (struct confirm_side){.what = sides_names[i],
						 .config_key = x->configs[i],
						 .artifact = x->artifacts[i],
						 .as_recorded = i == CONFIRMATION_BEFORE &&
								x->as_recorded};
	return confirm_run(&lo, x->series->problem_key, sides, out, e);
}

/* ---- an artifact that is gone ---- */

/* What was before, as git has it. */
struct past {
	struct json_doc *row; /* recorded trial, which the claim borrows from */
	struct claim claim;
	struct commit_file file;
	struct pair_file pair; /* beside what is now */
};

static void past_close(struct past *p)
{
	pair_file_close(&p->pair);
	commit_file_close(&p->file);
	json_close(p->row);
}

/* ASC_ABSENT: git does not have it. */
static enum asc_status past_open(const struct command_confirm *s, const struct workload *w,
				 const struct track_suspect *x, struct past *p, struct asc_err *e)
{
	if (claim_find(command_db_path(s->options->db), x->trial_id, &p->row, &p->claim, e) ||
	    commit_file_open(w->path, x->commit, p->claim.made.sources, &p->file, e))
		return e->status;
	if (!workload_find_implementation(p->file.workload, x->series->implementation))
		return asc_err_set(e, ASC_ABSENT, "it has no implementation %s",
				   x->series->implementation);
	const struct pair_side sides[PAIR_SIDES] = {{p->file.workload, x->series->implementation},
						    {w, x->series->implementation}};

	return pair_file_open(sides, false, &p->pair, e);
}

static enum asc_status measure_past(struct command_confirm *s, const struct past *p,
				    const struct track_suspect *x, struct confirmation *out,
				    struct asc_err *e)
{
	struct loop_options lo = {.workload = p->pair.workload,
				  .session = &s->on.session,
				  .seed = s->options->seed,
				  .rewrites_off = s->options->rewrites_off,
				  .stop = s->stop};
	struct confirm_side sides[CONFIRMATION_SIDES];
	struct binding b;

	if (workload_open_problem(p->pair.workload, x->series->problem, &lo.problem, e) ||
	    loop_bind(&lo, &b, e))
		return e->status;
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		sides[i] = (struct confirm_side){.what = sides_names[i],
						 .config_key = x->configs[i],
						 .artifact = "",
						 .implementation = pair_names[i]};
	enum asc_status status = confirm_run(&lo, b.key, sides, out, e);

	out->gone = true;
	out->stored[CONFIRMATION_BEFORE] = out->n > 0; /* as it was, though built again */
	binding_fini(&b);
	return status;
}

/* Measures what was before as it is in its commit; where git does not have it, that is the reason
 * for no comparison. */
static enum asc_status measure_gone(struct command_confirm *s, const struct workload *w,
				    const struct track_suspect *x, struct confirmation *out,
				    struct asc_err *e)
{
	struct past p = {0};
	enum asc_status status = past_open(s, w, x, &p, e);

	if (status == ASC_OK)
		status = measure_past(s, &p, x, out, e);
	else if (status != ASC_NOMEM) {
		const size_t n = strlen(out->reason);

		snprintf(out->reason + n, sizeof out->reason - n, " and cannot be rebuilt: %s",
			 e->text);
		status = ASC_OK;
	}
	past_close(&p);
	return status;
}

/* Measures and judges one suspect, unless it is interrupted. */
static enum asc_status confirm_one(struct command_confirm *s, const struct workload *w,
				   const struct track_suspect *x, enum track_finding *found,
				   struct asc_err *e)
{
	struct confirmation c;

	s->suspects++;
	if (measure(s, w, x, &c, e) || (c.gone && !*s->stop && measure_gone(s, w, x, &c, e)))
		return e->status;
	return *s->stop ? ASC_OK : conclude(s, x, &c, found, e);
}

/* Another source is measured beside the night before, and where that does not make it slower yet,
 * beside what was before a slow-down that stands. */
static enum asc_status confirm(struct command_confirm *s, const struct workload *w, size_t series,
			       struct asc_err *e)
{
	enum track_finding found = TRACK_FINDING_UNDECIDED;
	struct track_suspect x;
	bool more;

	if (track_confirm_find(s->history, series, s->db, &x, e) ||
	    confirm_one(s, w, &x, &found, e) ||
	    track_confirm_find_step(s->history, series, s->db, &x, &more, e))
		return e->status;
	return more && found != TRACK_FINDING_CONFIRMED && !*s->stop
		       ? confirm_one(s, w, &x, &found, e)
		       : ASC_OK;
}

/* ---- all of them ---- */

/* True for a history of this machine. */
static bool is_here(const struct command_confirm *s, const struct track_series *x)
{
	const struct target *t = &s->on.target;
	char *device = track_history_device(t->ops->name, t->info.model, x->machine);
	bool here = device && strcmp(x->device, device) == 0 &&
		    (!*x->machine || strcmp(x->machine, t->info.machine) == 0);

	free(device);
	return here;
}

static bool is_wanted(const struct command_confirm *s, const struct workload *w,
		      const struct track_series *x)
{
	const struct run_options *o = s->options;
	bool problem = o->problems.n == 0 || problem_choice_has(&o->problems, x->problem);

	return track_confirm_why(x) != TRACK_SUSPECT_NONE && problem &&
	       strcmp(x->workload, w->name) == 0 && is_here(s, x) &&
	       (!o->implementation || strcmp(o->implementation, x->implementation) == 0);
}

static enum asc_status confirm_workload(struct command_confirm *s, const char *path,
					struct asc_err *e)
{
	struct workload *w = NULL;
	enum asc_status status = workload_file_open(path, s->options->untrusted, false, &w, e);

	if (status == ASC_OK && s->options->trust)
		status = trusted_check(w, e);

	for (size_t k = 0; status == ASC_OK && !*s->stop && k < s->history->n; k++)
		if (is_wanted(s, w, &s->history->list[k])) {
			const struct problem *problem; /* a size of its own is none of the file's */
			struct asc_err gone;

			(void)workload_open_problem(w, s->history->list[k].problem, &problem,
						    &gone);
			status = confirm(s, w, k, e);
		}
	workload_close(w);
	return status;
}

int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop)
{
	struct command_confirm s = {.options = o, .stop = stop};
	struct workload_files files = {0};
	struct asc_err e;
	enum asc_status status = workload_files_find(o->file, &files, &e);

	if (status == ASC_OK)
		status = confirm_open(&s, &e);
	for (size_t i = 0; status == ASC_OK && !*stop && i < files.n; i++)
		status = confirm_workload(&s, files.paths[i], &e);
	if (status == ASC_OK && !*stop && s.suspects == 0 && !o->json)
		puts("nothing is to be measured again");
	workload_files_fini(&files);
	confirm_close(&s);
	if (status)
		return command_fail(&e);
	if (*stop)
		return EXIT_INTERRUPTED;
	return s.confirmed > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}
