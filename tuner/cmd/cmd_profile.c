/* asctune profile: why one configuration takes its time. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/profile_json.h"
#include "reports/results/profile_view.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/profile/chosen_config.h"
#include "tuner/cmd/profile/profile_options.h"
#include "tuner/cmd/profile/profile_plan.h"
#include "tuner/cmd/profile/profile_text.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

extern const struct command profile_command;

enum {
	KEY_CONFIG = 256,
	KEY_AGAINST,
	KEY_SET,
	KEY_PROBE,
	KEY_METRICS,
	KEY_PLAN,
	KEY_CHIP,
	KEY_CACHE,
	KEY_NO_REWRITE,
	KEY_UNTRUSTED,
	KEY_TRUST,
	KEY_PYTHON,
	SIDES = 2 /* the configuration, and what it is held against */
};

struct profile_command_options {
	struct run_options run; /* what a run has too */
	const char *against;    /* NAME=VALUE,..., "default" or a trial's number; NULL: nothing */
	bool plan;              /* --plan: says what would be counted */
	const char *chips;      /* of --chip, or NULL */
	const char *measuring;  /* an option that was given and says what is measured, or NULL */
};

struct command_profile {
	const struct profile_command_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct profile_wanted wanted;
	struct workload *workload;
	const struct problem *problem;
	struct db *db;
	struct chosen_config sides[SIDES]; /* what is profiled, and what is known of it before */
	size_t n_sides;
	struct loop_summary sum;
};

/* ---- which configurations ---- */

static enum asc_status open_db(struct command_profile *s, struct asc_err *e)
{
	return s->db ? ASC_OK : db_open(command_db_path(s->options->run.db), DB_WRITE, &s->db, e);
}

static enum asc_status find_sides(struct command_profile *s, struct asc_err *e)
{
	const struct profile_command_options *o = s->options;
	const struct config_question q = {.db = command_db_path(o->run.db),
					  .target = &s->on.target,
					  .workload = s->workload,
					  .problem = s->problem,
					  .implementation = o->run.implementation,
					  .cache = cache_policy_name(s->on.session.policy.cache)};
	struct chosen_config *first = &s->sides[s->n_sides++];

	if (o->run.config ? chosen_config_parse(&q, o->run.config, o->run.implementation, first, e)
			  : chosen_config_find_best(&q, first, e))
		return e->status;
	return o->against ? chosen_config_parse(&q, o->against, first->implementation,
						&s->sides[s->n_sides++], e)
			  : ASC_OK;
}

/* ---- the profile ---- */

static enum asc_status make(struct command_profile *s, struct asc_err *e)
{
	const struct run_options *o = &s->options->run;
	struct loop_given given[SIDES];
	struct loop *l;

	for (size_t i = 0; i < s->n_sides; i++)
		given[i] = (struct loop_given){s->sides[i].implementation, s->sides[i].config};
	const struct loop_options lo = {.workload = s->workload,
					.problem = s->problem,
					.implementation =
						s->options->against ? NULL : o->implementation,
					.session = &s->on.session,
					.seed = o->seed,
					.version = ASCTUNE_VERSION,
					.profiled = given,
					.n_profiled = s->n_sides,
					.rewrites_off = o->rewrites_off,
					.peaks = true,
					.profile = s->wanted,
					.stop = s->stop};
	enum asc_status status = loop_open(&lo, &s->sum, &l, e);

	/* Behind it: what is refused leaves no database. */
	if (status == ASC_OK)
		status = open_db(s, e);
	if (status == ASC_OK)
		status = loop_go(l, s->db, e);
	loop_close(l);
	return status ? asc_err_wrap(e, "%s/%s", s->workload->name, s->problem->name) : ASC_OK;
}

/* ---- saying it ---- */

static struct profile_heading head(const struct command_profile *s, size_t i, const char *next)
{
	const struct loop_profile *p = &s->sum.profiles[i];
	/* That which the figures are of: on a busy machine not the median of all samples. */
	const double ns = profile_value(&p->profile, "time_ns");
	const struct stats_interval *in = &p->time.interval;
	const bool known = in->known && in->low <= ns && ns <= in->high;

	return (struct profile_heading){.workload = s->workload->name,
					.problem = s->problem->name,
					.implementation = p->implementation,
					.config = buf_str(&p->config),
					.device = s->on.target.info.model,
					.time_ns = ns,
					.low_ns = known ? in->low : NAN,
					.high_ns = known ? in->high : NAN,
					.vs_default = i == 0 ? s->sides[0].vs_default : 0,
					.next = next};
}

static enum asc_status say(const struct command_profile *s, struct asc_err *e)
{
	const struct profile_command_options *o = s->options;
	const struct loop_summary *sum = &s->sum;
	struct buf next = {0}, line = {0};
	enum asc_status status = ASC_OK;
	struct prose p;

	shell_add_program(&next);
	shell_add_argument(&next, "code");
	shell_add_argument(&next, o->run.file);
	shell_add_option(&next, "-p", s->problem->name);
	shell_add_option(&next, "--device", o->run.device);
	shell_add_option(&next, "--db", o->run.db);
	/* The same configuration: by its name where it was named, else the best on record. */
	if (o->run.config) {
		shell_add_option(&next, "--impl", sum->profiles[0].implementation);
		shell_add_option(&next, "--config", buf_str(&sum->profiles[0].config));
	}
	if (o->against || s->sides[0].config)
		shell_add_option(&next, "--against", o->against ? o->against : "default");
	/* A library's function has no code to show. */
	const bool has_code = sum->n_profiles > 0 &&
			      !isnan(profile_value(&sum->profiles[0].profile, "code_instructions"));
	const struct profile_heading h = head(s, 0, has_code ? buf_str(&next) : NULL);

	if (o->run.json) {
		for (size_t i = 0; !status && i < sum->n_profiles; i++) {
			const struct profile_heading own = head(s, i, i == 0 ? h.next : NULL);
			struct json_writer w = {.out = &line};

			if (sum->profiles[i].found)
				status = profile_json_write(&w, NULL, &own,
							    &sum->profiles[i].profile, e);
			if (!status && sum->profiles[i].found)
				status = command_print_line(&line, e);
		}
	} else if (sum->n_profiles > 0 && sum->profiles[0].found) {
		prose_open(&p, stdout);
		if (sum->n_profiles > 1 && sum->profiles[1].found) {
			const struct profile_heading other = head(s, 1, NULL);

			profile_text_print_beside(&p, &h, &sum->profiles[0].profile, &other,
						  &sum->profiles[1].profile);
		} else {
			profile_text_print(&p, &h, &sum->profiles[0].profile);
		}
		prose_close(&p);
	}
	buf_fini(&line);
	buf_fini(&next);
	return status;
}

/* True where every kernel passed: a profile of one that fails says why, and is no answer. */
static bool is_whole(const struct loop_summary *sum)
{
	for (size_t i = 0; i < sum->n_profiles; i++)
		if (!sum->profiles[i].found || sum->profiles[i].status != RESULT_OK)
			return false;
	return sum->n_profiles > 0;
}

/* ---- all together ---- */

static enum asc_status profile(struct command_profile *s, struct profile_command_options *o,
			       struct asc_err *e)
{
	struct run_options *run = &o->run;

	if (run_session_open(run, &s->on, e) ||
	    profile_options_open(&run->profile, s->on.target.ops->name, &s->wanted, e) ||
	    workload_file_open(run->file, run->untrusted, s->on.target.info.simulated, &s->workload,
			       e) ||
	    (run->trust && trusted_check(s->workload, e)) ||
	    target_check(&s->on.target, s->workload, &run->problems, run->implementation, e) ||
	    chosen_problem_find(&s->on.target, s->workload, &run->problems, "a profile",
				&s->problem, e))
		return e->status;
	run_session_take_caches(&s->on, run, s->workload);
	if (s->on.target.info.simulated)
		return asc_err_set(e, ASC_ABSENT,
				   "times of %s are those of a model: there is nothing to profile",
				   s->on.target.info.model);
	return find_sides(s, e) || make(s, e) ? e->status : say(s, e);
}

static const struct argp_option options[] = {
	{"device", 'D', "DEVICE", 0, TARGET_DEVICE_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"impl", 'i', "NAME", 0, "the implementation (default: that of the best on record)", 0},
	{"config", KEY_CONFIG, "K=V,...|default", 0,
	 "the configuration, with all of its parameters (default: the best on record)", 0},
	{"against", KEY_AGAINST, "K=V,...|default|TRIAL", 0,
	 "profiles this one too, and says what differs", 0},
	{"set", KEY_SET, "SET", 0, PROFILE_SET_HELP, 0},
	{"probe", KEY_PROBE, "PROBE,...", 0,
	 "probes that count (default: those that count metrics of the set)", 0},
	{"metrics", KEY_METRICS, "FILE", COMMAND_REPEATABLE, PROFILE_METRICS_HELP, 0},
	{"plan", KEY_PLAN, NULL, 0,
	 "says which counters would be read in how many passes, also for a GPU that is not here "
	 "(--device sm_90, --chip), and measures nothing",
	 0},
	{"chip", KEY_CHIP, "CHIP,...", 0,
	 "chips of --plan: GH100, AD102 (default: that of this GPU, else one of each "
	 "generation)",
	 0},
	{"cache", KEY_CACHE, "cold|hot", 0,
	 "caches at each timed launch, as for run (default: what the workload says, else cold)", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"no-rewrite", KEY_NO_REWRITE, "REWRITE", COMMAND_REPEATABLE, COMMAND_NO_REWRITE_HELP, 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"json", 'j', NULL, 0, "prints a JSON object of at most 2 kB for each configuration", 0},
	{0}};

/* Notes an option that says what is measured: with --plan nothing is. */
static void note_measuring(struct profile_command_options *p, int key)
{
	static const int of_plan[] = {'D',         'j',      KEY_SET, KEY_PROBE,
				      KEY_METRICS, KEY_PLAN, KEY_CHIP};

	for (size_t i = 0; i < sizeof of_plan / sizeof *of_plan; i++)
		if (of_plan[i] == key)
			return;
	for (const struct argp_option *x = options; x->name; x++)
		if (x->key == key)
			p->measuring = x->name;
}

static error_t parse_profile(int key, char *arg, struct argp_state *state)
{
	struct profile_command_options *p = state->input;
	struct run_options *o = &p->run;

	note_measuring(p, key);
	switch (key) {
	case 'D': o->device = arg; return 0;
	case 'p': problem_choice_add(&o->problems, state, arg); return 0;
	case 'i': o->implementation = arg; return 0;
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case KEY_CONFIG: o->config = arg; return 0;
	case KEY_AGAINST: p->against = arg; return 0;
	case KEY_SET: o->profile.set = arg; return 0;
	case KEY_PROBE: profile_options_add_probes(&o->profile, state, arg, NULL); return 0;
	case KEY_METRICS: profile_options_add_file(&o->profile, state, arg); return 0;
	case KEY_PLAN: p->plan = true; return 0;
	case KEY_CHIP: p->chips = arg; return 0;
	case KEY_CACHE:
		if (!cache_policy_parse(arg, &o->policy.cache))
			command_refuse(state, "--cache: \"%s\" is neither cold nor hot", arg);
		o->cache_given = true;
		return 0;
	case KEY_NO_REWRITE: command_parse_no_rewrite(state, arg, &o->rewrites_off); return 0;
	case KEY_PYTHON: command_parse_python(state, arg); return 0;
	case KEY_UNTRUSTED: o->untrusted = true; return 0;
	case KEY_TRUST: o->trust = true; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one FILE at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->file && !p->plan)
			command_refuse(state, "a workload FILE is needed");
		if (p->plan && o->file)
			command_refuse(state,
				       "--plan is of any kernel: \"%s\" is of no use with it",
				       o->file);
		if (p->plan && p->measuring)
			command_refuse(state, "--plan measures nothing: --%s is of no use with it",
				       p->measuring);
		if (p->chips && !p->plan)
			command_refuse(state, "--chip belongs to --plan");
		if (o->trust && o->untrusted)
			command_refuse(state, COMMAND_TRUST_FAULT);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp profile_argp = {
	options,
	parse_profile,
	"FILE\n--plan",
	"Says why a configuration takes its time: builds and verifies it, times it with cold and "
	"hot caches and with half the occupancy, counts what the hardware tells, and names what "
	"limits it.\v"
	"Where counters cannot be read, the rest is said, with the reason. The figures are those "
	"of one launch. Exit status 1: the kernel fails.",
	0,
	0,
	0};

static int profile_main(int argc, char **argv)
{
	struct profile_command_options o = {
		.run = {.seed = 1, .policy = policy_default, .profile.wanted = true}};
	struct command_profile s = {.options = &o};
	enum asc_status status;
	struct asc_err e;

	command_parse(&profile_argp, argc, argv, &o);
	s.stop = command_watch_signals();
	db_wait_until(s.stop);
	loop_summary_init(&s.sum);
	status = o.plan ? profile_plan_print(&o.run.profile, o.run.device, o.chips, o.run.json, &e)
			: profile(&s, &o, &e);
	const bool whole = o.plan || is_whole(&s.sum);

	loop_summary_fini(&s.sum);
	for (size_t i = 0; i < SIDES; i++)
		chosen_config_fini(&s.sides[i]);
	db_close(s.db);
	workload_close(s.workload);
	run_session_close(&s.on);
	run_options_fini(&o.run);
	if (status)
		return command_fail(&e);
	if (*s.stop)
		prose_say(stderr, 2, "stopped: there is no profile");
	if (*s.stop)
		return EXIT_INTERRUPTED;
	return whole ? EXIT_DONE : EXIT_NEGATIVE;
}

const struct command profile_command = {"profile", "says why a configuration takes its time",
					&profile_argp, profile_main};
