/* asctune space: the configurations of a workload or of a T1 file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/json/json.h"
#include "tuner/base/stats/rng.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/explain_verdict.h"
#include "tuner/cmd/space_calibrate.h"
#include "tuner/cmd/space_overview.h"
#include "tuner/cmd/space_verify.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/calibration.h"
#include "tuner/workload/limits/tile_bound.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/t1.h"

extern const struct command space_command;

struct view;
struct space_options {
	const char *file, *device, *implementation, *explain;
	struct problem_choice problems;
	uint64_t sample, seed;
	unsigned rewrites_off; /* rewrite_bit()s */
	bool json;
	bool calibrate, verify; /* by the compiler; `sample` then as in struct space_verify */
	uint64_t questions;     /* of --calibrate */
	const char *table;      /* of verdicts, to be written */
	uint64_t jobs;          /* of what starts compilers, as `trust` */
	bool trust;
	enum asc_status (*show)(struct view *v, const struct space *s,
				struct asc_err *e); /* NULL: the overview of all */
};

struct names { /* each once, borrowed from the workload */
	const char **list;
	size_t n, room;
};

struct view {
	const struct space_options *o;
	const char *problem;
	const struct target *target; /* NULL for a T1 file, as what follows */
	const struct binding *binding;
	const struct implementation *chosen;
	struct space_overview overview;
	int shown;
	struct names problems, implementations; /* with a space each */
	bool refused;                           /* --explain: the configuration is not valid */
	char why_not[640]; /* name of the last implementation that was left out */
};

static struct space_subject subject_of(const struct view *v, const struct space *s)
{
	return (struct space_subject){v->o->file, s, v->binding, v->chosen};
}

static enum asc_status warn_of_empty(const struct view *v, const struct space *s, struct asc_err *e)
{
	const struct space_subject subject = subject_of(v, s);

	return space_count(s) ? ASC_OK : space_overview_warn(&subject, e);
}

/* ---- lines of configurations ---- */

/* Writes configurations of a space to standard output, a line each: `v1,v2,...` in the order of the
 * parameters, or a JSON object. Made for millions of them: the texts of the values are made once,
 * and of a line only what has changed is put together anew. */

enum {
	BLOCK_SIZE = 1 << 16, /* bytes that are written at once */
	CHUNK = 16            /* that are copied at once */
};

struct space_lines {
	const struct space *space;
	struct buf texts;
	struct space_text { /* text of a value, with its separators in a line */
		size_t at, len;
	} * values;
	size_t firsts[CONFIG_MAX_PARAMETERS]; /* index of each parameter's first value in `values`
					       */
	char *line;
	size_t starts[CONFIG_MAX_PARAMETERS + 1]; /* offset of each parameter in the line */
	char *block;                              /* lines not yet written */
	size_t used;
};

/* Copies in whole chunks, which is faster; all texts have room after them. */
static void copy(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i += CHUNK)
		memcpy(to + i, from + i, CHUNK);
}

/* Makes the texts of values with their separators, so that a line is nothing but texts. */
static void add_plain(struct buf *to, const struct space *s, size_t param, struct value v)
{
	char text[64];

	value_print(v, text, sizeof text);
	/* Quotes guard against texts that a CI runner takes for a command: no number is one. */
	const char *quote = param == 0 && v.kind == VALUE_TEXT ? escape_line_quote(text) : "";

	buf_add_str(to, param > 0 ? "," : "");
	buf_add_str(to, quote);
	buf_add_str(to, text);
	buf_add_str(to, quote);
	buf_add_str(to, param + 1 < space_params(s) ? "" : "\n");
}

static void add_json(struct buf *to, const struct space *s, size_t param, struct value v)
{
	struct json_writer w = {to, param > 0};

	buf_add_str(to, param > 0 ? "" : "{");
	json_write_value(&w, space_names(s)[param], v);
	buf_add_str(to, param + 1 < space_params(s) ? "" : "}\n");
}

/* Returns the length of the longest line. */
static size_t add_texts(struct space_lines *l, bool json)
{
	void (*add)(struct buf *, const struct space *, size_t, struct value) =
		json ? add_json : add_plain;
	size_t n = 0, longest = 0;

	for (size_t i = 0; i < space_params(l->space); i++) {
		const struct space_param *p = space_param(l->space, i);
		size_t widest = 0;
		l->firsts[i] = n;
		for (size_t k = 0; k < p->n; k++, n++) {
			l->values[n].at = l->texts.len;
			add(&l->texts, l->space, i, p->values[k]);
			l->values[n].len = l->texts.len - l->values[n].at;
			widest = l->values[n].len > widest ? l->values[n].len : widest;
		}
		longest += widest;
	}
	return longest;
}

static enum asc_status space_lines_init(struct space_lines *l, const struct space *s, bool json,
					struct asc_err *e)
{
	size_t n = 1; /* no space has none: malloc(0) may be NULL */

	*l = (struct space_lines){.space = s};
	for (size_t i = 0; i < space_params(s); i++)
		n += space_param(s, i)->n;
	l->values = malloc(n * sizeof *l->values);
	if (!l->values)
		return asc_err_nomem(e);
	const size_t longest = add_texts(l, json);
	/* copy() reads whole chunks, beyond the last text. */
	for (int i = 0; i < CHUNK; i++)
		buf_add_char(&l->texts, ' ');
	l->line = calloc(longest + CHUNK, 1);
	l->block = malloc(BLOCK_SIZE + longest + CHUNK);
	if (!l->line || !l->block)
		return asc_err_nomem(e);
	if (space_params(s) == 0) /* the one line there is, of nothing */
		l->starts[0] = (size_t)snprintf(l->line, CHUNK, "%s\n", json ? "{}" : "");
	return buf_check(&l->texts, e);
}

/* picks[i] is the position of parameter i's value; those before `changed` are as in the last line.
 */
static void space_lines_put(struct space_lines *l, const uint16_t *picks, size_t changed)
{
	const size_t n = space_params(l->space);
	size_t at = l->starts[changed];

	for (size_t i = changed; i < n; i++) {
		const struct space_text *t = &l->values[l->firsts[i] + picks[i]];
		copy(l->line + at, l->texts.data + t->at, t->len);
		at += t->len;
		l->starts[i + 1] = at;
	}
	copy(l->block + l->used, l->line, at);
	l->used += at;
	if (l->used >= BLOCK_SIZE) {
		fwrite(l->block, 1, l->used, stdout);
		l->used = 0;
	}
}

/* Writes the remaining lines. */
static void space_lines_fini(struct space_lines *l)
{
	if (l->used)
		fwrite(l->block, 1, l->used, stdout);
	buf_fini(&l->texts);
	free(l->values);
	free(l->line);
	free(l->block);
}

/* ---- --count, --list, --sample ---- */

static enum asc_status show_count(struct view *v, const struct space *s, struct asc_err *e)
{
	if (warn_of_empty(v, s, e))
		return e->status;
	printf(v->o->json ? "{\"count\":%llu}\n" : "%llu\n", (unsigned long long)space_count(s));
	return ASC_OK;
}

static enum asc_status show_list(struct view *v, const struct space *s, struct asc_err *e)
{
	struct space_cursor *cursor = NULL;
	struct space_lines lines;
	size_t changed;

	if (warn_of_empty(v, s, e))
		return e->status;
	enum asc_status status = space_lines_init(&lines, s, v->o->json, e);

	if (status == ASC_OK)
		status = space_cursor_new(s, &cursor, e);
	if (status == ASC_OK)
		for (const uint16_t *picks; (picks = space_cursor_next(cursor, &changed));)
			space_lines_put(&lines, picks, changed);
	space_cursor_free(cursor);
	space_lines_fini(&lines);
	return status;
}

static enum asc_status show_sample(struct view *v, const struct space *s, struct asc_err *e)
{
	struct space_lines lines;
	struct rng r;

	if (warn_of_empty(v, s, e))
		return e->status;
	if (space_count(s) == 0)
		return asc_err_set(e, ASC_INPUT,
				   "%s: the conditions leave no configuration to sample",
				   v->o->file);
	enum asc_status status = space_lines_init(&lines, s, v->o->json, e);
	rng_init(&r, v->o->seed);
	for (uint64_t i = 0; status == ASC_OK && i < v->o->sample; i++) {
		uint16_t picks[CONFIG_MAX_PARAMETERS] = {0};
		struct config c;

		space_get(s, space_sample(s, &r), &c);
		for (size_t k = 0; k < c.n; k++)
			space_pick(space_param(s, k), c.values[k], &picks[k]);
		space_lines_put(&lines, picks, 0);
	}
	space_lines_fini(&lines);
	return status;
}

/* ---- --explain ---- */

static enum asc_status explain(const struct space_subject *s, const struct target *t,
			       const struct config *c, bool *valid, struct buf *out,
			       struct asc_err *e)
{
	if (space_explain(s->space, c, valid, out, e))
		return e->status;
	if (!s->binding)
		return ASC_OK;
	if (binding_explain_limits(s->binding, s->implementation, c, valid, out, e) ||
	    explain_verdict(s, t, c, valid, out, e))
		return e->status;
	return binding_explain_rewrites(s->binding, s->implementation, c, out, e);
}

static enum asc_status print_explanation(const struct space_subject *s, const struct config *c,
					 bool valid, const char *text, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	enum asc_status status = ASC_OK;
	size_t made;

	json_write_begin(&w, NULL, '{');
	json_write_bool(&w, "valid", valid);
	json_write_string(&w, "explanation", text);
	if (s->binding)
		status = binding_write_rewrites(s->binding, s->implementation, c, "rewrites", &w,
						&made, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status show_explanation(struct view *v, const struct space *s, struct asc_err *e)
{
	const struct space_subject subject = subject_of(v, s);
	struct config c;
	struct buf text = {0};
	bool valid = false;
	enum asc_status status =
		config_parse(v->o->explain, space_names(s), space_params(s), &c, e);

	if (status == ASC_OK)
		status = explain(&subject, v->target, &c, &valid, &text, e);
	if (status == ASC_OK && v->o->json)
		status = print_explanation(&subject, &c, valid, buf_str(&text), e);
	if (status == ASC_OK && !v->o->json) {
		prose_print(stdout, 2, buf_str(&text));
		puts(valid ? "valid" : "not valid");
	}
	buf_fini(&text);
	v->refused = !valid;
	return status ? asc_err_wrap(e, "--explain") : ASC_OK;
}

/* ---- all spaces ---- */

static enum asc_status add_name(struct names *to, const char *name, struct asc_err *e)
{
	for (size_t i = 0; i < to->n; i++)
		if (strcmp(to->list[i], name) == 0)
			return ASC_OK;
	if (!array_room(&to->list, to->n, &to->room, sizeof *to->list))
		return asc_err_nomem(e);
	to->list[to->n++] = name;
	return ASC_OK;
}

/* Appends an option with its names, if it has several. */
static void print_choice(const char *option, const struct names *names, struct buf *out)
{
	enum { MOST = 12 }; /* a ladder has hundreds of problems */

	if (names->n < 2)
		return;
	buf_print(out, "%s%s ", out->len ? " and " : "", option);
	for (size_t i = 0; i < names->n && i < MOST; i++)
		buf_print(out, "%s%s", i ? ", " : "", names->list[i]);
	if (names->n > MOST)
		buf_print(out, " and %zu more", names->n - MOST);
}

/* Says that one space of several was shown, and what to choose another one with. */
static enum asc_status say_others(const struct view *v, struct asc_err *e)
{
	struct buf choices = {0};

	if (!v->o->show || v->shown < 2)
		return ASC_OK;
	print_choice("--problem", &v->problems, &choices);
	print_choice("--impl", &v->implementations, &choices);
	const enum asc_status status = buf_check(&choices, e);

	if (status == ASC_OK)
		prose_say(stderr, 2,
			  "asctune: only the first of %d spaces is shown, %s/%s; choose with %s",
			  v->shown, v->problems.list[0], v->implementations.list[0],
			  buf_str(&choices));
	buf_fini(&choices);
	return status;
}

/* Visits spaces: the overview takes all, everything else the first. */
static enum asc_status show_space(struct view *v, const struct space *s, struct asc_err *e)
{
	const struct space_subject subject = subject_of(v, s);

	v->shown++;
	if (!v->o->show)
		return space_overview_add(&v->overview, &subject, v->o->json, e);
	if (v->binding && (add_name(&v->problems, v->binding->problem->name, e) ||
			   add_name(&v->implementations, v->chosen->name, e)))
		return e->status;
	return v->shown == 1 ? v->o->show(v, s, e) : ASC_OK;
}

static enum asc_status view_implementation(struct view *v, const struct binding *b,
					   const struct implementation *i, struct asc_err *e)
{
	struct space *s = NULL;
	char reason[512] = "";
	bool covers = false;
	enum asc_status status = binding_covers(b, i, &covers, reason, sizeof reason, e);

	v->binding = b;
	v->chosen = i;
	if (status == ASC_OK && covers) {
		if (binding_space(b, i, &s, e))
			return asc_err_wrap(e, "%s: problem %s: implementation %s", v->o->file,
					    v->problem, i->name);
	} else if (status == ASC_OK) {
		snprintf(v->why_not, sizeof v->why_not, "%s/%s: %s", v->problem, i->name, reason);
		if (!v->o->show)
			status = space_overview_refuse(&v->overview, b, i, v->o->json, e);
	}
	if (s)
		status = show_space(v, s, e);
	space_free(s);
	return status;
}

/* Tells of one that cannot be called, in the overview alone. */
static enum asc_status view_unsupported(struct view *v, const struct implementation *i,
					struct asc_err *e)
{
	if (!*v->why_not)
		snprintf(v->why_not, sizeof v->why_not, "%s/%s: unsupported: %s", v->problem,
			 i->name, i->unsupported);
	return v->o->show ? ASC_OK
			  : space_overview_leave_out(&v->overview, v->problem, i, v->o->json, e);
}

static enum asc_status view_problem(struct view *v, const struct workload *w,
				    const struct problem *p, const struct target *t,
				    struct asc_err *e)
{
	struct binding b = {0};
	enum asc_status status = binding_init(&b, w, p, t->ops->name, &t->info.facts, e);

	v->problem = p->name;
	b.limits = target_limits(t);
	b.rewrites_off = v->o->rewrites_off;
	for (size_t i = 0; status == ASC_OK && i < w->n_implementations; i++)
		if (!v->o->implementation ||
		    strcmp(v->o->implementation, w->implementations[i].name) == 0)
			status = view_implementation(v, &b, &w->implementations[i], e);
	for (size_t i = 0; status == ASC_OK && !v->o->implementation && i < w->n_unsupported; i++)
		if (name_list_has(&w->unsupported[i].devices, b.device))
			status = view_unsupported(v, &w->unsupported[i], e);
	v->binding = NULL;
	binding_fini(&b);
	return status;
}

static enum asc_status view_workload(struct view *v, struct asc_err *e)
{
	const struct space_options *o = v->o;
	struct workload *w = NULL;
	struct target t;
	enum asc_status status = workload_open(o->file, &w, e);

	v->target = &t;

	if (status == ASC_OK)
		status = target_plan(o->device, &t, e);
	if (status == ASC_OK)
		status = target_check(&t, w, &o->problems, o->implementation, e);
	if (status == ASC_OK)
		status = target_use_verdicts(&t, w, e);
	for (size_t i = 0; status == ASC_OK && i < w->n_problems; i++)
		if (target_wants(&t, &w->problems[i], &o->problems))
			status = view_problem(v, w, &w->problems[i], &t, e);
	if (status == ASC_OK && v->shown == 0)
		status = asc_err_set(e, ASC_ABSENT, "%s: nothing can run on %s: %s", o->file,
				     target_limits(&t) ? t.limits.name : t.ops->name, v->why_not);
	if (status == ASC_OK)
		status = say_others(v, e);
	v->target = NULL;
	free(v->problems.list);
	free(v->implementations.list);
	workload_close(w);
	return status;
}

/* Handles a T1 file, which has neither problems nor memory expressions that a device could limit.
 */
static enum asc_status check_t1(const struct space_options *o, struct asc_err *e)
{
	const char *option = o->device           ? "--device"
			     : o->problems.n     ? "--problem"
			     : o->implementation ? "--impl"
			     : o->rewrites_off   ? "--no-rewrite"
						 : NULL;

	return option ? asc_err_set(e, ASC_USAGE,
				    "%s: %s is for workloads, this is a search space (T1)", o->file,
				    option)
		      : ASC_OK;
}

static enum asc_status view_file(struct view *v, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct space *s = NULL;
	enum asc_status status = json_open_file(v->o->file, &doc, e);

	if (status == ASC_OK && !t1_recognise(doc)) {
		json_close(doc);
		return view_workload(v, e);
	}
	if (status == ASC_OK)
		status = check_t1(v->o, e);
	if (status == ASC_OK)
		status = t1_space(doc, &s, e);
	if (s)
		status = show_space(v, s, e);
	space_free(s);
	json_close(doc);
	return status;
}

enum {
	KEY_COUNT = 256,
	KEY_LIST,
	KEY_SAMPLE,
	KEY_EXPLAIN,
	KEY_SEED,
	KEY_NO_REWRITE,
	KEY_CALIBRATE,
	KEY_VERIFY,
	KEY_PYTHON_NPU,
	KEY_TRUST
};

static void choose(struct argp_state *state, struct space_options *o,
		   enum asc_status (*show)(struct view *, const struct space *, struct asc_err *))
{
	if (o->show || o->calibrate || o->verify)
		command_refuse(state, "--count, --list, --sample, --explain, "
				      "--verify-with-compiler and --calibrate exclude each other");
	o->show = show;
}

static error_t parse_space(int key, char *arg, struct argp_state *state)
{
	struct space_options *o = state->input;

	switch (key) {
	case 'D': o->device = arg; break;
	case 'p': problem_choice_add(&o->problems, state, arg); break;
	case 'i': o->implementation = arg; break;
	case 'j': o->json = true; break;
	case KEY_COUNT: choose(state, o, show_count); break;
	case KEY_LIST: choose(state, o, show_list); break;
	case KEY_SAMPLE:
		choose(state, o, show_sample);
		command_parse_count(state, "sample", arg, 1, &o->sample);
		break;
	case KEY_EXPLAIN:
		choose(state, o, show_explanation);
		o->explain = arg;
		break;
	case KEY_NO_REWRITE: command_parse_no_rewrite(state, arg, &o->rewrites_off); break;
	case KEY_SEED: command_parse_count(state, "seed", arg, 0, &o->seed); break;
	case KEY_CALIBRATE:
		choose(state, o, NULL);
		o->calibrate = true;
		if (arg)
			command_parse_count(state, "calibrate", arg, CALIBRATION_FEWEST,
					    &o->questions);
		if (o->questions > TILE_MAX_POINTS)
			command_refuse(state, "--calibrate: at most %d questions about a variant",
				       TILE_MAX_POINTS);
		break;
	case KEY_VERIFY:
		choose(state, o, NULL);
		o->verify = true;
		if (arg)
			command_parse_count(state, "verify-with-compiler", arg, 1, &o->sample);
		break;
	case 'J': command_parse_count(state, "jobs", arg, 1, &o->jobs); break;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); break;
	case KEY_TRUST: o->trust = true; break;
	case 'o': o->table = arg; break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "a workload or T1 FILE is needed"); break;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one FILE at a time");
		o->file = arg;
		break;
	case ARGP_KEY_END:
		if (!o->calibrate && !o->verify && (o->jobs || o->trust))
			command_refuse(state, "--%s is for --verify-with-compiler and --calibrate",
				       o->jobs ? "jobs" : "trust");
		if (!o->verify && o->table)
			command_refuse(state, "--output is for --verify-with-compiler");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option space_options[] = {
	{"device", 'D', "DEVICE", 0, TARGET_PLAN_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"impl", 'i', "NAME", 0, "only this implementation", 0},
	{"count", KEY_COUNT, NULL, 0, "prints the number of valid configurations", 0},
	{"list", KEY_LIST, NULL, 0,
	 "prints every valid configuration, v1,v2,... in the file's order of parameters", 0},
	{"sample", KEY_SAMPLE, "N", 0, "prints N configurations drawn uniformly, with replacement",
	 0},
	{"seed", KEY_SEED, "N", 0, "seed of what is drawn (default 1)", 0},
	{"explain", KEY_EXPLAIN, "K=V,...", 0,
	 "says of each condition whether this configuration meets it, and of each rewrite "
	 "what it changed",
	 0},
	{"verify-with-compiler", KEY_VERIFY, "N", OPTION_ARG_OPTIONAL,
	 "asks the memory planner of an NPU's compiler, which needs no NPU, about every variant of "
	 "the Triton kernels, or about N configurations that are drawn and all at the edge of what "
	 "`memory` leaves out, and says where the two disagree",
	 0},
	{"output", 'o', "FILE.csv", 0,
	 "with --verify-with-compiler, writes a table of the verdicts, which a workload names as "
	 "`verdicts` of the kernel; what the file says of other models stays",
	 0},
	{"calibrate", KEY_CALIBRATE, "N", OPTION_ARG_OPTIONAL,
	 "finds what the Triton kernels need of an NPU's memories at least, by at most N questions "
	 "to the memory planner of its compiler about each variant (default 30, 12 to 64), and "
	 "prints it as `memory` of the workload",
	 0},
	{"jobs", 'J', "N", 0, "number of compilers at once (default: one for each hardware thread)",
	 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"no-rewrite", KEY_NO_REWRITE, "REWRITE", COMMAND_REPEATABLE, COMMAND_NO_REWRITE_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object a line", 0},
	{0}};
static const struct argp space_argp = {
	space_options,
	parse_space,
	"FILE",
	"Shows the search spaces of a workload, or the one of a file in the T1 "
	"format.\vWithout --count, --list, --sample, --explain, --verify-with-compiler or "
	"--calibrate it prints an overview of all problems and implementations. Exit status of "
	"--explain: 1 when the configuration is not valid; of --verify-with-compiler: 1 when a "
	"variant that fits is left out; of that and of --calibrate: 3 without a planner for the "
	"device, 4 when a variant has no verdict.",
	0,
	0,
	0};

static int space_main(int argc, char **argv)
{
	struct space_options o = {.seed = 1};
	struct view v = {.o = &o};
	struct asc_err e;

	command_parse(&space_argp, argc, argv, &o);
	const struct planner_options planner = {.option = o.verify ? "--verify-with-compiler"
								   : "--calibrate",
						.file = o.file,
						.device = o.device,
						.implementation = o.implementation,
						.problems = &o.problems,
						.rewrites_off = o.rewrites_off,
						.jobs = o.jobs,
						.json = o.json,
						.trust = o.trust};

	if (o.calibrate)
		return space_calibrate_main(&(struct space_calibrate){planner, o.questions});
	if (o.verify)
		return space_verify_main(
			&(struct space_verify){planner, o.sample, o.seed, o.table});
	space_overview_init(&v.overview);
	enum asc_status status = view_file(&v, &e);

	if (status == ASC_OK && !o.show)
		status = space_overview_print(&v.overview, o.json, &e);
	space_overview_fini(&v.overview);
	if (status)
		return command_fail(&e);
	return v.refused ? EXIT_NEGATIVE : EXIT_DONE;
}

const struct command space_command = {"space", "counts, lists, samples and explains configurations",
				      &space_argp, space_main};
