/* asctune compare: measures two kernels in the same rounds: of two files, two configurations, two
 * recorded trials. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json.h"
#include "tuner/base/sandbox.h"
#include "tuner/base/units.h"
#include "tuner/binding/binding_space.h"
#include "tuner/binding/workload_open.h"
#include "tuner/cmd/claim.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/pair_file.h"
#include "tuner/cmd/run_confirm.h"
#include "tuner/cmd/run_options.h"
#include "tuner/cmd/show_text.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/loop/confirm.h"
#include "tuner/loop/loop.h"
#include "tuner/results/tie.h"
#include "tuner/run/untrusted.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

extern const struct command compare_command;

enum { KEY_WORKLOAD = 256, KEY_CONFIG, KEY_CACHE, KEY_TRUST, KEY_PYTHON };

struct compare_options {
	const char *sides[PAIR_SIDES];
	size_t n;
	const char *workload, *problem, *implementation, *config, *device, *db;
	enum cache_policy cache;
	bool json, trust;
};

static error_t parse_end(const struct compare_options *o, struct argp_state *state)
{
	if (o->n != PAIR_SIDES)
		command_refuse(state, "A and B are needed, the two that are compared");
	return 0;
}

static error_t parse_compare(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; break;
	case 'D': o->device = arg; break;
	case 'p': o->problem = arg; break;
	case 'i': o->implementation = arg; break;
	case 'j': o->json = true; break;
	case KEY_WORKLOAD: o->workload = arg; break;
	case KEY_CONFIG: o->config = arg; break;
	case KEY_CACHE:
		if (!cache_policy_parse(arg, &o->cache))
			command_refuse(state, "--cache: \"%s\" is neither cold nor hot", arg);
		break;
	case KEY_TRUST: o->trust = true; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case ARGP_KEY_ARG:
		if (o->n == PAIR_SIDES)
			command_refuse(state, "two are compared: \"%s\" is one more", arg);
		o->sides[o->n++] = arg;
		break;
	case ARGP_KEY_END: return parse_end(o, state);
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option compare_options[] = {
	{"workload", KEY_WORKLOAD, "FILE", 0,
	 "workload of a side that is a configuration, or of a trial (default: the one that was "
	 "recorded)",
	 0},
	{"problem", 'p', "NAME", 0,
	 "problem that both are measured on (default: that of the trial, or the only one meant for "
	 "this kind of device)",
	 0},
	{"impl", 'i', "NAME", 0,
	 "implementation (default: that of the trial, else the first that runs on this device)", 0},
	{"config", KEY_CONFIG, "K=V,...", 0,
	 "configuration of sides that are files; parameters that are not given have their default",
	 0},
	{"cache", KEY_CACHE, "cold|hot", 0, "caches at each launch, as for run (default cold)", 0},
	{"device", 'D', "DEVICE", 0,
	 "auto, cpu, cuda[:N], npu[:N] (default: that of the trial, else auto)", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object", 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{0}};

static const struct argp compare_argp = {
	compare_options,
	parse_compare,
	"A B",
	"Measures two kernels in the same rounds, in three processes, verified in each: how long "
	"does B take beside A? Each of A and B is a workload FILE, a configuration K=V,... of "
	"--workload FILE, or the number of a recorded TRIAL, which is measured with its recorded "
	"artifact while the cache has it. Nothing is recorded.\v"
	"Exit status: 0 B is as fast as A, or faster; 1 B is slower, or one of them does not pass; "
	"2 they cannot be compared; 3 device or compiler is not here; 4 the times do not tell.",
	0,
	0,
	0};

/* ---- the two sides ---- */

/* Kinds of what a side's text means. */
enum side_kind { SIDE_FILE, SIDE_CONFIG, SIDE_TRIAL };

struct side {
	const char *text; /* as it was given */
	enum side_kind kind;
	struct json_doc *row; /* of a trial, with the claim that borrows from it */
	struct claim claim;
	struct workload *workload;
	const struct problem *problem;
	const char *implementation;
	char *config; /* key of the whole configuration; heap */
};

struct compare {
	const struct compare_options *o;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct side sides[PAIR_SIDES];
	struct pair_file pair;
	struct confirmation measured;
};

/* Finds the kind by the text: a file that is there is one, whatever its name; else a `=` makes a
 * configuration, and a number is a trial. */
static enum side_kind find_kind(const char *text)
{
	uint64_t trial;

	if (file_exists(text))
		return SIDE_FILE;
	if (strchr(text, '='))
		return SIDE_CONFIG;
	return units_parse_count(text, &trial) && trial <= INT64_MAX ? SIDE_TRIAL : SIDE_FILE;
}

static enum asc_status find_workload(const struct compare *c, struct side *s, const char **path,
				     struct asc_err *e)
{
	const char *db = command_db_path(c->o->db);

	*path = s->kind == SIDE_FILE ? s->text : c->o->workload;
	if (s->kind == SIDE_TRIAL) {
		if (claim_find(db, strtoll(s->text, NULL, 10), &s->row, &s->claim, e))
			return e->status;
		if (!*path)
			*path = s->claim.made.workload_file;
	}
	if (*path)
		return ASC_OK;
	return s->kind == SIDE_CONFIG
		       ? asc_err_set(e, ASC_USAGE,
				     "%s is a configuration: --workload FILE says of what", s->text)
		       : asc_err_set(e, ASC_USAGE,
				     "trial %s: the file of its workload was not recorded: "
				     "--workload FILE names it",
				     s->text);
}

static enum asc_status open_side(struct compare *c, struct side *s, struct asc_err *e)
{
	const struct compare_options *o = c->o;
	const char *path;

	s->kind = find_kind(s->text);
	if (find_workload(c, s, &path, e) ||
	    workload_file_open(path, false, false, &s->workload, e))
		return e->status;
	return o->trust ? trusted_check(s->workload, e) : ASC_OK;
}

/* The name wanted of both: by an option, else by the first trial; NULL: none is. */
static const char *find_wanted(const struct compare *c, const char *option, const char *first,
			       const char *second)
{
	return option ? option : c->sides[0].kind == SIDE_TRIAL ? first : second;
}

/* Finds the problem: the one that is named, or the only one meant for the device. */
static enum asc_status find_problem(const struct compare *c, struct side *s, const char *name,
				    struct asc_err *e)
{
	const struct problem_choice none = {0};
	size_t n = 0;

	if (name)
		return workload_open_problem(s->workload, name, &s->problem, e);
	for (size_t i = 0; i < s->workload->n_problems; i++)
		if (target_wants(&c->on.target, &s->workload->problems[i], &none)) {
			s->problem = &s->workload->problems[i];
			n++;
		}
	return n == 1 ? ASC_OK
		      : asc_err_set(e, ASC_USAGE,
				    "%s: %zu problems are meant for %s: --problem NAME chooses one",
				    s->workload->path, n, c->on.target.ops->name);
}

/* Finds the implementation: the one that is named, else the first that covers the problem here. */
static enum asc_status find_implementation(const struct compare *c, struct side *s,
					   const struct binding *b, struct asc_err *e)
{
	const char *name = c->o->implementation;
	char why[256] = "";
	bool covers = false;

	if (!name && s->kind == SIDE_TRIAL)
		name = s->claim.row.implementation;
	if (name && !workload_find_implementation(s->workload, name))
		return asc_err_set(e, ASC_NOTFOUND, "%s: there is no implementation %s",
				   s->workload->path, name);
	for (size_t i = 0; i < s->workload->n_implementations && !covers; i++) {
		const struct implementation *m = &s->workload->implementations[i];

		if (name && strcmp(m->name, name) != 0)
			continue;
		s->implementation = m->name;
		if (binding_covers(b, m, &covers, why, sizeof why, e))
			return e->status;
	}
	return covers ? ASC_OK
		      : asc_err_set(e, ASC_ABSENT, "%s: %s cannot run on %s: %s", s->workload->path,
				    s->implementation, c->on.target.ops->name, why);
}

/* Sets the key of the whole configuration: parameters that the text leaves out have their default.
 */
static enum asc_status find_config(const struct compare *c, struct side *s, const struct binding *b,
				   struct asc_err *e)
{
	const struct implementation *i =
		workload_find_implementation(s->workload, s->implementation);
	const char *text = s->kind == SIDE_TRIAL    ? s->claim.row.config_key
			   : s->kind == SIDE_CONFIG ? s->text
						    : c->o->config;
	bool given[CONFIG_MAX_PARAMETERS];
	struct space *space = NULL;
	struct buf key = {0}, why = {0};
	struct config config;
	uint64_t index;

	if (binding_space(b, i, &space, e))
		return e->status;
	enum asc_status status = ASC_OK;

	if (!space_default(space, &index)) {
		status = asc_err_set(e, ASC_INPUT, "no configuration is valid");
	} else {
		space_get(space, index, &config);
		if (text)
			status = config_parse_over(text, space_names(space), &config, given, e);
		if (status == ASC_OK && !space_find(space, &config, &index) &&
		    space_print_violations(space, &config, &why, e) == ASC_OK)
			status = asc_err_set(e, ASC_INPUT, "%s is not valid: %s", text ? text : "",
					     buf_str(&why));
	}
	if (status == ASC_OK) {
		config_key(&config, space_names(space), &key);
		s->config = str_dup(buf_str(&key));
		status = s->config ? buf_check(&key, e) : asc_err_nomem(e);
	}
	buf_fini(&key);
	buf_fini(&why);
	space_free(space);
	return status ? asc_err_wrap(e, "%s", s->text) : ASC_OK;
}

/* Finds problem, implementation and configuration of a side; `key` is that of the problem. */
static enum asc_status settle(struct compare *c, struct side *s, const char *problem, char key[33],
			      struct asc_err *e)
{
	struct loop_options lo = {.workload = s->workload, .session = &c->on.session};
	struct binding b;

	if (find_problem(c, s, problem, e))
		return e->status;
	lo.problem = s->problem;
	if (loop_bind(&lo, &b, e))
		return e->status;
	enum asc_status status = find_implementation(c, s, &b, e);

	if (status == ASC_OK)
		status = find_config(c, s, &b, e);
	memcpy(key, b.key, sizeof b.key);
	binding_fini(&b);
	return status;
}

static enum asc_status settle_both(struct compare *c, struct asc_err *e)
{
	const struct side *first = &c->sides[0], *second = &c->sides[1];
	const char *problem =
		find_wanted(c, c->o->problem, first->claim.row.problem, second->claim.row.problem);
	char keys[PAIR_SIDES][33];

	for (size_t i = 0; i < PAIR_SIDES; i++)
		if (settle(c, &c->sides[i], problem, keys[i], e))
			return e->status;
	/* Times of other work are no comparison. */
	if (strcmp(keys[0], keys[1]) != 0)
		return asc_err_set(e, ASC_INPUT,
				   "A and B compute something else: sizes, types, inputs or the "
				   "reference of %s/%s and %s/%s differ",
				   first->workload->name, first->problem->name,
				   second->workload->name, second->problem->name);
	return ASC_OK;
}

/* ---- measuring ---- */

static enum asc_status open_session(struct compare *c, struct asc_err *e)
{
	const struct compare_options *o = c->o;
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);
	struct run_options ro = {.file = c->sides[1].workload->path,
				 .device = find_wanted(c, o->device,
						       c->sides[0].claim.row.device_kind,
						       c->sides[1].claim.row.device_kind),
				 .policy = policy_default,
				 .trust = o->trust,
				 .jobs = threads > 0 ? (size_t)threads : 1};

	ro.policy.cache = o->cache;
	return run_session_open(&ro, &c->on, e);
}

/* Opens a workload that has both implementations: one process runs both. */
static enum asc_status open_pair(struct compare *c, struct asc_err *e)
{
	struct pair_side sides[PAIR_SIDES];

	for (size_t i = 0; i < PAIR_SIDES; i++)
		sides[i] = (struct pair_side){c->sides[i].workload, c->sides[i].implementation};
	return pair_file_open(sides, c->on.target.info.simulated, &c->pair, e);
}

static enum asc_status measure(struct compare *c, struct asc_err *e)
{
	struct loop_options lo = {.workload = c->pair.workload,
				  .session = &c->on.session,
				  .strategy = strategy_find("random"), /* not asked */
				  .seed = 1,
				  .version = ASCTUNE_VERSION,
				  .stop = c->stop};
	struct confirm_side sides[CONFIRMATION_SIDES];
	struct binding b;

	if (workload_open_problem(c->pair.workload, c->sides[1].problem->name, &lo.problem, e) ||
	    loop_bind(&lo, &b, e))
		return e->status;
	for (size_t i = 0; i < PAIR_SIDES; i++) {
		const struct side *s = &c->sides[i];
		const char *artifact = s->claim.made.artifact;

		sides[i] = (struct confirm_side){.what = pair_names[i],
						 .config_key = s->config,
						 .artifact = artifact ? artifact : "",
						 .implementation = pair_names[i]};
	}
	enum asc_status status = confirm_run(&lo, b.key, sides, &c->measured, e);

	binding_fini(&b);
	if (status == ASC_OK && *c->measured.reason && !c->measured.failed && !*c->stop)
		status = asc_err_set(e, ASC_INPUT, "they cannot be compared: %s",
				     c->measured.reason);
	return status;
}

/* ---- the answer ---- */

/* id, name, exit status */
#define ANSWER_LIST(X)                                                                             \
	X(TIE, "as fast", EXIT_DONE)                                                               \
	X(FASTER, "faster", EXIT_DONE)                                                             \
	X(SLOWER, "slower", EXIT_NEGATIVE)                                                         \
	X(FAILS, "failed", EXIT_NEGATIVE)                                                          \
	X(UNDECIDED, "undecided", EXIT_UNDECIDED)

enum answer {
#define X(id, name, status) ANSWER_##id,
	ANSWER_LIST(X)
#undef X
};

static const struct {
	const char *name;
	enum exit_status status;
} answers[] = {
#define X(id, name, status) {name, status},
	ANSWER_LIST(X)
#undef X
};

static enum answer find_answer(const struct confirmation *m, const struct confirmation_ratio *r)
{
	if (m->failed)
		return ANSWER_FAILS;
	if (m->n == 0)
		return ANSWER_UNDECIDED;
	if (r->low > 1 + TIE_MARGIN)
		return ANSWER_SLOWER;
	if (r->high < 1 / (1 + TIE_MARGIN))
		return ANSWER_FASTER;
	return confirmation_is_tied(r->low, r->high, TIE_MARGIN) ? ANSWER_TIE : ANSWER_UNDECIDED;
}

static void add_side(const struct compare *c, size_t i, struct buf *out)
{
	const struct side *s = &c->sides[i];
	const struct confirmation *m = &c->measured;
	char time[UNITS_TEXT_SIZE];

	buf_print(out, "  %s  ", pair_names[i]);
	if (s->kind == SIDE_TRIAL)
		buf_print(out, "trial %s: ", s->text);
	buf_print(out, "%s, %s %s\n", s->workload->path, s->implementation, s->config);
	if (s->kind == SIDE_TRIAL && m->n > 0 && !m->stored[i])
		buf_add_str(out, "     built from today's sources: its recorded artifact is gone "
				 "from the cache\n");
	for (size_t k = 0; k < m->n; k++)
		buf_print(out, "%s%s%s", k ? ", " : "     ",
			  units_print_duration(m->sessions[k].time[i].median, time),
			  k + 1 == m->n ? "\n" : "");
}

static enum asc_status print_text(const struct compare *c, enum answer a,
				  const struct confirmation_ratio *r, struct asc_err *e)
{
	const struct confirmation *m = &c->measured;
	struct buf lines = {0};

	buf_print(&lines, "%s/%s on %s: %s, %s caches\n", c->sides[1].workload->name,
		  c->sides[1].problem->name, c->on.target.ops->name, c->on.target.info.model,
		  cache_policy_name(c->o->cache));
	for (size_t i = 0; i < PAIR_SIDES; i++)
		add_side(c, i, &lines);
	if (m->n == 0 || m->failed) {
		buf_print(&lines, "%s: %s\n", answers[a].name, m->reason);
		return show_text_print(&lines, e);
	}
	buf_print(&lines, "%s%s: ", a == ANSWER_UNDECIDED ? "" : "B is ", answers[a].name);
	track_write_change(&(struct track_change){100 * (r->ratio - 1), 100 * (r->low - 1),
						  100 * (r->high - 1), true},
			   &lines);
	buf_print(&lines, " beside A, in the same rounds of %zu processes%s%s\n", m->n,
		  m->same ? "; both are the same code" : "",
		  m->unsteady ? "; the machine was busy" : "");
	return show_text_print(&lines, e);
}

static void write_side(const struct compare *c, size_t i, struct json_writer *w)
{
	const struct side *s = &c->sides[i];
	const struct confirmation *m = &c->measured;

	json_write_begin(w, NULL, '{');
	json_write_string(w, "file", s->workload->path);
	if (s->kind == SIDE_TRIAL)
		json_write_int(w, "trial_id", s->claim.row.trial_id);
	json_write_string(w, "implementation", s->implementation);
	json_write_string(w, "config_key", s->config);
	json_write_bool(w, "recorded_artifact", m->stored[i]);
	json_write_string(w, "digest", m->digest[i]);
	json_write_begin(w, "median_ns", '[');
	for (size_t k = 0; k < m->n; k++)
		json_write_real(w, NULL, m->sessions[k].time[i].median);
	json_write_end(w, ']');
	json_write_end(w, '}');
}

static enum asc_status print_json(const struct compare *c, enum answer a,
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
	json_write_string(&w, "cache", cache_policy_name(c->o->cache));
	json_write_begin(&w, "sides", '[');
	for (size_t i = 0; i < PAIR_SIDES; i++)
		write_side(c, i, &w);
	json_write_end(&w, ']');
	json_write_string(&w, "verdict", answers[a].name);
	if (m->n > 0 && !m->failed) {
		json_write_real(&w, "ratio", r->ratio);
		json_write_real(&w, "low", r->low);
		json_write_real(&w, "high", r->high);
	}
	json_write_bool(&w, "same", m->same);
	json_write_bool(&w, "unsteady", m->unsteady);
	if (*m->reason)
		json_write_string(&w, "reason", m->reason);
	json_write_end(&w, '}');
	buf_add_str(&out, "\n");
	return show_text_print(&out, e);
}

static enum asc_status compare(struct compare *c, enum answer *a, struct asc_err *e)
{
	struct confirmation_ratio r = {0};

	for (size_t i = 0; i < PAIR_SIDES; i++) {
		c->sides[i].text = c->o->sides[i];
		if (open_side(c, &c->sides[i], e))
			return e->status;
	}
	if (open_session(c, e) || settle_both(c, e) || open_pair(c, e) || measure(c, e))
		return e->status;
	if (*c->stop)
		return ASC_OK;
	if (c->measured.n > 0)
		r = confirmation_find_ratio(&c->measured);
	*a = find_answer(&c->measured, &r);
	return (c->o->json ? print_json : print_text)(c, *a, &r, e);
}

static void compare_fini(struct compare *c)
{
	run_session_close(&c->on);
	for (size_t i = 0; i < PAIR_SIDES; i++) {
		workload_close(c->sides[i].workload);
		json_close(c->sides[i].row);
		free(c->sides[i].config);
	}
	pair_file_close(&c->pair);
}

static int compare_main(int argc, char **argv)
{
	struct compare_options o = {.cache = policy_default.cache};
	struct compare c = {.o = &o};
	enum answer a = ANSWER_UNDECIDED;
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
