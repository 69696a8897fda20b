/* asctune show: everything recorded about a trial, a run or a problem. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/results/best.h"
#include "reports/results/profile_json.h"
#include "reports/results/profile_view.h"
#include "reports/results/run_finals.h"
#include "reports/results/today.h"
#include "reports/tables/best_json.h"
#include "reports/track/repeat.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/answer_state.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/answers/unsupported.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/profile/profile_text.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/result/profile.h"
#include "tuner/result/provenance.h"
#include "tuner/worker/policy.h"

extern const struct command show_command;

#define NOTHING_NAMED "a TRIAL, run RUN or [WORKLOAD/]PROBLEM is needed"

struct show {
	const char *db_path;
	uint64_t trial, run;            /* 0: not asked for */
	const char *workload, *problem; /* names, NULL: not asked for, any workload */
	bool json;
	struct db *db;
	struct table table;
	size_t found; /* runs, or best configurations */
	size_t rows;  /* of the table */
	int64_t run_of_trial;
	char *implementation; /* implementation of the trial */
	bool simulated;       /* the run that is shown: nothing of it can be measured again */
	struct buf again;     /* command that measures it again; "": none */
	struct answer_state state;
	struct unsupported unsupported;
};

/* TRIAL, run RUN, or [WORKLOAD/]PROBLEM. */
static void parse_what(struct show *s, char *arg, struct argp_state *state)
{
	char *slash = strchr(arg, '/');

	/* A problem that is called "run" is asked for as WORKLOAD/run, one called 7 likewise. */
	if (strcmp(arg, "run") == 0 && state->next < state->argc) {
		const char *number = state->argv[state->next++];

		if (!units_parse_count(number, &s->run) || s->run > INT64_MAX)
			command_refuse(state, "\"%s\" is not the number of a run", number);
	} else if (units_parse_count(arg, &s->trial)) {
		if (s->trial > INT64_MAX)
			command_refuse(state, "\"%s\" is not the number of a trial", arg);
	} else {
		s->problem = slash ? slash + 1 : arg;
		s->workload = slash ? arg : NULL;
		if (slash)
			*slash = '\0';
		if (!*s->problem)
			command_refuse(state, NOTHING_NAMED);
	}
}

static error_t parse_show(int key, char *arg, struct argp_state *state)
{
	struct show *s = state->input;

	switch (key) {
	case 'd': s->db_path = arg; break;
	case 'j': s->json = true; break;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one TRIAL, run or problem at a time");
		parse_what(s, arg, state);
		break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, NOTHING_NAMED); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option show_options[] = {
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each row", 0},
	{0}};

static const struct argp show_argp = {
	show_options,
	parse_show,
	"TRIAL|run RUN|[WORKLOAD/]PROBLEM",
	"Shows everything recorded about a trial, a run with its finals, or a problem with its "
	"best "
	"configurations and its runs.\vTRIAL and RUN are numbers, trial_id and run_id of views and "
	"exports.",
	0,
	0,
	0};

/* ---- tables ---- */

/* Prints the table, if it has rows and nothing has failed, and ends it. */
static enum asc_status end_table(struct show *s, enum asc_status status, const char *title,
				 size_t rows, struct asc_err *e)
{
	if (status == ASC_OK && rows > 0 && !s->json) {
		prose_say(stdout, 0, "%s", title);
		status = table_print(&s->table, stdout, e);
	}
	table_fini(&s->table);
	return status;
}

/* ---- measuring again ---- */

/* Sets the command, once: the first is of the best. */
static void set_again(struct show *s, int64_t trial_id)
{
	char number[32];

	if (s->again.len > 0 || s->simulated)
		return;
	snprintf(number, sizeof number, "%lld", (long long)trial_id);
	buf_add_str(&s->again, "again:");
	shell_add_program(&s->again);
	shell_add_argument(&s->again, "reproduce");
	shell_add_argument(&s->again, number);
	shell_add_option(&s->again, "--db", s->db_path);
}

/* Sets the command for a trial that failed, where the file of its workload is known. */
static void set_run_again(struct show *s, const struct db_record *row)
{
	struct json_doc *doc = NULL;
	struct provenance made;
	enum cache_policy cache;
	struct asc_err e;

	if (json_open_text("provenance", row->provenance_json, strlen(row->provenance_json), &doc,
			   &e)) {
		s->again.failed |= e.status == ASC_NOMEM;
		return;
	}
	/* A policy of another version has no option here. */
	const bool known = !row->cache_policy || cache_policy_parse(row->cache_policy, &cache);

	if (known && provenance_read(json_root(doc), &made, &e) == ASC_OK && made.workload_file) {
		buf_add_str(&s->again, "again:");
		repeat_add_run(&s->again,
			       &(struct repeat_run){.file = made.workload_file,
						    .device = row->device_kind,
						    .problem = row->problem,
						    .implementation = row->implementation,
						    .config = row->config_key,
						    .cache = row->cache_policy,
						    .db = s->db_path});
	}
	json_close(doc);
}

/* ---- what became of it ---- */

/* Appends how a run ended, where that was not in order. */
static void add_ending(struct show *s, const struct db_run_record *r, struct buf *out)
{
	const bool unranked = sure_parse(r->sure) == SURE_UNRANKED;

	if (!r->simulated)
		answer_state_add_ending(&s->state,
					&(struct repeat_ending){.outcome = r->outcome,
								.budget = r->budget,
								.trials = r->trials,
								.finals = r->sure && !unranked,
								.unranked = unranked},
					&(struct repeat_run){.file = r->workload_file,
							     .device = r->device_kind,
							     .problem = r->problem,
							     .cache = r->cache_policy},
					out);
}

/* The kernel of a run; NULL for all of its implementations. The verdict since is on it. */
static struct track_kernel kernel_of(const struct db_run_record *r, const char *implementation)
{
	return (struct track_kernel){.device_kind = r->device_kind,
				     .device_model = r->device_model,
				     .machine = r->device_machine,
				     .workload = r->workload,
				     .problem = r->problem,
				     .cache = r->cache_policy,
				     .implementation = implementation};
}

static void add_since(struct show *s, const struct db_run_record *r, const char *implementation,
		      struct buf *out)
{
	const struct track_kernel kernel = kernel_of(r, implementation);

	if (!r->simulated)
		answer_state_add_since(&s->state, &kernel, out);
}

/* ---- profiles ---- */

/* Prints the profile of a configuration. A db_profile_fn; `implementation` NULL: whose it is has
 * been said. */
static enum asc_status print_profile(void *user, const char *implementation, const char *config_key,
				     const struct profile *p, struct asc_err *e)
{
	const double time_ns = profile_value(p, "time_ns");
	char text[UNITS_TEXT_SIZE];
	struct prose to;

	(void)user;
	(void)e;
	prose_open(&to, stdout);
	prose_put(&to, INK_PLAIN, "profile");
	if (implementation)
		prose_put(&to, INK_PLAIN, " of %s %s", implementation, config_key);
	if (time_ns > 0)
		prose_put(&to, INK_PLAIN, "  %s", units_print_duration(time_ns, text));
	prose_end(&to, 2);
	profile_text_print(&to, NULL, p);
	prose_close(&to);
	return ASC_OK;
}

static enum asc_status write_profile(void *user, const char *implementation, const char *config_key,
				     const struct profile *p, struct asc_err *e)
{
	const struct profile_heading heading = {.implementation = implementation,
						.config = config_key,
						.time_ns = profile_value(p, "time_ns"),
						.low_ns = NAN,
						.high_ns = NAN};

	return profile_json_write(user, NULL, &heading, p, e);
}

/* ---- a trial ---- */

static enum asc_status write_trial(const struct db_record *row, const struct result *r,
				   const char *rewrites, const struct profile *profile,
				   struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	enum asc_status status = show_json_fields(db_record_fields, row, &w, e);

	if (status == ASC_OK)
		status = field_json_write_text(&w, "provenance", row->provenance_json, e);
	if (status == ASC_OK)
		status = field_json_write_text(&w, "rewrites", rewrites, e);
	json_write_bool(&w, "simulated", row->simulated);
	json_write_bool(&w, "imported", row->imported);
	json_write_bool(&w, "of_finals", row->of_finals);
	json_write_begin(&w, "result", '{');
	result_write_json(r, &w);
	json_write_end(&w, '}');
	if (profile && status == ASC_OK)
		status = profile_json_write(&w, "profile", NULL, profile, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status print_trial(const struct db_record *row, const struct result *r,
				   const char *rewrites, const struct profile *profile,
				   struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];
	struct buf lines = {0}, host = {0};

	buf_print(&lines, "trial %lld of run %lld: %s/%s on %s, %s %s\n", (long long)row->trial_id,
		  (long long)row->run_id, row->workload, row->problem, row->device_kind,
		  row->implementation, row->config_key);
	show_text_add_fields(db_record_fields, row, &lines);
	if (row->of_finals)
		show_text_add_line("times", "of the finals", &lines);
	if (row->of_finals && r->n_samples > 0)
		show_text_add_line("median of the search",
				   units_print_duration(r->time.median, text), &lines);
	if (result_host_ns(r, r->time.median) > 0 && !row->simulated && !row->imported) {
		result_print_host(result_host_ns(r, r->time.median), &host);
		show_text_add_line("host", buf_str(&host), &lines);
	}
	lines.failed |= host.failed;
	buf_fini(&host);
	show_text_add_line("rewrites", rewrites, &lines);
	show_text_add_line("simulated",
			   row->imported    ? "imported, not measured"
			   : row->simulated ? "on a stand-in, not measured"
					    : NULL,
			   &lines);
	const enum asc_status status =
		show_text_add_object(row->provenance_json, db_record_fields, &lines, e);

	show_text_add_line("log", r->log, &lines);
	if (status != ASC_OK) {
		buf_fini(&lines);
		return status;
	}
	if (show_text_print(&lines, e))
		return e->status;
	return profile ? print_profile(NULL, NULL, NULL, profile, e) : ASC_OK;
}

static enum asc_status show_trial(void *user, const struct db_record *row, struct asc_err *e)
{
	struct show *s = user;
	struct buf rewrites = {0};
	struct profile profile;
	struct result r;
	bool profiled;

	s->run_of_trial = row->run_id;
	s->implementation = str_dup(row->implementation);
	if (!s->implementation)
		return asc_err_nomem(e);
	if (db_get_trial(s->db, row->trial_id, &r, &rewrites, e))
		return e->status;
	/* A time is reproduced, a failure repeated: the first needs a recorded time. */
	if (!row->simulated && result_status_timed(r.status) && r.n_samples > 0)
		set_again(s, row->trial_id);
	else if (!row->simulated)
		set_run_again(s, row);
	const char *made = rewrites.len ? buf_str(&rewrites) : NULL;
	enum asc_status status = db_find_profile(s->db, row->run_id, row->implementation_id,
						 row->config_key, &profile, &profiled, e);

	if (status == ASC_OK) {
		status = (s->json ? write_trial : print_trial)(row, &r, made,
							       profiled ? &profile : NULL, e);
		profile_fini(&profile);
	}
	result_fini(&r);
	buf_fini(&rewrites);
	return status;
}

/* Prints what became of a trial's run and kernel. */
static enum asc_status show_state(void *user, const struct db_run_record *r, struct asc_err *e)
{
	struct show *s = user;
	struct buf text = {0}, lines = {0};

	add_ending(s, r, &text);
	add_since(s, r, s->implementation, &text);
	show_text_add_line("state", buf_str(&text), &lines);
	lines.failed |= text.failed;
	buf_fini(&text);
	return show_text_print(&lines, e);
}

/* ---- a run ---- */

static enum asc_status add_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	struct show *s = user;
	const bool shown = isfinite(f->ratio_low); /* NaN where it left the rounds */
	char text[UNITS_TEXT_SIZE], standing[STANDING_TEXT_SIZE];

	(void)e;
	s->rows++;
	/* The best on record, which an earlier run tried, has no trial in this one. */
	if (f->tried_id)
		set_again(s, f->trial_id ? f->trial_id : f->tried_id);
	if (f->trial_id)
		table_add(&s->table, "%lld", (long long)f->trial_id);
	else
		table_add(&s->table, "%s", "");
	table_add(&s->table, "%s", units_print_duration(f->median_ns, text));
	table_add(&s->table, "%.3f", f->ratio);
	if (shown)
		table_add(&s->table, "%.3f .. %.3f", f->ratio_low, f->ratio_high);
	else
		table_add(&s->table, "%s", "");
	table_add(&s->table, "%s", standing_print(f->standing, shown, f->n_samples, standing));
	table_add(&s->table, "%s", f->implementation);
	table_add(&s->table, "%s", f->config_key);
	return ASC_OK;
}

/* Prints the digest of the winner's outputs, and what is known of the finalists' bits. */
static enum asc_status print_bits(const struct show *s, int64_t run_id, struct asc_err *e)
{
	struct buf lines = {0}, text = {0};
	struct run_finals f;

	if (run_finals_read(s->db, run_id, &f, e))
		return e->status;
	if (f.n > 0 && f.list[0].winner && *f.list[0].bits.digest)
		buf_print(&text, "%s, ", f.list[0].bits.digest);
	run_finals_print_bits(&f, &text);
	if (text.len > 0)
		show_text_add_line("bits", buf_str(&text), &lines);
	lines.failed |= text.failed;
	buf_fini(&text);
	run_finals_fini(&f);
	return show_text_print(&lines, e);
}

static enum asc_status print_run(struct show *s, const struct db_run_record *r, struct asc_err *e)
{
	struct buf lines = {0}, state = {0};

	buf_print(&lines, "run %lld: %s/%s on %s\n", (long long)r->run_id, r->workload, r->problem,
		  r->device_kind);
	show_text_add_fields(db_run_fields, r, &lines);
	add_ending(s, r, &state);
	add_since(s, r, NULL, &state);
	show_text_add_line("state", buf_str(&state), &lines);
	lines.failed |= state.failed;
	buf_fini(&state);
	if (show_text_print(&lines, e))
		return e->status;
	table_init(&s->table, ">TRIAL|>MEDIAN|>RATIO|INTERVAL|STANDING|IMPLEMENTATION|"
			      "CONFIGURATION");
	enum asc_status status = today_each_run_final(s->db, r->run_id, add_final, s, e);

	status = end_table(s, status, "finals", s->rows, e);
	if (status == ASC_OK && print_bits(s, r->run_id, e))
		status = e->status;
	return status ? status : db_each_profile(s->db, r->run_id, print_profile, NULL, e);
}

static enum asc_status write_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	struct json_writer *w = user;

	(void)e;
	json_write_begin(w, NULL, '{');
	json_write_int(w, "trial_id", f->trial_id);
	json_write_string(w, "implementation", f->implementation);
	json_write_string(w, "config_key", f->config_key);
	json_write_string(w, "standing", standing_name(f->standing));
	json_write_bool(w, "winner", f->winner);
	json_write_real(w, "ratio", f->ratio);
	json_write_real(w, "low", f->ratio_low);
	json_write_real(w, "high", f->ratio_high);
	json_write_int(w, "rounds", f->n_samples);
	json_write_real(w, "median_ns", f->median_ns);
	if (*f->bits.digest) {
		json_write_string(w, "bits", f->bits.digest);
		json_write_int(w, "compared", f->bits.compared);
		json_write_int(w, "varied", f->bits.varied);
		json_write_real(w, "varied_abs", f->bits.varied_abs);
		json_write_int(w, "sets", f->bits.sets);
		json_write_int(w, "places", f->bits.places);
	}
	json_write_end(w, '}');
	return ASC_OK;
}

static enum asc_status write_run(struct show *s, const struct db_run_record *r, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	enum asc_status status = show_json_fields(db_run_fields, r, &w, e);

	json_write_begin(&w, "finals", '[');
	if (status == ASC_OK)
		status = today_each_run_final(s->db, r->run_id, write_final, &w, e);
	json_write_end(&w, ']');
	json_write_begin(&w, "profiles", '[');
	if (status == ASC_OK)
		status = db_each_profile(s->db, r->run_id, write_profile, &w, e);
	json_write_end(&w, ']');
	const struct track_kernel kernel = kernel_of(r, NULL);

	answer_state_write_since(&s->state, r->simulated ? NULL : &kernel, &w);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status show_run(void *user, const struct db_run_record *r, struct asc_err *e)
{
	struct show *s = user;

	s->found++;
	s->simulated = r->simulated;
	return s->json ? write_run(s, r, e) : print_run(s, r, e);
}

/* ---- a problem ---- */

static bool is_wanted(const struct show *s, const char *workload, const char *problem)
{
	return strcmp(problem, s->problem) == 0 &&
	       (!s->workload || strcmp(workload, s->workload) == 0);
}

static enum asc_status add_best(void *user, const struct best_row *b, struct asc_err *e)
{
	struct show *s = user;
	struct sureness sure = {sure_parse(b->sure), (size_t)b->n_ties, b->noise_pct};
	char text[UNITS_TEXT_SIZE], words[SURE_TEXT_SIZE];
	struct buf state = {0};

	if (!is_wanted(s, b->workload, b->problem))
		return ASC_OK;
	s->rows++;
	set_again(s, b->trial_id);
	table_add(&s->table, "%s/%s", b->workload, b->problem);
	table_add(&s->table, "%s: %s", b->device_kind, b->device_model ? b->device_model : "");
	table_add(&s->table, "%s", b->cache_policy ? b->cache_policy : "");
	table_add(&s->table, "%lld", (long long)b->trial_id);
	table_add(&s->table, "%s", units_print_duration(b->median_ns, text));
	table_add(&s->table, "%s", sure_print(&sure, words));
	table_add(&s->table, "%s", b->implementation);
	table_add(&s->table, "%s", b->config_key);
	answer_state_add_best(&s->state, b, &state);
	if (unsupported_add(&s->unsupported, b, e)) {
		buf_fini(&state);
		return e->status;
	}
	if (state.len)
		table_warn(&s->table, "%s", buf_str(&state));
	const enum asc_status status = buf_check(&state, e);

	buf_fini(&state);
	return status;
}

static enum asc_status write_best(void *user, const struct best_row *b, struct asc_err *e)
{
	const struct show *s = user;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	if (!is_wanted(s, b->workload, b->problem))
		return ASC_OK;
	json_write_begin(&w, NULL, '{');
	enum asc_status status = best_json_write_members(&w, b, e);

	answer_state_write_best(&s->state, b, &w);
	if (status == ASC_OK)
		status = unsupported_write(b, &w, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status add_run(void *user, const struct db_run_record *r, struct asc_err *e)
{
	struct show *s = user;

	s->found++;
	if (s->json)
		return write_run(s, r, e);
	table_add(&s->table, "%lld", (long long)r->run_id);
	table_add(&s->table, "%s", r->started_at ? r->started_at : "");
	table_add(&s->table, "%s/%s", r->workload, r->problem);
	table_add(&s->table, "%s: %s", r->device_kind, r->device_model ? r->device_model : "");
	table_add(&s->table, "%s", r->cache_policy ? r->cache_policy : "");
	table_add(&s->table, "%s%s%s",
		  r->imported   ? "imported"
		  : r->strategy ? r->strategy
				: "",
		  r->history_json ? ", history" : "",
		  r->simulated && !r->imported ? ", simulated" : "");
	table_add(&s->table, "%lld", (long long)r->trials);
	table_add(&s->table, "%s", r->outcome ? r->outcome : "cut short");
	table_add(&s->table, "%s", r->sure ? r->sure : "");
	return ASC_OK;
}

static enum asc_status show_problem(struct show *s, struct asc_err *e)
{
	const struct db_run_choice runs = {.workload = s->workload, .problem = s->problem};

	table_init(&s->table, "PROBLEM|DEVICE|CACHE|>TRIAL|>MEDIAN|SURE|IMPLEMENTATION|"
			      "CONFIGURATION");
	enum asc_status status =
		best_each_or_last(s->db, s->workload, s->json ? write_best : add_best, s, e);

	if (end_table(s, status, "best", s->rows, e))
		return e->status;
	unsupported_print(&s->unsupported);
	table_init(&s->table, ">RUN|STARTED|PROBLEM|DEVICE|CACHE|STRATEGY|>TRIALS|OUTCOME|SURE");
	status = db_each_run(s->db, &runs, add_run, s, e);
	return end_table(s, status, "runs", s->found, e);
}

/* ---- all of them ---- */

static enum asc_status show(struct show *s, struct asc_err *e)
{
	const char *path = command_db_path(s->db_path);

	if (db_open(path, DB_READ, &s->db, e))
		return e->status;
	if (answer_state_init(&s->state, s->db, s->db_path, e))
		return e->status;
	if (s->trial) {
		/* JSON of a trial is what was recorded, and nothing that was found out since. */
		const enum asc_status status =
			db_find_record(s->db, (int64_t)s->trial, show_trial, s, e);

		if (status || s->json)
			return status;
		return db_each_run(s->db, &(struct db_run_choice){.run_id = s->run_of_trial},
				   show_state, s, e);
	}
	const struct db_run_choice run = {.run_id = (int64_t)s->run};

	if (s->run ? db_each_run(s->db, &run, show_run, s, e) : show_problem(s, e))
		return e->status;
	if (s->found > 0)
		return ASC_OK;
	if (s->run)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no run %" PRIu64, path, s->run);
	return asc_err_set(e, ASC_NOTFOUND, "%s: no run of problem %s%s%s", path,
			   s->workload ? s->workload : "", s->workload ? "/" : "", s->problem);
}

static int show_main(int argc, char **argv)
{
	struct show s = {0};
	struct asc_err e;

	command_parse(&show_argp, argc, argv, &s);
	enum asc_status status = show(&s, &e);

	if (status == ASC_OK && !s.json)
		status = show_text_print(&s.again, &e);
	if (status == ASC_OK && !s.json)
		status = answer_state_print_commands(&s.state, &e);
	answer_state_fini(&s.state);
	unsupported_fini(&s.unsupported);
	free(s.implementation);
	buf_fini(&s.again);
	db_close(s.db);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command show_command = {
	"show", "shows all that is recorded of a trial, run or problem", &show_argp, show_main};
