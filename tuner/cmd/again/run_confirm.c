#include "tuner/cmd/again/again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/track/track_confirm.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/measure_again.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

struct command_confirm {
	const struct run_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct db *db;
	struct track_history *history;
	size_t suspects, confirmed;
};

/* ---- what is said of a suspect ---- */

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
	json_write_begin(&w, "sessions", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct confirmation_session *s = &c->sessions[i];

		json_write_begin(&w, NULL, '{');
		json_write_real(&w, "before_ns", s->time[CONFIRMATION_BEFORE].median);
		json_write_real(&w, "after_ns", s->time[CONFIRMATION_AFTER].median);
		json_write_real(&w, "ratio", s->ratio);
		json_write_real(&w, "low", s->interval.low);
		json_write_real(&w, "high", s->interval.high);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
}

/* Judges a suspect by its confirmation; records and prints what is found. */
static enum asc_status conclude(struct command_confirm *s, const struct track_suspect *x,
				const struct confirmation *c, enum track_finding *found,
				struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct buf text = {0}, line = {0};
	struct db *db = NULL;
	const enum track_finding f = *found = track_confirm_judge(x, c, &track_rule_default, &text);

	if (c->gone && c->n > 0)
		buf_print(&text, "; the old artifact was rebuilt from commit %s", x->commit);
	enum asc_status status = buf_check(&text, e);

	/* Only now is the database opened for writing: measuring took minutes, and other runs had
	 * it meanwhile. */
	if (status == ASC_OK)
		status = db_open(command_db_path(o->db), o->durable ? DB_WRITE_DURABLE : DB_WRITE,
				 &db, e);
	if (status == ASC_OK)
		status = track_confirm_record(x, f, track_confirm_ratio(c), buf_str(&text), db, e);
	db_close(db);
	if (status == ASC_OK) {
		/* The text of an undecided change has the figure, or why there is none. */
		const bool open = f == TRACK_FINDING_UNDECIDED;

		if (o->json)
			write_finding(x, c, f, buf_str(&text), &line);
		else
			track_write_texts(
				&line,
				(const char *const[]){x->series->name, ": ", track_finding_name(f),
						      ": ", open ? "" : track_finding_meaning(f),
						      open ? "" : "; ", buf_str(&text), NULL});
		status = command_print_line(&line, e);
		fflush(stdout);
	}
	s->confirmed += track_confirm_fails(x->series, f);
	buf_fini(&text);
	return status;
}

/* ---- one suspect ---- */

/* The two sides of a suspect, with their recorded artifacts; beside `past`, the workload of before,
 * both are built anew. */
static void set_pair(const struct track_suspect *x, struct workload *w, struct workload *past,
		     struct again_pair *out)
{
	static const char *const names[CONFIRMATION_SIDES] = {"the previous winner",
							      "the new winner"};

	*out = (struct again_pair){.workload = w,
				   .problem = x->series->problem,
				   .problem_key = x->series->problem_key,
				   .cache = x->series->cache};
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		out->sides[i] = (struct again_side){
			.what = names[i],
			.workload = i == CONFIRMATION_BEFORE ? past : NULL,
			.config_key = x->configs[i],
			.artifact = past ? NULL : x->artifacts[i],
			.implementation = x->series->implementation,
			.as_recorded = !past && i == CONFIRMATION_BEFORE && x->as_recorded};
}

static enum asc_status measure_pair(struct command_confirm *s, struct again_pair *pair,
				    struct confirmation *out, struct asc_err *e)
{
	const struct run_options *o = s->options;
	const struct again_options options = {
		.session = &s->on.session, .seed = o->seed, .sets = true, .stop = s->stop};

	pair->rewrites_off = o->rewrites_off;
	const enum asc_status status = measure_again_one(&options, pair, e);

	*out = pair->found;
	return status;
}

/* Measures what was before by the sources of its commit, beside what is now; where git does not
 * have these, why not is added to the reason for no comparison. */
static enum asc_status measure_gone(struct command_confirm *s, struct workload *w,
				    const struct track_suspect *x, struct confirmation *out,
				    struct asc_err *e)
{
	struct scratch_workload past = {0};
	struct again_pair pair;
	struct json_doc *row = NULL; /* which the claim borrows from */
	struct claim claim;
	enum asc_status status =
		claim_find(command_db_path(s->options->db), x->trial_id, &row, &claim, e);

	if (status == ASC_OK)
		status = scratch_open_commit(w->path, x->commit, claim.made.sources,
					     x->series->implementation, &past, e);
	if (status == ASC_OK)
		status = target_use_verdicts(&s->on.target, past.workload, e);
	if (status == ASC_OK) {
		set_pair(x, w, past.workload, &pair);
		status = measure_pair(s, &pair, out, e);
		out->gone = true;
		out->stored[CONFIRMATION_BEFORE] = out->n > 0; /* as it was, though built again */
	} else if (status != ASC_NOMEM) {
		const size_t n = strlen(out->reason);

		(void)snprintf(out->reason + n, sizeof out->reason - n,
			       " and cannot be rebuilt: %s", e->text);
		status = ASC_OK;
	}
	scratch_close(&past);
	json_close(row);
	return status;
}

/* Measures and judges one suspect, unless it is interrupted: its recorded artifact beside the
 * winner of now or, where that is gone, the sources of its commit. */
static enum asc_status confirm_one(struct command_confirm *s, struct workload *w,
				   const struct track_suspect *x, enum track_finding *found,
				   struct asc_err *e)
{
	struct again_pair pair;
	struct confirmation c = {0};

	s->suspects++;
	set_pair(x, w, NULL, &pair);
	if (!workload_find_problem(w, x->series->problem))
		(void)snprintf(c.reason, sizeof c.reason, "there is no such problem any more");
	else if (measure_pair(s, &pair, &c, e))
		return e->status;
	if (c.gone && !*s->stop && measure_gone(s, w, x, &c, e))
		return e->status;
	return *s->stop ? ASC_OK : conclude(s, x, &c, found, e);
}

/* Another source is measured beside the night before, and where that does not make it slower yet,
 * beside what was before a slow-down that stands: many small steps are one large one. */
static enum asc_status confirm(struct command_confirm *s, struct workload *w, size_t series,
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

/* True for a suspect of the workload, of the options and of this machine. */
static bool is_wanted(const struct command_confirm *s, const struct workload *w,
		      const struct track_series *x)
{
	const struct run_options *o = s->options;
	const struct target *t = &s->on.target;

	if (track_confirm_why(x) == TRACK_SUSPECT_NONE || strcmp(x->workload, w->name) != 0 ||
	    (o->problems.n > 0 && !problem_choice_has(&o->problems, x->problem)) ||
	    (o->implementation && strcmp(o->implementation, x->implementation) != 0))
		return false;
	char *device = track_history_device(t->ops->name, t->info.model, x->machine);
	/* A history without a machine is of a database that did not record them. */
	const bool here = device && strcmp(x->device, device) == 0 &&
			  (!*x->machine || strcmp(x->machine, t->info.machine) == 0);

	free(device);
	return here;
}

static enum asc_status confirm_workload(struct command_confirm *s, const char *path,
					struct asc_err *e)
{
	struct workload *w = NULL;
	enum asc_status status = workload_file_open(path, s->options->untrusted, false, &w, e);

	if (status == ASC_OK && s->options->trust)
		status = trusted_check(w, e);
	if (status == ASC_OK)
		status = target_use_verdicts(&s->on.target, w, e);
	for (size_t k = 0; status == ASC_OK && !*s->stop && k < s->history->n; k++)
		if (is_wanted(s, w, &s->history->list[k])) {
			const struct problem *problem;
			struct asc_err gone;

			/* Adds a size of its own, which is none of the file's problems. */
			(void)workload_open_problem(w, s->history->list[k].problem, &problem,
						    &gone);
			status = confirm(s, w, k, e);
		}
	workload_close(w);
	return status;
}

/* 1. The histories of the database say which series are suspect (track/track_confirm).
 * 2. Of each suspect of this machine and these options, the winner of before the change and the one
 * of now are measured in the same rounds (again.h), workload by workload, so that each is read
 * once.
 * 3. The verdict is recorded with the run that the change began in, where `asctune track` finds it,
 *    and printed at once: the next suspect takes minutes. */
int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop)
{
	struct command_confirm s = {.options = o, .stop = stop};
	const char *path = command_db_path(o->db);
	struct workload_files files = {0};
	struct asc_err e;
	enum asc_status status = workload_files_find(o->file, &files, &e);

	if (status == ASC_OK)
		status = run_session_open(o, &s.on, &e);
	if (status == ASC_OK)
		status = db_open(path, DB_READ, &s.db, &e);
	if (status == ASC_OK)
		status = track_history_open(s.db, path, &track_rule_default, &s.history, &e);
	for (size_t i = 0; status == ASC_OK && !*stop && i < files.n; i++)
		status = confirm_workload(&s, files.paths[i], &e);
	if (status == ASC_OK && !*stop && s.suspects == 0 && !o->json)
		puts("nothing is to be measured again");
	workload_files_fini(&files);
	track_history_free(s.history);
	db_close(s.db);
	run_session_close(&s.on);
	if (status)
		return command_fail(&e);
	if (*stop)
		return EXIT_INTERRUPTED;
	return s.confirmed > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}
