/* asctune code: what the machine code of a kernel consists of, and what differs between two. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/names.h"
#include "tuner/base/units.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/code/code_text.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/profile/chosen_config.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/workload/workload.h"

extern const struct command code_command;

enum {
	KEY_CONFIG = 256,
	KEY_AGAINST,
	KEY_WHAT,
	KEY_NO_REWRITE,
	KEY_UNTRUSTED,
	KEY_TRUST,
	KEY_PYTHON
};

static const char *const what_names[] = {
#define X(id, name, print) name,
	CODE_WHAT_LIST(X)
#undef X
};
static code_print_fn *const printers[] = {
#define X(id, name, print) print,
	CODE_WHAT_LIST(X)
#undef X
};

struct code_options {
	struct run_options run; /* what a run has too; `file` may be one of machine code */
	uint64_t trial;         /* 0: a file */
	const char *against;    /* NAME=VALUE,..., "default", a trial or a file; NULL: nothing */
	size_t what;            /* enum code_what */
	bool what_given;
};

struct command_code {
	const struct code_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct workload *workload;
	const struct problem *problem;
	struct json_doc *trial; /* that was asked for, with its claim */
	struct claim claim;
	struct chosen_config first, second;
	struct code_side sides[2];
};

/* ---- which code ---- */

/* True for a file that is none of a workload. */
static bool is_code_file(const char *path)
{
	static const char suffix[] = ".json";
	const size_t n = strlen(path), m = strlen(suffix);

	return n < m || strcmp(path + n - m, suffix) != 0;
}

/* Opens device and workload: those of the trial, where one was asked for. */
static enum asc_status open_workload(struct command_code *s, struct asc_err *e)
{
	const struct code_options *o = s->options;
	struct run_options run = o->run;

	if (o->trial) {
		const struct db_record *row = &s->claim.row;

		run.file = s->claim.made.workload_file;
		if (!run.file)
			return asc_err_set(e, ASC_USAGE,
					   "trial %llu: the file of workload %s was not recorded: "
					   "FILE and --config name its configuration",
					   (unsigned long long)o->trial, row->workload);
		if (run.problems.n == 0)
			run.problems = (struct problem_choice){.names = {row->problem}, .n = 1};
		/* A model can be built for where the device is not. */
		if (!run.device)
			run.device = strcmp(row->device_kind, "cpu") == 0 || !row->device_arch
					     ? row->device_kind
					     : row->device_arch;
	}
	if (run_session_open(&run, &s->on, e))
		return e->status;
	const struct target *t = &s->on.target;

	if (strcmp(t->ops->name, "npu") == 0)
		return asc_err_set(
			e, ASC_ABSENT,
			"nothing can be told of machine code for %s: its instructions are "
			"not documented; `asctune build` says what memory a kernel is "
			"planned to take",
			t->info.model);
	if (workload_file_open(run.file, run.untrusted, t->info.simulated, &s->workload, e) ||
	    (run.trust && trusted_check(s->workload, e)) ||
	    target_check(t, s->workload, &run.problems, run.implementation, e))
		return e->status;
	return chosen_problem_find(t, s->workload, &run.problems, "code", &s->problem, e);
}

/* Chooses both configurations; the second is built with the parameters that are given, the others
 * have their default. */
static enum asc_status choose(struct command_code *s, struct asc_err *e)
{
	const struct code_options *o = s->options;
	const struct config_question q = {.db = command_db_path(o->run.db),
					  .target = &s->on.target,
					  .workload = s->workload,
					  .problem = s->problem,
					  .implementation = o->run.implementation};
	const char *implementation = o->trial ? s->claim.row.implementation : o->run.implementation;
	const char *config = o->trial ? s->claim.row.config_key : o->run.config;

	if (config ? chosen_config_parse(&q, config, implementation, &s->first, e)
		   : chosen_config_find_best(&q, &s->first, e))
		return e->status;
	return o->against
		       ? chosen_config_parse(&q, o->against, s->first.implementation, &s->second, e)
		       : ASC_OK;
}

static enum asc_status build(struct command_code *s, const struct chosen_config *c,
			     const char *recorded, struct code_side *out, struct asc_err *e)
{
	const struct code_build b = {.on = &s->on,
				     .workload = s->workload,
				     .problem = s->problem,
				     .implementation = c->implementation,
				     .config = c->config,
				     .recorded = recorded,
				     .rewrites_off = s->options->run.rewrites_off,
				     .stop = s->stop};

	return code_side_build(&b, out, e);
}

static enum asc_status find_sides(struct command_code *s, struct asc_err *e)
{
	const struct code_options *o = s->options;

	if (!o->trial && is_code_file(o->run.file)) {
		if (code_side_open_file(o->run.file, &s->sides[0], e))
			return e->status;
		return o->against ? code_side_open_file(o->against, &s->sides[1], e) : ASC_OK;
	}
	if (o->trial &&
	    claim_find(command_db_path(o->run.db), (int64_t)o->trial, &s->trial, &s->claim, e))
		return e->status;
	if (open_workload(s, e) || choose(s, e) ||
	    build(s, &s->first, o->trial ? s->claim.made.artifact : NULL, &s->sides[0], e))
		return e->status;
	return o->against && !*s->stop ? build(s, &s->second, NULL, &s->sides[1], e) : ASC_OK;
}

/* ---- saying it ---- */

/* Writes what a kernel is, at the begin of its object. */
static void write_head(const struct command_code *s, size_t i, struct json_writer *w)
{
	const struct code_kernel *k = &s->sides[0].kernels[i];

	json_write_string(w, "type", "code");
	json_write_string(w, "of", s->sides[0].name);
	if (s->options->against)
		json_write_string(w, "against_of", s->sides[1].name);
	json_write_string(w, "kernel", k->entry);
	json_write_string(w, "file", k->path);
	if (s->sides[0].rebuilt)
		json_write_bool(w, "rebuilt", true);
}

/* One kernel, or what is in the same place on the other side. */
static enum asc_status say_kernel(const struct command_code *s, size_t i, struct json_writer *w,
				  struct asc_err *e)
{
	const struct code_kernel *k = &s->sides[0].kernels[i];
	const struct code_kernel *other = i < s->sides[1].n ? &s->sides[1].kernels[i] : NULL;

	if (k->why.status != ASC_OK) {
		*e = k->why;
		return e->status;
	}
	if (!s->options->against)
		return printers[s->options->what](k, w, e);
	if (!other)
		return asc_err_set(e, ASC_ABSENT, "%s has no kernel in the place of %s",
				   s->sides[1].name, k->name);
	if (other->why.status != ASC_OK) {
		*e = other->why;
		return e->status;
	}
	return code_print_against(k, other, w, e);
}

/* A kernel of which nothing can be told is said, and keeps nothing from the others: fails where
 * that is so of all. */
static enum asc_status say(const struct command_code *s, struct asc_err *e)
{
	const bool json = s->options->run.json;
	size_t told = 0, failed = 0;
	struct asc_err why;

	if (!json && s->sides[0].rebuilt)
		prose_say(stderr, 2,
			  "asctune: the recorded artifact is gone from the cache: this is what is "
			  "built today");
	if (!json && s->workload) {
		prose_say(stdout, 2, "%s", s->sides[0].name);
		if (s->options->against)
			prose_say(stdout, 2, "against %s", s->sides[1].name);
	}
	for (size_t i = 0; i < s->sides[0].n; i++) {
		struct buf line = {0};
		struct json_writer w = {.out = &line};

		json_write_begin(&w, NULL, '{');
		write_head(s, i, &w);
		enum asc_status status = say_kernel(s, i, json ? &w : NULL, &why);

		json_write_end(&w, '}');
		if (status == ASC_OK && json)
			status = command_print_line(&line, &why);
		buf_fini(&line);
		told += status == ASC_OK;
		if (status == ASC_NOMEM)
			return asc_err_nomem(e);
		if (status == ASC_OK)
			continue;
		/* Often it is the same reason: there is no disassembler. */
		if (failed++ == 0)
			*e = why;
		else if (strcmp(e->text, why.text) != 0)
			(void)command_fail(&why);
	}
	if (failed > 0 && told > 0)
		(void)command_fail(e);
	return failed > 0 && told == 0 ? e->status : ASC_OK;
}

/* ---- options ---- */

static const struct argp_option options[] = {
	{"config", KEY_CONFIG, "K=V,...|default", 0,
	 "the configuration; parameters that are not given have their default (default: the best "
	 "on record)",
	 0},
	{"against", KEY_AGAINST, "K=V,...|default|TRIAL|FILE", 0,
	 "says what differs from this one, as counts and in at most twenty lines", 0},
	{"what", KEY_WHAT, "counts|sass|ptx|source", 0,
	 "instructions by class (default), a listing, the PTX, or the source's lines", 0},
	{"impl", 'i', "NAME", 0, "the implementation (default: that of the best on record)", 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"device", 'D', "DEVICE", 0, TARGET_PLAN_HELP, 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"no-rewrite", KEY_NO_REWRITE, "REWRITE", COMMAND_REPEATABLE, COMMAND_NO_REWRITE_HELP, 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each kernel", 0},
	{0}};

static void parse_end(const struct code_options *o, struct argp_state *state)
{
	const struct run_options *r = &o->run;

	if (!r->file)
		command_refuse(state,
			       "a workload FILE, a file of machine code or a TRIAL is needed");
	if (r->trust && r->untrusted)
		command_refuse(state, COMMAND_TRUST_FAULT);
	if (o->against && o->what_given && o->what != CODE_WHAT_COUNTS)
		command_refuse(state,
			       "--against says what differs in counts and lines: --what %s "
			       "does not go with it",
			       what_names[o->what]);
	if (o->trial && (r->config || r->implementation))
		command_refuse(state, "a TRIAL has its configuration: %s does not go with it",
			       r->config ? "--config" : "--impl");
	if (!o->trial && is_code_file(r->file) &&
	    (r->config || r->implementation || r->problems.n > 0 || r->device))
		command_refuse(state,
			       "%s is no workload (*.json): --config, --impl, --problem and "
			       "--device are for one",
			       r->file);
}

static error_t parse_code(int key, char *arg, struct argp_state *state)
{
	struct code_options *c = state->input;
	struct run_options *o = &c->run;

	switch (key) {
	case 'D': o->device = arg; return 0;
	case 'p': problem_choice_add(&o->problems, state, arg); return 0;
	case 'i': o->implementation = arg; return 0;
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case KEY_CONFIG: o->config = arg; return 0;
	case KEY_AGAINST: c->against = arg; return 0;
	case KEY_WHAT:
		if (!name_find(what_names, CODE_WHAT_COUNT, arg, &c->what))
			command_refuse(state, "--what: \"%s\" is none of counts, sass, ptx, source",
				       arg);
		c->what_given = true;
		return 0;
	case KEY_NO_REWRITE: command_parse_no_rewrite(state, arg, &o->rewrites_off); return 0;
	case KEY_PYTHON: command_parse_python(state, arg); return 0;
	case KEY_UNTRUSTED: o->untrusted = true; return 0;
	case KEY_TRUST: o->trust = true; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one FILE or TRIAL at a time");
		o->file = arg;
		if (units_parse_count(arg, &c->trial) && c->trial > INT64_MAX)
			command_refuse(state, "\"%s\" is not the number of a trial", arg);
		return 0;
	case ARGP_KEY_END: parse_end(c, state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp code_argp = {
	options, parse_code, "FILE|TRIAL",
	/* argp of glibc indents texts wrongly that are long before the options: short ones. */
	"Says what the machine code of a kernel consists of: registers, spills, instructions by "
	"class, in all and in the innermost loops; and what differs between two configurations.\v"
	"FILE is a workload, of which one configuration is built, or a file of machine code: a "
	"cubin, or a shared object of C. TRIAL is the number of a recorded one. Nothing is "
	"launched, and the device need not be here. What differs is said without the names of "
	"registers; listed lines of the source have what became of them beside them.\n\n"
	"Listings come from nvdisasm, cuobjdump or objdump, where one is here; counts of cubins "
	"need none. Exit status 1: the kernel does not build; 3: nothing can be told of such code, "
	"or nothing lists it.",
	0, 0, 0};

static int code_main(int argc, char **argv)
{
	struct code_options o = {.run = {.seed = 1, .policy = policy_default, .build_only = true}};
	struct command_code s = {.options = &o};
	bool built = true;
	struct asc_err e;

	command_parse(&code_argp, argc, argv, &o);
	s.stop = command_watch_signals();
	enum asc_status status = find_sides(&s, &e);

	for (size_t i = 0; i < 2 && status == ASC_OK && built; i++) {
		if (!s.sides[i].reason)
			continue;
		built = false;
		(void)asc_err_set(&e, ASC_INPUT, "%s does not build: %s", s.sides[i].name,
				  s.sides[i].reason);
		(void)command_fail(&e);
	}
	if (status == ASC_OK && built && !*s.stop)
		status = say(&s, &e);
	for (size_t i = 0; i < 2; i++)
		code_side_fini(&s.sides[i]);
	chosen_config_fini(&s.first);
	chosen_config_fini(&s.second);
	json_close(s.trial);
	workload_close(s.workload);
	run_session_close(&s.on);
	if (status)
		return command_fail(&e);
	if (*s.stop)
		return EXIT_INTERRUPTED;
	return built ? EXIT_DONE : EXIT_NEGATIVE;
}

const struct command code_command = {
	"code", "says what a kernel's machine code consists of, and what differs between two",
	&code_argp, code_main};
