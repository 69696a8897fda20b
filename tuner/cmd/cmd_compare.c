/* asctune compare: measures two kernels in the same rounds: of files, commits, configurations,
 * recorded trials or runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/again/compare_side.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/result/tie.h"
#include "tuner/tune/measure_again.h"
#include "tuner/workload/workload.h"

extern const struct command compare_command;

enum { KEY_WORKLOAD = 256, KEY_CONFIG, KEY_CACHE, KEY_TRUST, KEY_PYTHON, KEY_PYTHON_NPU };

struct compare_options {
	const char *sides[COMPARE_SIDES];
	size_t n;
	struct compare_choice choice;
	bool json;
};

static error_t parse_end(const struct compare_options *o, struct argp_state *state)
{
	if (o->n != COMPARE_SIDES)
		command_refuse(state, "A and B are needed, the two that are compared");
	return 0;
}

static error_t parse_compare(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;
	struct compare_choice *c = &o->choice;
	enum cache_policy cache;

	switch (key) {
	case 'd': c->db = arg; break;
	case 'D': c->device = arg; break;
	case 'p': c->problem = arg; break;
	case 'i': c->implementation = arg; break;
	case 'j': o->json = true; break;
	case KEY_WORKLOAD: c->workload = arg; break;
	case KEY_CONFIG: c->config = arg; break;
	case KEY_CACHE:
		if (!cache_policy_parse(arg, &cache))
			command_refuse(state, "--cache: \"%s\" is neither cold nor hot", arg);
		c->cache = arg;
		break;
	case KEY_TRUST: c->trust = true; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); break;
	case ARGP_KEY_ARG:
		if (o->n == COMPARE_SIDES)
			command_refuse(state, "compare takes two sides: \"%s\" is a third", arg);
		o->sides[o->n++] = arg;
		break;
	case ARGP_KEY_END: return parse_end(o, state);
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option compare_options[] = {
	{"workload", KEY_WORKLOAD, "FILE", 0,
	 "workload of a side that is a configuration or a commit (default: the other side's file), "
	 "or "
	 "of a trial or run (default: the one that was recorded)",
	 0},
	{"problem", 'p', "NAME", 0,
	 "problem that both are measured on (default: that of the trial or run, or the only one "
	 "meant "
	 "for this kind of device)",
	 0},
	{"impl", 'i', "NAME", 0,
	 "implementation (default: that of the trial or run, else the first that runs on this "
	 "device)",
	 0},
	{"config", KEY_CONFIG, "K=V,...", 0,
	 "configuration of sides that are files or commits (default: that of the trial or run, "
	 "else "
	 "the default one); parameters that are not given have their default",
	 0},
	{"cache", KEY_CACHE, "cold|hot", 0,
	 "caches at each launch, as for run (default: that of the trial or run, else of workload "
	 "B, else cold)",
	 0},
	{"device", 'D', "DEVICE", 0,
	 "auto, cpu, cuda[:N], npu[:N] (default: that of the trial or run, else auto)", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object", 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{0}};

static const struct argp compare_argp = {
	compare_options,
	parse_compare,
	"A B",
	"Measures two kernels in the same rounds, in three processes, verified in each: how long "
	"does B take beside A? Each of A and B is a workload FILE; a COMMIT (HEAD~1, a branch, "
	"commit:NAME) of --workload FILE, as git has it; a configuration K=V,... of --workload "
	"FILE; "
	"the number of a recorded TRIAL; or run:N, what a recorded run chose. Trials and runs are "
	"measured with their recorded artifact while the cache has it. Nothing is recorded.\v"
	"Exit status: 0 B is as fast as A, or faster; 1 B is slower, or one of them does not pass; "
	"2 they cannot be compared; 3 device or compiler is not here; 4 the times do not tell.",
	0,
	0,
	0};

struct compare {
	const struct compare_options *o;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct compare_side sides[COMPARE_SIDES];
	enum cache_policy cache;
	struct confirmation measured;
	const char *other_reference; /* as of struct again_pair */
};

/* ---- measuring ---- */

static enum asc_status open_session(struct compare *c, struct asc_err *e)
{
	const struct compare_options *o = c->o;
	const struct db_record *first = &c->sides[0].claim.row, *second = &c->sides[1].claim.row;
	struct run_options ro = {.file = c->sides[1].workload->path,
				 .device = compare_side_wanted(c->sides, o->choice.device,
							       first->device_kind,
							       second->device_kind),
				 /* The policy of a recorded side does not matter, but for its
				  * caches: both are measured anew, by one. */
				 .policy = policy_default,
				 .trust = o->choice.trust};

	const char *cache = compare_side_wanted(c->sides, o->choice.cache, first->cache_policy,
						second->cache_policy);

	if (!cache)
		cache = c->sides[1].workload->cache;
	if (cache && !cache_policy_parse(cache, &ro.policy.cache))
		return asc_err_set(e, ASC_INPUT, "the recorded cache policy %s is not known",
				   cache);
	c->cache = ro.policy.cache;
	return run_session_open(&ro, &c->on, e);
}

static enum asc_status measure_pair(struct compare *c, struct asc_err *e)
{
	const struct again_options options = {
		.session = &c->on.session, .seed = 1, .sets = true, .stop = c->stop};
	const struct compare_side *head = &c->sides[COMPARE_SIDES - 1];
	struct again_pair pair = {.workload = head->workload, .problem = head->problem->name};

	for (size_t i = 0; i < COMPARE_SIDES; i++) {
		const struct compare_side *s = &c->sides[i];

		if (c->on.target.info.simulated)
			workload_use_twins(s->workload);
		pair.sides[i] = (struct again_side){.what = compare_names[i],
						    .workload = s->workload,
						    .problem = s->problem->name,
						    .config_key = s->config,
						    .artifact = s->claim.made.artifact,
						    .as_recorded = s->row && !s->gone,
						    .implementation = s->implementation};
	}
	if (measure_again_one(&options, &pair, e))
		return e->status;
	c->measured = pair.found;
	c->other_reference = pair.other_reference;
	return ASC_OK;
}

/* Measures both; where a recorded artifact is gone, what is built again in its place. */
static enum asc_status measure(struct compare *c, struct asc_err *e)
{
	struct confirmation *m = &c->measured;

	if (measure_pair(c, e))
		return e->status;
	/* Only now it is known which artifacts the cache has lost: one that is rebuilt is of the
	 * commit, where that was recorded, else of today's sources. */
	if (m->gone && !*c->stop) {
		for (size_t i = 0; i < COMPARE_SIDES; i++)
			if (c->sides[i].row && !m->stored[i])
				compare_side_rebuild(&c->sides[i]);
		if (compare_side_settle(c->sides, &c->o->choice, &c->on, e) || measure_pair(c, e))
			return e->status;
	}
	/* Both are verified by the reference of B. Where A has another one, a wrong A is a wrong
	 * question. */
	if (m->wrong[0] && c->other_reference)
		return asc_err_set(e, ASC_INPUT,
				   "A and B compute different things: the text of %s differs, and "
				   "by the reference of B %s",
				   c->other_reference, m->reason);
	return *m->reason && !m->failed && !*c->stop
		       ? asc_err_set(e, ASC_INPUT, "they cannot be compared: %s", m->reason)
		       : ASC_OK;
}

/* ---- the answer ---- */

static const struct {
	const char *name;
	enum exit_status status;
} answers[] = {
	[CONFIRMATION_SAME] = {"as fast", EXIT_DONE},
	[CONFIRMATION_FASTER] = {"faster", EXIT_DONE},
	[CONFIRMATION_SLOWER] = {"slower", EXIT_NEGATIVE},
	[CONFIRMATION_BROKEN] = {"failed", EXIT_NEGATIVE},
	[CONFIRMATION_UNDECIDED] = {"undecided", EXIT_UNDECIDED},
};

static void add_side(const struct compare *c, size_t i, struct buf *out)
{
	const struct compare_side *s = &c->sides[i];
	const struct confirmation *m = &c->measured;
	char time[UNITS_TEXT_SIZE];

	buf_print(out, "  %s  ", compare_names[i]);
	compare_side_name(s, out);
	buf_print(out, "%s, %s %s\n", s->file, s->implementation, s->config);
	if (s->gone && s->why.status)
		buf_print(out,
			  "     built from today's sources: the recorded artifact is gone from the "
			  "cache and cannot be rebuilt: %s\n",
			  s->why.text);
	else if (s->gone)
		buf_print(out,
			  "     built again from commit %.12s: its recorded artifact is gone from "
			  "the cache\n",
			  s->commit.id);
	for (size_t k = 0; k < m->n; k++)
		buf_print(out, "%s%s%s", k ? ", " : "     ",
			  units_print_duration(m->sessions[k].time[i].median, time),
			  k + 1 == m->n ? "\n" : "");
}

static void add_change(enum confirmation_verdict a, const struct confirmation_ratio *r,
		       struct buf *out)
{
	buf_print(out, "B is %s: ", answers[a].name);
	track_write_change(&(struct track_change){100 * (r->ratio - 1), 100 * (r->low - 1),
						  100 * (r->high - 1), true},
			   out);
}

static void add_undecided(const struct confirmation_ratio *r, struct buf *out)
{
	buf_add_str(out, "undecided: B is between ");
	confirmation_print_range(r, out);
}

static enum asc_status print_text(const struct compare *c, enum confirmation_verdict a,
				  const struct confirmation_ratio *r, struct asc_err *e)
{
	const struct confirmation *m = &c->measured;
	const char *reference = c->other_reference;
	struct buf lines = {0};

	buf_print(&lines, "%s/%s on %s: %s, %s caches\n", c->sides[1].workload->name,
		  c->sides[1].problem->name, c->on.target.ops->name, c->on.target.info.model,
		  cache_policy_name(c->cache));
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		add_side(c, i, &lines);
	if (reference)
		buf_print(&lines,
			  "  the text of %s differs: both are verified by the reference of "
			  "B\n",
			  reference);
	if (m->n == 0 || m->failed) {
		buf_print(&lines, "%s\n", m->reason);
		return show_text_print(&lines, e);
	}
	if (a == CONFIRMATION_UNDECIDED)
		add_undecided(r, &lines);
	else
		add_change(a, r, &lines);
	buf_print(&lines, " beside A, in the same rounds of %zu processes%s%s\n", m->n,
		  m->same_code ? "; both are the same code" : "",
		  m->unsteady ? "; the machine was busy" : "");
	return show_text_print(&lines, e);
}

static void write_side(const struct compare *c, size_t i, struct json_writer *w)
{
	const struct compare_side *s = &c->sides[i];
	const struct confirmation *m = &c->measured;

	json_write_begin(w, NULL, '{');
	json_write_string(w, "file", s->file);
	if (*s->commit.id)
		json_write_string(w, "commit", s->commit.id);
	if (s->kind == COMPARE_RUN)
		json_write_int(w, "run_id", s->run_id);
	if (s->row)
		json_write_int(w, "trial_id", s->claim.row.trial_id);
	json_write_string(w, "implementation", s->implementation);
	json_write_string(w, "config_key", s->config);
	json_write_bool(w, "recorded_artifact", m->stored[i]);
	json_write_string(w, "digest", m->digest[i]);
	again_write_medians(m, (enum confirmation_side)i, "median_ns", w);
	json_write_end(w, '}');
}

static enum asc_status print_json(const struct compare *c, enum confirmation_verdict a,
				  const struct confirmation_ratio *r, struct asc_err *e)
{
	const struct confirmation *m = &c->measured;
	struct buf out = {0};
	struct json_writer w = {.out = &out};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "compare");
	json_write_string(&w, "workload", c->sides[1].workload->name);
	json_write_string(&w, "problem", c->sides[1].problem->name);
	json_write_string(&w, "device", c->on.target.ops->name);
	json_write_string(&w, "model", c->on.target.info.model);
	json_write_string(&w, "cache", cache_policy_name(c->cache));
	json_write_begin(&w, "sides", '[');
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		write_side(c, i, &w);
	json_write_end(&w, ']');
	json_write_string(&w, "verdict", answers[a].name);
	if (m->n > 0 && !m->failed) {
		json_write_real(&w, "ratio", r->ratio);
		json_write_real(&w, "low", r->low);
		json_write_real(&w, "high", r->high);
	}
	json_write_bool(&w, "same", m->same_code);
	if (c->other_reference)
		json_write_string(&w, "reference_differs", c->other_reference);
	json_write_bool(&w, "unsteady", m->unsteady);
	if (*m->reason)
		json_write_string(&w, "reason", m->reason);
	json_write_end(&w, '}');
	return command_print_line(&out, e);
}

/* Opens the sides as they were named, then the device, which decides what a side that names no
 * problem or implementation means; measures both, and answers. */
static enum asc_status compare(struct compare *c, enum confirmation_verdict *a, struct asc_err *e)
{
	struct confirmation_ratio r = {0};

	for (size_t i = 0; i < COMPARE_SIDES; i++)
		c->sides[i].text = c->o->sides[i];
	if (compare_side_open(c->sides, &c->o->choice, e) || open_session(c, e) ||
	    compare_side_settle(c->sides, &c->o->choice, &c->on, e) || measure(c, e))
		return e->status;
	if (*c->stop) /* part of the rounds is no answer */
		return ASC_OK;
	if (c->measured.n > 0)
		r = confirmation_find_ratio(&c->measured);
	/* The interval has to be beyond the margin, within which two are as fast as each other. */
	*a = confirmation_judge(&c->measured, &r, TIE_MARGIN, INFINITY);
	return (c->o->json ? print_json : print_text)(c, *a, &r, e);
}

static void compare_fini(struct compare *c)
{
	run_session_close(&c->on);
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		compare_side_close(&c->sides[i]);
}

static int compare_main(int argc, char **argv)
{
	struct compare_options o = {0};
	struct compare c = {.o = &o};
	enum confirmation_verdict a = CONFIRMATION_UNDECIDED;
	struct asc_err e;

	command_parse(&compare_argp, argc, argv, &o);
	c.stop = command_watch_signals();
	const enum asc_status status = compare(&c, &a, &e);

	compare_fini(&c);
	if (status)
		return command_fail(&e);
	return *c.stop ? EXIT_INTERRUPTED : (int)answers[a].status;
}

const struct command compare_command = {"compare", "measures two kernels in the same rounds",
					&compare_argp, compare_main};
