/* asctune build: compiles configurations for a device that need not be here. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/build/build_files.h"
#include "tuner/cmd/build/build_report.h"
#include "tuner/cmd/build/built_kernel.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/tune/search/strategy.h"

extern const struct command build_command;

enum {
	KEY_SEED = 256,
	KEY_CONFIG,
	KEY_NO_REWRITE,
	KEY_UNTRUSTED,
	KEY_TRUST,
	KEY_PYTHON,
	KEY_PYTHON_NPU,

	/* Drawn at random, so many have one of what a twentieth of the space has in 96 of 100
	 * cases (1 - 0.95^64), and compile within a minute on a few cores. */
	DEFAULT_BUDGET = 64
};

struct build_options {
	struct run_options run; /* what a run has too */
	const char *folder;     /* of -o, or NULL */
};

struct command_build {
	const struct build_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct builds builds;
	struct build_report report;
	struct buf noted;    /* as in struct loop_options */
	size_t built;        /* problems of which something was built, or was tried to */
	size_t uncovered;    /* problems of which nothing can be */
	bool unwanted;       /* the workload has nothing for this device or these options */
	int failed, skipped; /* exit status of the first of a folder that has failed, or was
				unwanted; 0: none */
};

/* ---- one problem ---- */

static void begin(void *user, const struct binding *b, uint64_t planned)
{
	build_report_begin(&((struct command_build *)user)->report, b, planned);
}

static enum asc_status take(void *user, const struct build_event *event, struct asc_err *e)
{
	struct command_build *s = user;
	const char *folder = s->options->folder;
	struct built_kernel kernels[WORKLOAD_MAX_CALLS] = {0};

	for (size_t i = 0; i < event->n_kernels && build_event_is_built(event); i++)
		built_kernel_read(&event->kernels[i], &kernels[i]);
	if (folder && build_files_write(folder, &s->on.session.target, event, kernels, e))
		return e->status;
	return build_report_add(&s->report, event, kernels, e);
}

static void draw(void *user)
{
	struct command_build *s = user;

	if (!*s->stop)
		build_report_draw(&s->report);
}

static enum asc_status build_problem(struct command_build *s, const struct workload *w,
				     const struct problem *p, struct asc_err *e)
{
	const struct run_options *o = &s->options->run;
	const struct builds_watch watch = {begin, take, draw, NULL, s};
	const struct loop_options lo = {.workload = w,
					.problem = p,
					.implementation = o->implementation,
					.session = &s->on.session,
					.strategy = o->budget.trials ? &strategy_random
								     : &strategy_exhaustive,
					.config = o->config,
					.budget = o->budget,
					.seed = o->seed,
					.rewrites_off = o->rewrites_off,
					.noted = &s->noted,
					.stop = s->stop};

	const enum asc_status status = builds_make(&s->builds, &lo, 1, &watch, e);

	s->built += status == ASC_OK;
	if (status == ASC_OK)
		return ASC_OK;
	(void)asc_err_wrap(e, "%s/%s", w->name, p->name);
	if (status != ASC_ABSENT)
		return status;
	/* It is said, and the next problem is built. */
	s->uncovered++;
	screen_clear(&s->report.screen);
	(void)command_fail(e);
	return ASC_OK;
}

/* ---- workloads ---- */

static enum asc_status build_workload(struct command_build *s, const char *path, struct asc_err *e)
{
	const struct run_options *o = &s->options->run;
	struct workload *w = NULL;
	enum asc_status status =
		workload_file_open(path, o->untrusted, s->on.target.info.simulated, &w, e);

	if (status == ASC_OK && o->trust)
		status = trusted_check(w, e);
	s->unwanted = status == ASC_OK &&
		      target_check(&s->on.target, w, &o->problems, o->implementation, e);
	if (s->unwanted)
		status = e->status;
	if (status == ASC_OK)
		status = target_use_verdicts(&s->on.target, w, e);
	for (size_t i = 0; status == ASC_OK && !*s->stop && i < w->n_problems; i++)
		if (target_wants(&s->on.target, &w->problems[i], &o->problems))
			status = build_problem(s, w, &w->problems[i], e);
	workload_close(w);
	return status;
}

/* One workload of a folder that cannot be built does not keep the others from it. */
static enum asc_status build_one_of(struct command_build *s, const char *path, struct asc_err *e)
{
	const enum asc_status status = build_workload(s, path, e);

	if (status == ASC_OK || asc_status_is_machine(status))
		return status;
	int *first = s->unwanted ? &s->skipped : &s->failed;

	screen_clear(&s->report.screen);
	const int failed = command_fail(e);

	if (!*first)
		*first = failed;
	return ASC_OK;
}

/* Prints the first line: the device, and who plans for it. For an NPU nothing can be built without
 * a planner; a stand-in has twins. */
static enum asc_status say_start(struct command_build *s, struct asc_err *e)
{
	struct evaluator_target *t = &s->on.session.target;

	if (strcmp(t->device->name, "npu") == 0 &&
	    planner_find(s->builds.pool, t->info->arch, t->program, s->stop, &t->planner, e) &&
	    (e->status != ASC_ABSENT || !t->info->simulated))
		return asc_err_wrap(e, "nothing can be built for %s", t->info->model);
	if (!s->options->run.json)
		prose_say(stderr, 2, "%s%s%s", s->on.target.why, t->planner ? "; planner: " : "",
			  t->planner ? t->planner : "");
	return ASC_OK;
}

static enum asc_status build_files(struct command_build *s, struct run_options *o,
				   struct asc_err *e)
{
	struct workload_files files;
	enum asc_status status = workload_files_find(o->file, &files, e);

	if (status)
		return status;
	o->problems.of_folder = files.n > 1;
	status = run_session_open(o, &s->on, e);
	if (status == ASC_OK && s->options->folder)
		status = dir_make_public(s->options->folder, e);
	if (status == ASC_OK)
		status = builds_open(&s->builds, &s->on.session.target, e);
	if (status == ASC_OK) {
		build_report_init(&s->report, &s->on.session.target, o->json);
		status = say_start(s, e);
	}
	for (size_t i = 0; status == ASC_OK && !*s->stop && i < files.n; i++)
		status = files.n == 1 ? build_workload(s, files.paths[i], e)
				      : build_one_of(s, files.paths[i], e);
	/* What was built before a failure is said, too. */
	if (s->built > 0) {
		struct asc_err last;
		const enum asc_status said = build_report_end(&s->report, s->uncovered,
							      *s->stop != 0, status ? &last : e);

		status = status ? status : said;
	}
	workload_files_fini(&files);
	return status;
}

/* ---- options ---- */

static const struct argp_option options[] = {
	{"device", 'D', "DEVICE", 0, TARGET_PLAN_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"impl", 'i', "NAME", 0, "only this implementation (default: all that have a kernel)", 0},
	{"config", KEY_CONFIG, "K=V,...", 0,
	 "this one configuration; parameters that are not given have their default", 0},
	{"budget", 'b', "N|all", 0,
	 "configurations of each implementation and problem: the default, and others drawn from "
	 "the space (default 64: enough to meet, in 96 of 100 cases, what one configuration in 20 "
	 "has); or all",
	 0},
	{"seed", KEY_SEED, "N", 0, "seed of the draw (default 1)", 0},
	{"jobs", 'J', "N", 0, "number of compilers at once (default: one for each hardware thread)",
	 0},
	{"output", 'o', "DIR", 0,
	 "writes the artifacts, and for each configuration what a launch of it needs", 0},
	{"no-rewrite", KEY_NO_REWRITE, "REWRITE", COMMAND_REPEATABLE, COMMAND_NO_REWRITE_HELP, 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"json", 'j', NULL, 0, "prints JSON lines: every build, the totals", 0},
	{0}};

static error_t parse_argument(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_NO_ARGS:
		command_refuse(state, "a workload FILE or FOLDER is needed");
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one FILE or FOLDER at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->trust && o->untrusted)
			command_refuse(state, COMMAND_TRUST_FAULT);
		if (o->config && o->budget_given)
			command_refuse(state, "--config is for one configuration: --budget does "
					      "not go with it");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_build(int key, char *arg, struct argp_state *state)
{
	struct build_options *b = state->input;
	struct run_options *o = &b->run;
	uint64_t n;

	switch (key) {
	case 'D': o->device = arg; return 0;
	case 'p': problem_choice_add(&o->problems, state, arg); return 0;
	case 'i': o->implementation = arg; return 0;
	case 'o': b->folder = arg; return 0;
	case 'j': o->json = true; return 0;
	case 'b':
		o->budget_given = true;
		if (strcmp(arg, "all") == 0)
			o->budget.trials = 0;
		else
			command_parse_count(state, "budget", arg, 1, &o->budget.trials);
		return 0;
	case 'J':
		command_parse_count(state, "jobs", arg, 1, &n);
		o->jobs = n < 1024 ? n : 1024;
		return 0;
	case KEY_SEED: command_parse_count(state, "seed", arg, 0, &o->seed); return 0;
	case KEY_CONFIG: o->config = arg; return 0;
	case KEY_UNTRUSTED: o->untrusted = true; return 0;
	case KEY_TRUST: o->trust = true; return 0;
	case KEY_PYTHON: command_parse_python(state, arg); return 0;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); return 0;
	case KEY_NO_REWRITE: command_parse_no_rewrite(state, arg, &o->rewrites_off); return 0;
	default: return parse_argument(o, key, arg, state);
	}
}

static const struct argp build_argp = {
	options,
	parse_build,
	"FILE|FOLDER",
	"Compiles kernels for a device that need not be here: configurations of each "
	"implementation and problem, with the reference and whatever else a run needs. A later "
	"run on such a device finds all of it in the cache. Nothing is launched.\v"
	"Exit status 1: a default does not build, or a reference; 3: there is nothing to build "
	"with. SIGINT ends it cleanly: what was built is in the cache.",
	0,
	0,
	0};

static int build_main(int argc, char **argv)
{
	struct build_options o = {.run = {.budget = {.trials = DEFAULT_BUDGET},
					  .seed = 1,
					  .policy = policy_default,
					  .build_only = true}};
	struct command_build s = {.options = &o};
	struct asc_err e;

	command_parse(&build_argp, argc, argv, &o);
	s.stop = command_watch_signals();
	const enum asc_status status = build_files(&s, &o.run, &e);
	const uint64_t failed = s.report.failed_firsts;

	build_report_fini(&s.report);
	builds_close(&s.builds);
	run_session_close(&s.on);
	buf_fini(&s.noted);
	if (status)
		return command_fail(&e);
	if (*s.stop)
		return EXIT_INTERRUPTED;
	if (s.failed)
		return s.failed;
	if (s.built == 0)
		return s.uncovered ? EXIT_NOTHING : s.skipped;
	return failed ? EXIT_NEGATIVE : EXIT_DONE;
}

const struct command build_command = {
	"build", "compiles kernels, also for a device that is not here", &build_argp, build_main};
