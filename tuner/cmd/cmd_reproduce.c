/* asctune reproduce: builds a recorded configuration again, says what differs, and measures whether
 * its recorded time holds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/result/confirmation.h"
#include "tuner/result/reproduction.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/measure_again.h"
#include "tuner/tune/provenance_now.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/binding/workload_open.h"

extern const struct command reproduce_command;

enum { KEY_BEST = 256, KEY_WORKLOAD, KEY_UNTRUSTED, KEY_TRUST, KEY_CANN, KEY_PYTHON };

struct reproduce_options {
	const char *db, *device, *best, *workload;
	uint64_t trial; /* 0: rows of `best` */
	struct problem_choice problems;
	bool json, untrusted, trust;
};

static error_t parse_end(const struct reproduce_options *o, struct argp_state *state)
{
	if (!o->trial && !o->best)
		command_refuse(state, "a TRIAL or --best FILE is needed");
	if (o->trial && o->best)
		command_refuse(state, "either a TRIAL or --best FILE");
	if (o->trust && o->untrusted)
		command_refuse(state, COMMAND_TRUST_FAULT);
	if (!o->best && o->problems.n > 0)
		command_refuse(state, "--problem chooses rows of --best FILE");
	return 0;
}

static error_t parse_reproduce(int key, char *arg, struct argp_state *state)
{
	struct reproduce_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; break;
	case 'D': o->device = arg; break;
	case 'p': problem_choice_add(&o->problems, state, arg); break;
	case 'j': o->json = true; break;
	case KEY_BEST: o->best = arg; break;
	case KEY_WORKLOAD: o->workload = arg; break;
	case KEY_UNTRUSTED: o->untrusted = true; break;
	case KEY_TRUST: o->trust = true; break;
	case KEY_CANN: command_parse_cann(state, arg); break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case ARGP_KEY_ARG:
		if (o->trial)
			command_refuse(state, "one TRIAL at a time");
		if (!units_parse_count(arg, &o->trial) || o->trial > INT64_MAX)
			command_refuse(state, "\"%s\" is not the number of a trial", arg);
		break;
	case ARGP_KEY_END: return parse_end(o, state);
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option reproduce_options[] = {
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"best", KEY_BEST, "FILE", 0,
	 "instead of a TRIAL: each configuration of a file that `asctune export json` wrote, here "
	 "or elsewhere",
	 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE,
	 "of --best FILE only the rows of this problem; may be repeated", 0},
	{"workload", KEY_WORKLOAD, "FILE", 0,
	 "file of the workload (default: the one that was recorded)", 0},
	{"device", 'D', "DEVICE", 0, "auto, cpu, cuda[:N], npu[:N] (default: the recorded kind)",
	 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each configuration", 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"cann", KEY_CANN, "DIR", 0, COMMAND_CANN_HELP, 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{0}};

static const struct argp reproduce_argp = {
	reproduce_options,
	parse_reproduce,
	"[TRIAL]",
	"Builds a recorded configuration again, says what differs from the recorded build (source, "
	"included files, compiler, options, architecture, workload, the bytes that come of it), "
	"verifies it, and measures it in three processes, in the same rounds as the recorded "
	"artifact while the cache has it. TRIAL is the trial_id of views and exports.\v"
	"Exit status: 0 the recorded time holds; 1 it does not, or the configuration no longer "
	"passes; 2 it cannot be built again, or has no time to compare; 3 its device or compiler "
	"is not here; 4 the times do "
	"not tell.",
	0,
	0,
	0};

struct reproduce_view { /* what is printed of a claim */
	const struct claim *claim;
	struct buf differences; /* lines of provenance_compare() */
	struct buf unknown;     /* what was not recorded, separated by ", " */
	struct confirmation measured;
	struct reproduction result;
};

/* ---- text ---- */

static double pct(double ratio)
{
	return 100 * (ratio - 1);
}

/* Prints what was recorded and what differs. */
static enum asc_status print_begin(const struct reproduce_view *v, struct asc_err *e)
{
	const struct db_record *r = &v->claim->row;
	const char *label = "differs", *differences = buf_str(&v->differences);
	char text[3][UNITS_TEXT_SIZE];
	struct buf lines = {0};

	if (r->trial_id)
		buf_print(&lines, "trial %lld: ", (long long)r->trial_id);
	buf_print(&lines, "%s/%s on %s: %s, %s %s%s\n", r->workload, r->problem, r->device_kind,
		  r->device_model ? r->device_model : "", r->implementation, r->config_key,
		  sandbox_is_off() ? "; no sandbox (--trust)" : "");
	buf_print(&lines, "  recorded  %s", units_print_duration(r->median_ns, text[0]));
	if (!isnan(r->low_ns) && !isnan(r->high_ns))
		buf_print(&lines, " (95 %% interval %s .. %s, %lld samples)",
			  units_print_duration(r->low_ns, text[1]),
			  units_print_duration(r->high_ns, text[2]), (long long)r->n_samples);
	buf_print(&lines, "%s\n", r->of_finals ? " in the finals" : "");
	if (!*differences)
		differences = "nothing that was recorded";
	while (*differences) { /* each line below the label of the first */
		const size_t n = strcspn(differences, "\n");

		buf_print(&lines, "  %-9s %.*s\n", label, (int)n, differences);
		differences += n + (differences[n] == '\n');
		label = "";
	}
	if (v->unknown.len)
		buf_print(&lines, "  unknown   not recorded then: %s\n", buf_str(&v->unknown));
	return show_text_print(&lines, e);
}

static void add_change(double ratio, double low, double high, struct buf *out)
{
	track_write_change(&(struct track_change){pct(ratio), pct(low), pct(high), true}, out);
}

static const char *explain(const struct reproduce_view *v)
{
	const struct reproduction *r = &v->result;

	if (r->verdict == REPRODUCTION_HOLDS)
		return "which agrees with the recorded time";
	if (r->verdict == REPRODUCTION_UNDECIDED)
		return v->measured.unsteady          ? "but the machine was not steady"
		       : r->low <= 1 && r->high >= 1 ? "which scatters too much to tell"
						     : "but sessions on this machine differ by "
						       "that much: no verdict";
	/* Another time: whose is it? */
	switch (r->cause) {
	case REPRODUCTION_BY_MACHINE:
		return r->same_bytes ? "with the same bytes: it is the machine, not the code"
				     : "and so does the recorded artifact: it is the machine, not "
				       "the code";
	case REPRODUCTION_BY_CODE: return "unlike the recorded artifact: it is the code";
	default: break;
	}
	return r->beside ? "by code or machine: the rounds scatter too much to tell"
			 : "by code or machine: the recorded artifact is gone from the cache";
}

/* Prints what came of it. */
static enum asc_status print_end(const struct reproduce_view *v, struct asc_err *e)
{
	const char *built = v->measured.digest[CONFIRMATION_AFTER], *then = v->claim->made.digest;
	const struct reproduction *r = &v->result;
	char text[UNITS_TEXT_SIZE];
	struct buf lines = {0};

	/* Nothing of what was not built, or is a function of a library. */
	if (*built && !then)
		buf_print(&lines,
			  "  built     %s: which bytes were measured then is not recorded\n",
			  built);
	else if (*built && r->same_bytes)
		buf_print(&lines, "  built     the same bytes, %s\n", built);
	else if (*built)
		buf_print(&lines, "  built     other bytes: %s, recorded are %s\n", built, then);
	if (v->measured.n > 0 && !v->measured.failed) {
		buf_print(&lines, "  now      ");
		for (size_t k = 0; k < v->measured.n; k++)
			buf_print(&lines, "%s %s", k ? "," : "",
				  units_print_duration(
					  v->measured.sessions[k].time[CONFIRMATION_AFTER].median,
					  text));
		buf_print(&lines, " in %zu processes, verified in each\n", v->measured.n);
		if (r->beside) {
			buf_add_str(&lines, "  beside    ");
			add_change(r->built_ratio, r->built_low, r->built_high, &lines);
			buf_add_str(&lines, " against the recorded artifact, in the same rounds\n");
		}
		buf_print(&lines, "%s: ", reproduction_name(r->verdict));
		add_change(r->ratio, r->low, r->high, &lines);
		buf_print(&lines, ", %s\n", explain(v));
	} else {
		buf_print(&lines, "%s: %s\n", reproduction_name(r->verdict), v->measured.reason);
	}
	return show_text_print(&lines, e);
}

/* ---- JSON ---- */

/* Writes an array of the parts of a text between `separator`s. */
static void write_parts(const char *key, const char *text, const char *separator,
			struct json_writer *w)
{
	const size_t n = strlen(separator);
	struct buf part = {0};

	json_write_begin(w, key, '[');
	while (*text) {
		const char *end = strstr(text, separator);

		buf_clear(&part);
		buf_add(&part, text, end ? (size_t)(end - text) : strlen(text));
		json_write_string(w, NULL, buf_str(&part));
		text = end ? end + n : "";
	}
	json_write_end(w, ']');
	w->out->failed |= part.failed;
	buf_fini(&part);
}

static void write_result(const struct reproduce_view *v, struct json_writer *w)
{
	const struct reproduction *r = &v->result;
	const char *digest = v->measured.digest[CONFIRMATION_AFTER];
	const bool timed = v->measured.n > 0 && !v->measured.failed;

	json_write_string(w, "digest", *digest ? digest : NULL);
	again_write_medians(timed ? &v->measured : &(struct confirmation){0}, CONFIRMATION_AFTER,
			    "processes_ns", w);
	json_write_real(w, "ratio", timed ? r->ratio : NAN);
	json_write_real(w, "low", timed ? r->low : NAN);
	json_write_real(w, "high", timed ? r->high : NAN);
	json_write_real(w, "beside_ratio", r->beside ? r->built_ratio : NAN);
	json_write_real(w, "beside_low", r->beside ? r->built_low : NAN);
	json_write_real(w, "beside_high", r->beside ? r->built_high : NAN);
	json_write_bool(w, "unsteady", v->measured.unsteady);
	json_write_string(w, "verdict", reproduction_name(r->verdict));
	json_write_string(w, "cause", reproduction_cause_name(r->cause));
	json_write_string(w, "reason", v->measured.reason);
}

static enum asc_status print_json(const struct reproduce_view *v, struct asc_err *e)
{
	const struct db_record *r = &v->claim->row;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_int(&w, "trial_id", r->trial_id);
	json_write_string(&w, "workload", r->workload);
	json_write_string(&w, "problem", r->problem);
	json_write_string(&w, "implementation", r->implementation);
	json_write_string(&w, "config_key", r->config_key);
	json_write_real(&w, "recorded_ns", r->median_ns);
	json_write_string(&w, "recorded_digest", v->claim->made.digest);
	write_parts("differences", buf_str(&v->differences), "\n", &w);
	write_parts("not_recorded", buf_str(&v->unknown), ", ", &w);
	write_result(v, &w);
	json_write_end(&w, '}');
	const enum asc_status status = command_print_line(&line, e);

	fflush(stdout);
	return status;
}

/* ---- one claim ---- */

struct command_reproduce {
	const struct reproduce_options *options;
	const volatile sig_atomic_t *stop;
	bool fails, undecided; /* some claim so far */
	int failure;           /* exit status of the first that could not be tried; 0: none */
};

struct attempt {
	const struct command_reproduce *command;
	const struct claim *claim;
	struct workload *workload;
	struct run_session on;
	struct provenance_now now;
	struct reproduce_view view;
};

static enum asc_status open_workload(struct attempt *a, struct asc_err *e)
{
	const struct reproduce_options *o = a->command->options;
	const struct db_record *r = &a->claim->row;
	const char *path = o->workload ? o->workload : a->claim->made.workload_file;

	if (!path)
		return asc_err_set(e, ASC_USAGE,
				   "the file of workload %s was not recorded: --workload FILE "
				   "names it",
				   r->workload);
	if (workload_file_open(path, o->untrusted, false, &a->workload, e) ||
	    (o->trust && trusted_check(a->workload, e)))
		return e->status;
	if (strcmp(a->workload->name, r->workload) != 0)
		return asc_err_set(e, ASC_INPUT, "%s: holds workload %s, expected %s", path,
				   a->workload->name, r->workload);
	const struct problem *problem;

	if (workload_open_problem(a->workload, r->problem, &problem, e))
		return e->status == ASC_NOTFOUND
			       ? asc_err_set(e, ASC_NOTFOUND, "%s: there is no problem %s any more",
					     path, r->problem)
			       : e->status;
	if (!workload_find_implementation(a->workload, r->implementation))
		return asc_err_set(e, ASC_NOTFOUND, "%s: there is no implementation %s any more",
				   path, r->implementation);
	return ASC_OK;
}

/* Opens the device of the record with its policy, and has everything built anew. Another kind or
 * model of device is refused: its times say nothing of the recorded one. */
static enum asc_status open_session(struct attempt *a, struct asc_err *e)
{
	const struct reproduce_options *o = a->command->options;
	const struct db_record *r = &a->claim->row;
	const struct target *t = &a->on.target;
	const struct run_options ro = {.file = a->workload->path,
				       .device = o->device ? o->device : r->device_kind,
				       .policy = policy_default,
				       .untrusted = o->untrusted,
				       .trust = o->trust};
	struct policy *policy = &a->on.session.policy, recorded;
	struct asc_err why;

	if (run_session_open(&ro, &a->on, e))
		return e->status;
	if (strcmp(t->ops->name, r->device_kind) != 0 ||
	    (r->device_model && strcmp(t->info.model, r->device_model) != 0))
		return asc_err_set(
			e, ASC_ABSENT,
			"it was measured on %s: %s, this is %s: %s: their times are not compared",
			r->device_kind, r->device_model ? r->device_model : "", t->ops->name,
			t->info.model);
	/* A build out of the cache would only show that the cache works. */
	a->on.session.target.rebuild = true;
	if (r->cache_policy)
		(void)cache_policy_parse(r->cache_policy, &policy->cache); /* claim_check() */
	if (a->claim->made.policy && policy_read_json(a->claim->made.policy, &recorded, &why))
		log_print(LOG_WARN, "measured by the default policy, not by the recorded one: %s",
			  why.text);
	else if (a->claim->made.policy)
		*policy = recorded;
	return target_use_verdicts(t, a->workload, e);
}

/* Measures the recorded artifact, while the cache has it, beside what is built now. */
static enum asc_status measure(struct attempt *a, struct asc_err *e)
{
	const struct claim *claim = a->claim;
	const struct db_record *r = &claim->row;
	const struct again_options options = {
		.session = &a->on.session, .seed = 1, .sets = true, .stop = a->command->stop};
	struct again_pair pair = {.workload = a->workload,
				  .problem = r->problem,
				  .sides = {{.what = "the recorded artifact",
					     .config_key = r->config_key,
					     .artifact = claim->made.artifact,
					     .implementation = r->implementation},
					    {.what = "the new build",
					     .config_key = r->config_key,
					     .implementation = r->implementation}}};
	struct confirmation *c = &a->view.measured;

	if (measure_again_one(&options, &pair, e))
		return e->status;
	*c = pair.found;
	/* A failed kernel is an answer: its time does not hold. Anything else is none. */
	if (*c->reason && !c->failed && !*a->command->stop)
		return asc_err_set(e, ASC_INPUT, "it cannot be built again: %s", c->reason);
	return ASC_OK;
}

static void judge(struct attempt *a)
{
	const struct db_record *r = &a->claim->row;
	const struct policy *p = &a->on.session.policy;
	const bool known = !isnan(r->low_ns) && !isnan(r->high_ns);
	const struct reproduction_claim claim = {
		.time = {.n = (size_t)r->n_samples,
			 .min = isnan(r->min_ns) ? r->median_ns : r->min_ns,
			 .median = r->median_ns,
			 .max = isnan(r->max_ns) ? r->median_ns : r->max_ns,
			 .interval = {known, known ? r->low_ns : 0, known ? r->high_ns : 0}},
		.digest = a->claim->made.digest ? a->claim->made.digest : "",
		.near = p->tests.near,
		.margin = p->tests.margin};

	a->view.result = reproduction_judge(&claim, &a->view.measured);
}

/* 1. The claim is checked: a time, measured, of a policy that is known.
 * 2. Its workload and device are opened, as they are now.
 * 3. What is built now is compared with what was built then, and the differences are printed:
 *    they are there whatever the times will be, which take a while.
 * 4. Both are measured in the same rounds, and judged against the recorded time. */
static enum asc_status try(struct attempt *a, struct asc_err *e)
{
	const bool json = a->command->options->json;
	struct reproduce_view *v = &a->view;

	if (claim_check(a->claim, e) || open_workload(a, e) || open_session(a, e))
		return e->status;
	const struct loop_options lo = {
		.workload = a->workload,
		.problem = workload_find_problem(a->workload, a->claim->row.problem),
		.implementation = a->claim->row.implementation,
		.session = &a->on.session,
		.strategy =
			strategy_find("random"), /* not asked: it needs no listing of the space */
		.seed = 1,
		.version = ASCTUNE_VERSION,
		.stop = a->command->stop};

	/* An interrupted claim has no answer, and is no failure. */
	if (provenance_now_open(&a->now, &lo, e) ||
	    provenance_compare(&a->claim->made, &a->now.made, &v->differences, &v->unknown, e) ||
	    (!json && print_begin(v, e)) || measure(a, e) || *a->command->stop)
		return *a->command->stop ? ASC_OK : e->status;
	judge(a);
	return (json ? print_json : print_end)(v, e);
}

/* Tries a claim; a failure is printed and noted, and does not keep the next claims from being
 * tried. */
static void reproduce(struct command_reproduce *c, const struct claim *claim, const char *name)
{
	struct attempt a = {.command = c, .claim = claim, .view = {.claim = claim}};
	struct asc_err e;

	if (try(&a, &e)) {
		asc_err_wrap(&e, "%s", name);
		const int failure = command_fail(&e);

		/* The first of several failures is the exit status. */
		c->failure = c->failure ? c->failure : failure;
	} else if (!*c->stop) {
		c->fails |= a.view.result.verdict == REPRODUCTION_FAILS;
		c->undecided |= a.view.result.verdict == REPRODUCTION_UNDECIDED;
	}
	buf_fini(&a.view.differences);
	buf_fini(&a.view.unknown);
	provenance_now_close(&a.now);
	run_session_close(&a.on);
	workload_close(a.workload);
}

/* ---- all of them ---- */

static enum asc_status reproduce_trial(struct command_reproduce *c, struct asc_err *e)
{
	const struct reproduce_options *o = c->options;
	struct json_doc *doc = NULL;
	struct claim claim;
	char name[48];
	enum asc_status status =
		claim_find(command_db_path(o->db), (int64_t)o->trial, &doc, &claim, e);

	snprintf(name, sizeof name, "trial %" PRIu64, o->trial);
	if (status == ASC_OK)
		reproduce(c, &claim, name);
	json_close(doc);
	return status;
}

/* Tries each row of a file, or those of the wanted problems. */
static enum asc_status reproduce_best(struct command_reproduce *c, struct asc_err *e)
{
	const struct problem_choice *wanted = &c->options->problems;
	const char *path = c->options->best;
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_file(path, &doc, e);
	const struct json_node *row = status == ASC_OK ? claim_first(doc, e) : NULL;
	bool found = false;

	if (status == ASC_OK && !row)
		status = e->status;
	for (; status == ASC_OK && row && !*c->stop; row = json_next(row)) {
		struct claim claim;
		char name[300];

		status = claim_read(row, &claim, e);
		if (status || (wanted->n > 0 && !problem_choice_has(wanted, claim.row.problem)))
			continue;
		found = true;
		snprintf(name, sizeof name, "%s/%s", claim.row.workload, claim.row.problem);
		reproduce(c, &claim, name);
	}
	/* A problem that the file lacks is a typing error, and no success. */
	if (status == ASC_OK && !found && !*c->stop)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: has no row of problem %s", path,
				     wanted->names[0]);
	json_close(doc);
	return status;
}

static int reproduce_main(int argc, char **argv)
{
	struct reproduce_options o = {0};
	struct command_reproduce c = {.options = &o};
	struct asc_err e;

	command_parse(&reproduce_argp, argc, argv, &o);
	c.stop = command_watch_signals();
	if (o.best ? reproduce_best(&c, &e) : reproduce_trial(&c, &e))
		return command_fail(&e);
	if (*c.stop)
		return EXIT_INTERRUPTED;
	if (c.fails)
		return EXIT_NEGATIVE;
	if (c.failure)
		return c.failure;
	return c.undecided ? EXIT_UNDECIDED : EXIT_DONE;
}

const struct command reproduce_command = {
	"reproduce", "measures a recorded configuration again: does its time hold?",
	&reproduce_argp, reproduce_main};
