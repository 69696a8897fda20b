/* asctune gate: compares the kernels of a checkout with those of its base. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/gate/gate_ci.h"
#include "tuner/cmd/gate/gate_record.h"
#include "tuner/cmd/gate/gate_text.h"
#include "tuner/cmd/gate/gate_watch.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/terminal/output.h"

extern const struct command gate_command;

enum {
	KEY_BASE = 256,
	KEY_QUALITY,
	KEY_HTML,
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
	struct buf *typed;  /* what standard input had for `weights` */
	const char **paths; /* heap */
	size_t n;
	double threshold;
	bool all, retune, strict, watch;
	const char *markdown, *junit, *quality, *html; /* files; NULL: none */
};

/* ---- the command line ---- */

/* Refuses options that all want standard output for themselves. */
static void check_outputs(const struct gate_options *o, struct argp_state *state)
{
	const char *const files[] = {o->markdown, o->junit, o->quality, o->html};
	size_t n = o->run.json;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		n += files[i] && output_is_stdout(files[i]);
	if (n > 1)
		command_refuse(state, "standard output has one format: --json, or one file \"-\"");
}

/* True where a file is printed in place of lines for people. */
static bool is_printed(const char *file)
{
	return file && output_is_stdout(file);
}

static bool has_lines(const struct gate_options *o)
{
	return !o->run.json && !is_printed(o->markdown) && !is_printed(o->junit) &&
	       !is_printed(o->quality) && !is_printed(o->html);
}

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
	case 'm': o->markdown = arg; break;
	case 'u': o->junit = arg; break;
	case KEY_QUALITY: o->quality = arg; break;
	case KEY_HTML: o->html = arg; break;
	case 'b':
		if (!units_parse_duration(arg, &r->budget.ns))
			command_refuse(state, "--budget: \"%s\" is no time such as 5m", arg);
		break;
	case KEY_BASE:
		if (!*arg)
			command_refuse(state, "--base: \"\" is no commit");
		o->base = arg;
		break;
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
		check_outputs(o, state);
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
	{"db", 'd', "FILE", 0,
	 "database of what is best, and what is measured is recorded there as two sides (default: "
	 "$ASCTUNE_DB, else asctune.db, of what is best alone)",
	 0},
	{"json", 'j', NULL, 0, "prints JSON lines: every kernel, the totals", 0},
	{"markdown", 'm', "FILE", 0,
	 "writes also a summary in Markdown for pull requests, of 60 lines at most; - is stdout. "
	 "$GITHUB_STEP_SUMMARY gets it by itself",
	 0},
	{"junit", 'u', "FILE", 0,
	 "writes also JUnit XML, in which fails what gives exit status 1; - is stdout", 0},
	{"code-quality", KEY_QUALITY, "FILE", 0,
	 "writes also GitLab's code quality report: what is broken or slower, at its line; - is "
	 "stdout",
	 0},
	{"html", KEY_HTML, "FILE", 0,
	 "writes also the page of both sides, as report --base does; - is stdout", 0},
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
	struct gate_record record;
	struct gate gate;
};

static void round_free(struct gate_round *r)
{
	if (!r)
		return;
	gate_record_close(&r->record);
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

	/* What cannot be written is said before minutes are spent. */
	if ((o->markdown && output_check(o->markdown, GATE_MARK, e)) ||
	    (o->junit && output_check(o->junit, GATE_MARK, e)) ||
	    (o->quality && output_check(o->quality, GATE_MARK, e)) ||
	    (o->html && output_check(o->html, PAGE_MARK, e)))
		return e->status;
	if (watch)
		gate_watch_begin(watch);
	if (run_session_open(&o->run, &r->on, e) ||
	    base_checkout_open(o->paths, o->n, o->base, &r->checkout, e) ||
	    ((o->run.db || o->html) && gate_record_open(&r->record, o->run.db, e)))
		return e->status;
	g->db = r->record.db;
	if (has_lines(o) && (!before || strcmp(before->checkout.base.id, r->checkout.base.id) != 0))
		gate_print_base(g);
	if (gate_list_make(g, o->paths, o->n, e) || (watch && gate_watch_follow(watch, g, e)) ||
	    (o->weights && gate_weigh(g, o->weights, o->typed, e)))
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

/* ---- what is said ---- */

static enum asc_status write_files(const struct gate_options *o, const struct gate *g,
				   int64_t spent_ns, struct asc_err *e)
{
	struct buf markdown = {0}, junit = {0}, quality = {0};
	enum asc_status status = ASC_OK;

	gate_write_markdown(g, spent_ns, &markdown);
	gate_write_junit(g, &junit);
	if (o->quality) /* sources are read for it */
		status = gate_write_quality(g, &quality, e);
	if (status == ASC_OK && o->quality)
		status = output_put(o->quality, GATE_MARK, &quality, e);
	if (status == ASC_OK && o->markdown)
		status = output_put(o->markdown, GATE_MARK, &markdown, e);
	if (status == ASC_OK && o->junit)
		status = output_put(o->junit, GATE_MARK, &junit, e);
	if (status == ASC_OK)
		status = buf_check(&markdown, e);
	if (status == ASC_OK)
		output_add_summary(&markdown, o->markdown);
	buf_fini(&markdown);
	buf_fini(&junit);
	buf_fini(&quality);
	return status;
}

/* Records what was measured, and writes the page of it. */
static enum asc_status record_sides(const struct gate_options *o, const struct gate *g,
				    struct gate_record *r, struct asc_err *e)
{
	const struct gate_paths paths = {o->paths, o->n, o->html};
	struct buf page = {0};
	enum asc_status status = gate_record_write(g, r, e);

	if (status == ASC_OK)
		gate_record_say(r);
	if (status == ASC_OK && o->html)
		status = gate_record_page(g, r, &paths, &page, e);
	if (status == ASC_ABSENT) {
		log_print(LOG_NOTE, "%s is not written: %s", o->html, e->text);
		status = ASC_OK;
	} else if (status == ASC_OK && o->html) {
		status = output_put(o->html, PAGE_MARK, &page, e);
	}
	buf_fini(&page);
	return status;
}

static enum asc_status annotate(const struct gate *g, struct asc_err *e)
{
	struct buf lines = {0};
	enum asc_status status = ASC_OK;

	if (output_is_github()) /* sources are read for it */
		status = gate_write_annotations(g, &lines, e);
	if (status == ASC_OK)
		status = output_annotate(&lines, e);
	buf_fini(&lines);
	return status;
}

/* Lines come first: a file that cannot be written takes no verdict with it. */
static enum asc_status say(const struct gate_options *o, const struct gate *g,
			   struct gate_record *r, int64_t spent_ns, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (o->run.json)
		status = gate_print_json(g, spent_ns, e);
	else if (has_lines(o))
		gate_print(g, spent_ns);
	fflush(stdout); /* annotations stand behind it where both go to one log */
	if (status == ASC_OK)
		status = write_files(o, g, spent_ns, e);
	if (status == ASC_OK)
		status = annotate(g, e);
	return status == ASC_OK && r->db ? record_sides(o, g, r, e) : status;
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
	if (gate_code_find(&r->gate, e))
		return e->status;
	if (*stop)
		return ASC_OK;
	return say(o, &r->gate, &r->record, clock_now_ns() - began, e);
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
		if (status == ASC_OK && !*stop && has_lines(o))
			gate_print_saved(buf_str(&watch.saved));
	}
	gate_watch_close(&watch);
	return status;
}

static int gate_main(int argc, char **argv)
{
	struct buf typed = {0};
	struct gate_options o = {
		.typed = &typed,
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
	buf_fini(&typed);
	free(o.paths);
	return exit_status;
}

const struct command gate_command = {"gate", "compares the kernels of a checkout with its base",
				     &gate_argp, gate_main};
