/* asctune gate: compares the kernels of a checkout with those of its base. */
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/gate/gate_text.h"

extern const struct command gate_command;

enum { KEY_BASE = 256, KEY_THRESHOLD, KEY_ALL, KEY_STRICT, KEY_TRUST, KEY_PYTHON, KEY_PYTHON_NPU };

#define MINUTES_NS(n) ((n)*INT64_C(60000000000))

struct gate_options {
	struct run_options run;
	const char *base;
	const char **paths; /* heap */
	size_t n;
	double threshold;
	bool all, strict;
};

static error_t parse_gate(int key, char *arg, struct argp_state *state)
{
	struct gate_options *o = state->input;
	struct run_options *r = &o->run;

	switch (key) {
	case 'd': r->db = arg; break;
	case 'D': r->device = arg; break;
	case 'p': problem_choice_add(&r->problems, state, arg); break;
	case 'i': r->implementation = arg; break;
	case 'j': r->json = true; break;
	case 'b':
		if (!units_parse_duration(arg, &r->budget.ns))
			command_refuse(state, "--budget: \"%s\" is no time such as 5m", arg);
		break;
	case KEY_BASE: o->base = arg; break;
	case KEY_THRESHOLD: o->threshold = command_parse_part(state, "threshold", arg); break;
	case KEY_ALL: o->all = true; break;
	case KEY_STRICT: o->strict = true; break;
	case KEY_TRUST: r->trust = true; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); break;
	case ARGP_KEY_ARG: o->paths[o->n++] = arg; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option gate_options[] = {
	{"base", KEY_BASE, "COMMIT", 0,
	 "what the checkout is compared with (default: where HEAD left the target branch of a CI "
	 "of GitHub or GitLab, else its upstream branch; else HEAD)",
	 0},
	{"budget", 'b', "TIME", 0, "time for measuring (default 5m)", 0},
	{"threshold", KEY_THRESHOLD, "PCT%", 0, "exit status 1 for kernels slower by more (1%)", 0},
	{"all", KEY_ALL, NULL, 0, "measures what is unchanged, too", 0},
	{"device", 'D', "DEVICE", 0, TARGET_DEVICE_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"impl", 'i', "NAME", 0, "only this implementation", 0},
	{"strict", KEY_STRICT, NULL, 0, "undecided kernels end with status 4", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints JSON lines: every kernel, the totals", 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{0}};

static const struct argp gate_argp = {
	gate_options,
	parse_gate,
	"[FILE|FOLDER...]",
	"Compares the kernels of a checkout with those of its base, as git has it: which ones "
	"changed, and are they slower? For each problem the best on record of each implementation, "
	"else the default.\v"
	"Exit status 1: a kernel is slower beyond the threshold, or broken; 4: one may be, with "
	"--strict.",
	0,
	0,
	0};

static enum asc_status run_gate(const struct gate_options *o, struct gate *g,
				struct run_session *on, struct base_checkout *checkout,
				struct asc_err *e)
{
	static const char *const here[] = {"."};
	const char *const *paths = o->n ? o->paths : here;
	const size_t n = o->n ? o->n : 1;

	if (run_session_open(&o->run, on, e) || base_checkout_open(paths, n, o->base, checkout, e))
		return e->status;
	if (!o->run.json)
		gate_print_base(g);
	if (gate_list_make(g, paths, n, e) || gate_builds_make(g, e))
		return e->status;
	return gate_measure(g, e);
}

static int gate_main(int argc, char **argv)
{
	struct gate_options o = {
		.run = {.seed = 1, .policy = policy_default, .budget = {.ns = MINUTES_NS(5)}},
		.threshold = 0.01,
		.paths = calloc((size_t)argc + 1, sizeof *o.paths)};
	const int64_t began = clock_now_ns();
	struct run_session on = {0};
	struct base_checkout checkout = {0};
	struct gate g = {.options = &o.run, .on = &on, .checkout = &checkout};
	enum exit_status exit_status = EXIT_DONE;
	struct asc_err e;

	command_parse(&gate_argp, argc, argv, &o);
	o.run.file = o.n ? o.paths[0] : ".";
	o.run.problems.of_folder = true;
	g.stop = command_watch_signals();
	g.all = o.all;
	g.threshold = o.threshold;
	g.budget_ns = o.run.budget.ns;
	enum asc_status status = run_gate(&o, &g, &on, &checkout, &e);

	gate_sort(&g);
	if (status == ASC_OK && !*g.stop) {
		if (o.run.json)
			status = gate_print_json(&g, clock_now_ns() - began, &e);
		else
			gate_print(&g, clock_now_ns() - began);
		exit_status = gate_exit_status(&g, o.strict);
	}
	const bool stopped = *g.stop != 0;

	run_session_close(&on);
	gate_fini(&g);
	base_checkout_close(&checkout);
	free(o.paths);
	if (status)
		return command_fail(&e);
	return stopped ? EXIT_INTERRUPTED : (int)exit_status;
}

const struct command gate_command = {"gate", "compares the kernels of a checkout with its base",
				     &gate_argp, gate_main};
