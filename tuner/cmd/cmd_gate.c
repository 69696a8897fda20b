/* asctune gate: compares the kernels of a checkout with those of its base. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/gate/gate_text.h"
#include "tuner/cmd/gate/gate_watch.h"
#include "tuner/cmd/machine/machine_state.h"

extern const struct command gate_command;

enum {
	KEY_BASE = 256,
	KEY_THRESHOLD,
	KEY_ALL,
	KEY_WEIGHTS,
	KEY_RETUNE,
	KEY_STRICT,
	KEY_WATCH,
	KEY_UNTRUSTED,
	KEY_TRUST,
	KEY_PYTHON,
	KEY_PYTHON_NPU
};

#define MINUTES_NS(n) ((n)*INT64_C(60000000000))

struct gate_options {
	struct run_options run;
	const char *base, *weights;
	const char **paths; /* heap */
	size_t n;
	double threshold;
	bool all, retune, strict, watch;
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
	case KEY_WEIGHTS: o->weights = arg; break;
	case KEY_RETUNE: o->retune = true; break;
	case KEY_STRICT: o->strict = true; break;
	case KEY_WATCH: o->watch = true; break;
	case KEY_UNTRUSTED: r->untrusted = true; break;
	case KEY_TRUST: r->trust = true; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); break;
	case ARGP_KEY_ARG: o->paths[o->n++] = arg; break;
	case ARGP_KEY_END:
		if (r->trust && r->untrusted)
			command_refuse(state, COMMAND_TRUST_FAULT);
		break;
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
	{"weights", KEY_WEIGHTS, "FILE", 0,
	 "times of kernels, JSON or CSV: the longest are measured first (default: the times on "
	 "record)",
	 0},
	{"retune", KEY_RETUNE, NULL, 0,
	 "searches for better configurations of kernels that changed", 0},
	{"device", 'D', "DEVICE", 0, TARGET_DEVICE_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"impl", 'i', "NAME", 0, "only this implementation", 0},
	{"strict", KEY_STRICT, NULL, 0, "undecided kernels end with status 4", 0},
	{"watch", KEY_WATCH, NULL, 0,
	 "compares again whenever a file is saved that a kernel reaches, until Ctrl-C", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints JSON lines: every kernel, the totals", 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{0}};

static const struct argp gate_argp = {
	gate_options,
	parse_gate,
	"[FILE|FOLDER...]",
	"Compares the kernels of a checkout with those of its base, as git has it: which ones "
	"changed, and are they slower? For each problem the best on record of each implementation, "
	"else the default.\v"
	"A line `Slower-kernels: NAME REASON` in the message of the newest commit accepts a slower "
	"kernel; so does a line `NAME REASON` in .asctune-accept, a file of the tree, that is not "
	"in the base. Exit status 1: a kernel is slower beyond the threshold and not accepted, or "
	"broken; 4: one may be, with --strict.",
	0,
	0,
	0};

/* One gate, with all that it holds open. */
struct gate_round {
	struct run_session on;
	struct base_checkout checkout;
	struct gate gate;
};

static void round_free(struct gate_round *r)
{
	if (!r)
		return;
	run_session_close(&r->on);
	gate_fini(&r->gate);
	base_checkout_close(&r->checkout);
	free(r);
}

/* True where something is left to be measured. */
static bool gate_has_open(const struct gate *g)
{
	size_t i = 0;

	while (i < g->n && g->list[i].verdict != GATE_CHANGED)
		i++;
	return i < g->n;
}

/* `watch` NULL: this is the only gate; `before`: the last one that went through, or NULL. */
static enum asc_status run_gate(const struct gate_options *o, struct gate_round *r,
				struct gate_watch *watch, struct gate_round *before,
				struct asc_err *e)
{
	struct gate *g = &r->gate;

	if (watch)
		gate_watch_begin(watch);
	if (run_session_open(&o->run, &r->on, e) ||
	    base_checkout_open(o->paths, o->n, o->base, &r->checkout, e))
		return e->status;
	if (!o->run.json && (!before || strcmp(before->checkout.base.id, r->checkout.base.id) != 0))
		gate_print_base(g);
	if (gate_list_make(g, o->paths, o->n, e) || (watch && gate_watch_follow(watch, g, e)) ||
	    (o->weights && gate_weigh(g, o->weights, e)))
		return e->status;
	if (before)
		gate_watch_keep(g, &before->gate);
	if (gate_builds_make(g, e))
		return e->status;
	/* Before a process of this gate is on the device. */
	if (gate_has_open(g))
		(void)machine_is_ours(r->on.target.info.bus, g->others, sizeof g->others);
	if (gate_measure(g, e) || (o->retune && !*g->stop && gate_retune(g, e)))
		return e->status;
	return *g->stop ? ASC_OK : gate_accept(g, e);
}

/* Makes a gate and prints what it found; *out is the caller's, whatever came of it. */
static enum asc_status hold_round(const struct gate_options *o, const volatile sig_atomic_t *stop,
				  struct gate_watch *watch, struct gate_round *before,
				  struct gate_round **out, struct asc_err *e)
{
	const int64_t began = clock_now_ns();
	struct gate_round *r = calloc(1, sizeof *r);

	*out = r;
	if (!r)
		return asc_err_nomem(e);
	r->gate = (struct gate){.options = &o->run,
				.stop = stop,
				.on = &r->on,
				.checkout = &r->checkout,
				.all = o->all,
				.threshold = o->threshold,
				.budget_ns = o->run.budget.ns};
	if (run_gate(o, r, watch, before, e))
		return e->status;
	gate_sort(&r->gate);
	if (*stop)
		return ASC_OK;
	if (o->run.json)
		return gate_print_json(&r->gate, clock_now_ns() - began, e);
	gate_print(&r->gate, clock_now_ns() - began);
	return ASC_OK;
}

/* Makes one gate after another, until a stop. What a user mends while it waits is said, and ends
 * nothing: a workload that does not parse, a base that is gone. */
static enum asc_status watch_gates(const struct gate_options *o, const volatile sig_atomic_t *stop,
				   struct gate_round **last, struct asc_err *e)
{
	struct gate_watch watch = {.fd = 0};
	struct gate_round *r = NULL;
	enum asc_status status = gate_watch_open(o->paths, o->n, &watch, e);

	while (status == ASC_OK && !*stop) {
		status = hold_round(o, stop, &watch, *last, &r, e);
		const bool late = gate_watch_is_late(&watch);

		if (status == ASC_OK && !late && !*stop) {
			round_free(*last);
			*last = r;
		} else {
			round_free(r);
		}
		if (status && status != ASC_NOMEM && (*last || status == ASC_INPUT)) {
			(void)command_fail(e);
			status = ASC_OK;
		}
		fflush(stdout);
		if (status == ASC_OK && !*stop)
			status = gate_watch_wait(&watch, stop, e);
		if (status == ASC_OK && !*stop && !o->run.json)
			gate_print_saved(buf_str(&watch.saved));
	}
	gate_watch_close(&watch);
	return status;
}

static int gate_main(int argc, char **argv)
{
	struct gate_options o = {
		.run = {.seed = 1, .policy = policy_default, .budget = {.ns = MINUTES_NS(5)}},
		.threshold = 0.01,
		.paths = calloc((size_t)argc + 1, sizeof *o.paths)};
	struct gate_round *r = NULL;
	struct asc_err e;

	command_parse(&gate_argp, argc, argv, &o);
	if (o.n == 0)
		o.paths[o.n++] = ".";
	o.run.file = o.paths[0];
	o.run.problems.of_folder = true;
	const volatile sig_atomic_t *stop = command_watch_signals();
	const enum asc_status status =
		o.watch ? watch_gates(&o, stop, &r, &e) : hold_round(&o, stop, NULL, NULL, &r, &e);
	const int failed = status ? command_fail(&e) : EXIT_DONE;
	/* A gate that goes on until Ctrl-C has ended in order: the last verdicts count. */
	const int exit_status = failed ? failed
				: *stop && !(o.watch && r)
					? EXIT_INTERRUPTED
					: (int)gate_exit_status(&r->gate, o.strict);

	round_free(r);
	free(o.paths);
	return exit_status;
}

const struct command gate_command = {"gate", "compares the kernels of a checkout with its base",
				     &gate_argp, gate_main};
