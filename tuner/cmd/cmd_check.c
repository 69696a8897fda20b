/* asctune check-workload: reads whole workloads and reports all that is wrong with each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/exporter_list.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/intern.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/build/builder.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/workload/aclnn_index.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload_read.h"

extern const struct command check_command;

enum {
	KEY_UNTRUSTED = 256,
	KEY_PYTHON,
	KEY_PYTHON_NPU,
	KEY_TIME,
	MAX_TOO_LARGE = 3,
	MAX_EXPORTERS = 16
};

/* --time with --untrusted: a valid file of 4 kB may ask for days, because a space may take seconds,
 * and there is one for each implementation and problem. The clock is read between two spaces. */
static const int64_t UNTRUSTED_TIME_NS = INT64_C(300000000000);

/* An architecture that all that a GPU's kernel may ask for fits. */
static const char any_arch[] = "sm_90a";

struct check {
	bool untrusted, kernels, npu_kernels;
	int checked, bad;
	int64_t start_ns, limit_ns; /* limit_ns: 0, as long as it takes */
};

static void say(void *user, const char *text)
{
	(void)user;
	prose_say(stderr, 2, "asctune: %s", text);
}

static void say_fault(void *user, const struct asc_err *fault)
{
	say(user, fault->text);
}

/* Reads the tables of verdicts; returns the number of bad ones. */
static size_t check_verdicts(const struct workload *w)
{
	struct asc_err e;
	size_t faults = 0;

	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			if (workload_check_verdicts(w, &w->implementations[i], k, &e)) {
				say(NULL, e.text);
				faults++;
			}
	return faults;
}

/* ---- what can be run ---- */

/* A space that was looked at: several problems and implementations may have an equal one. */
struct known_space {
	char key[HASH_TEXT_SIZE];
	char *fault;          /* NULL: none */
	struct value *values; /* of the default configuration; NULL: a fault */
};

/* Faults of one workload: one that several problems have is reported for the first. */
struct space_checks {
	const char *path;
	struct buf said;
	struct known_space *spaces;
	struct intern numbers; /* of `spaces`, by key */
	size_t n_spaces, spaces_capacity;
	size_t faults, too_large;  /* spaces that were given up */
	bool kernels, npu_kernels; /* builders look at what they can read, those for NPUs apart */
	int64_t end_ns;            /* INT64_MAX: none */
	bool late;
};

/* Passes over the name of the file at the head of a message that stands behind it. */
static const char *without_path(const struct space_checks *t, const char *text)
{
	const size_t n = strlen(t->path);

	return strncmp(text, t->path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2
										 : text;
}

static void say_once(struct space_checks *t, const struct problem *p,
		     const struct implementation *i, const char *text)
{
	struct buf line = {0};

	buf_print(&line, "implementation %s: %s", i->name, without_path(t, text));
	/* Without memory to compare, a fault is rather said twice than not at all. */
	if (line.failed || !strstr(buf_str(&t->said), buf_str(&line))) {
		buf_print(&t->said, "%s\n", buf_str(&line));
		prose_say(stderr, 2, "asctune: %s: problem %s: %s", t->path, p->name,
			  line.failed ? "out of memory for what is wrong" : buf_str(&line));
		t->faults++;
	}
	buf_fini(&line);
}

/* Checks that the kernel takes what the call passes, where it is looked at. */
static void check_kernel(struct space_checks *t, const struct kernel_source *k)
{
	const struct builder_ops *b = builder_find(k->call->builder, k->device);
	struct asc_err e;

	const bool wanted = strcmp(k->device, "npu") == 0 ? t->npu_kernels : t->kernels;

	if (!wanted || !b || !kernel_request_inspect(b, k, &e))
		return;
	call_wrap(k->implementation, (size_t)(k->call - k->implementation->calls), &e);
	say_once(t, k->binding->problem, k->implementation, e.text);
}

/* Checks the launch of the default; ignores one that needs facts of a device that is not here. */
static void check_default(struct space_checks *t, const struct binding *b,
			  const struct implementation *i, const struct value *values)
{
	struct config c = {.n = i->n_parameters};
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {NULL};
	struct plan plan;
	struct buf text = {0};
	struct asc_err e;
	bool failed = false;

	for (size_t k = 0; k < c.n; k++) {
		c.values[k] = values[k];
		names[k] = i->parameters[k].name;
	}
	for (size_t k = 0; k < i->n_calls && !failed; k++) {
		const struct kernel_source kernel = {.binding = b,
						     .call = &i->calls[k],
						     .implementation = i,
						     .config = &c,
						     .names = names,
						     .plan = &plan,
						     .device = b->device,
						     .arch = any_arch};

		/* A formula that lacks a fact of the device is no fault. */
		if (binding_plan(b, i, k, &c, &plan, &e) == ASC_OK)
			check_kernel(t, &kernel);
		else
			failed = e.status != ASC_ABSENT;
	}
	if (!failed)
		return;
	if (i->n_parameters > 0) {
		buf_add_str(&text, "the default configuration, ");
		config_print(&c, names, &text);
		buf_add_str(&text, ": ");
	}
	buf_add_str(&text, without_path(t, e.text));
	say_once(t, b->problem, i, buf_str(&text));
	buf_fini(&text);
}

/* ---- spaces, each distinct one once ---- */

struct wanted {
	const struct space_checks *run;
	char key[HASH_TEXT_SIZE];
};

static bool has_key(const void *user, uint32_t number)
{
	const struct wanted *w = user;

	return strcmp(w->run->spaces[number].key, w->key) == 0;
}

static enum asc_status take_key(void *user, const struct space_spec *spec, struct asc_err *e)
{
	return space_key(spec, user, e);
}

/* Makes the space; takes its default configuration, or what is wrong with it. */
static enum asc_status look_at(struct space_checks *t, const struct binding *b,
			       const struct implementation *i, struct known_space *out,
			       struct asc_err *e)
{
	struct space *s = NULL;
	struct buf why = {0};
	struct config c;
	uint64_t index;
	enum asc_status st = binding_space(b, i, &s, e);

	/* A space that cannot be made is the file's fault; memory that ran out is this program's.
	 */
	if (st == ASC_LIMIT || st == ASC_INPUT) {
		t->too_large += st == ASC_LIMIT;
		out->fault = str_dup(e->text);
	} else if (!st && space_default(s, &index)) {
		space_get(s, index, &c);
		out->values = malloc((c.n + 1) * sizeof *out->values); /* NULL: no memory */
		if (out->values)
			memcpy(out->values, c.values, c.n * sizeof *out->values);
	} else if (!st) {
		st = space_print_empty(s, &why, e);
		out->fault = st ? NULL : buf_take(&why);
	}
	buf_fini(&why);
	space_free(s);
	return out->fault || out->values ? ASC_OK : st ? st : asc_err_nomem(e);
}

/* What is known of the implementation's space, borrowed until the next call; NULL: an error. */
static const struct known_space *find_space(struct space_checks *t, const struct binding *b,
					    const struct implementation *i, struct asc_err *e)
{
	struct wanted w = {.run = t};
	struct known_space new = {.fault = NULL};

	if (binding_visit_spec(b, i, take_key, w.key, e))
		return NULL;
	const uint64_t hash = hash_bytes(w.key, sizeof w.key);
	const uint32_t number = intern_find(&t->numbers, hash, has_key, &w);

	/* A ladder's hundred problems have few spaces, and a space may take seconds. */
	if (number != INTERN_NONE)
		return &t->spaces[number];
	if (look_at(t, b, i, &new, e))
		return NULL;
	memcpy(new.key, w.key, sizeof new.key);
	if (!array_room(&t->spaces, t->n_spaces, &t->spaces_capacity, sizeof *t->spaces) ||
	    !intern_add(&t->numbers, hash, (uint32_t)t->n_spaces)) {
		free(new.fault);
		free(new.values);
		asc_err_nomem(e);
		return NULL;
	}
	t->spaces[t->n_spaces] = new;
	return &t->spaces[t->n_spaces++];
}

static void check_implementation(struct space_checks *t, const struct binding *b,
				 const struct implementation *i)
{
	const struct known_space *space = NULL;
	struct asc_err e;
	char reason[512];
	bool covers = false;
	const bool failed = binding_covers(b, i, &covers, reason, sizeof reason, &e) != ASC_OK;

	if (!failed && !covers)
		return; /* it is for other problems or devices */
	if (!failed)
		space = find_space(t, b, i, &e);
	if (space && space->values)
		check_default(t, b, i, space->values);
	else
		say_once(t, b->problem, i, space ? space->fault : e.text);
}

static bool goes_on(const struct space_checks *t)
{
	return !t->late && t->too_large < MAX_TOO_LARGE;
}

static void check_problem(struct space_checks *t, const struct workload *w, const struct problem *p,
			  const char *device)
{
	static const struct facts none;
	struct binding b = {0};
	struct asc_err e;

	if (!name_list_has(&p->devices, device) || binding_init(&b, w, p, device, &none, &e))
		return;
	for (size_t i = 0; i < w->n_implementations && goes_on(t); i++) {
		if (!json_is_sound(w->implementations[i].node))
			continue; /* its faults are said */
		t->late = clock_now_ns() >= t->end_ns;
		if (!t->late)
			check_implementation(t, &b, &w->implementations[i]);
	}
	binding_fini(&b);
}

/* True where no fault is in what every implementation is bound to. */
static bool has_sound_problems(const struct workload *w)
{
	static const char *const keys[] = {"problems", "tensors", "flops", "bytes", "least"};
	const struct json_node *root = json_root(w->doc);

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct json_node *n = json_find(root, keys[i]);

		if (n && !json_is_sound(n))
			return false;
	}
	return w->problems && w->tensors;
}

/* Checks that each implementation without a fault has configurations, and that its default can be
 * launched, on the classes of device that a problem is meant for, whatever is here: unknown facts
 * leave nothing out. */
static size_t check_spaces(const struct check *c, const char *path, const struct workload *w)
{
	/* The time is one for all files of the command line: the start is that of the command. */
	const int64_t limit_ns = c->limit_ns ? c->limit_ns : c->untrusted ? UNTRUSTED_TIME_NS : 0;
	struct space_checks t = {.path = path,
				 .kernels = c->kernels,
				 .npu_kernels = c->npu_kernels,
				 .end_ns = limit_ns ? c->start_ns + limit_ns : INT64_MAX};
	char text[UNITS_TEXT_SIZE];

	if (!has_sound_problems(w))
		return 0;
	for (size_t d = 0; device_list[d] && goes_on(&t); d++)
		for (size_t p = 0; p < w->n_problems && goes_on(&t); p++)
			check_problem(&t, w, &w->problems[p], device_list[d]->name);
	if (t.too_large == MAX_TOO_LARGE)
		prose_say(stderr, 2,
			  "asctune: %s: after %d spaces that are too large no other is looked at",
			  path, MAX_TOO_LARGE);
	if (t.late)
		prose_say(stderr, 2,
			  "asctune: %s: after %s no other space is looked at: --time allows more",
			  path, units_print_duration((double)limit_ns, text));
	for (size_t i = 0; i < t.n_spaces; i++) {
		free(t.spaces[i].fault);
		free(t.spaces[i].values);
	}
	free(t.spaces);
	intern_fini(&t.numbers);
	buf_fini(&t.said);
	return t.faults + t.late;
}

/* ---- what is doubtful ---- */

/* Warns of indices that name an implementation of the operator's library: of one that stands on a
 * kernel of this workload, whose results would choose the library's, and of one that is not the
 * number that InfiniOps gives an implementation made of these operators of CANN. */
static void warn_of_indices(const char *path, const struct workload *w)
{
	const struct json_node *library = w->exports ? json_find(w->exports, "infiniops") : NULL;
	const struct json_node *named = library ? json_find(library, "operator") : NULL;
	const char *operator_name = NULL;
	struct asc_err e;
	int64_t index;

	if (named && json_get_string(named, &operator_name, &e))
		operator_name = NULL;
	for (size_t k = 0; k < w->n_implementations; k++) {
		const struct implementation *i = &w->implementations[k];

		if (operator_name && aclnn_index_find(operator_name, i, &index) &&
		    index != i->index)
			log_print(LOG_WARN,
				  "%s: implementations[%zu].index: is %lld, but in %s it is %lld",
				  path, k, (long long)i->index, ACLNN_INDEX_SOURCE,
				  (long long)index);
		for (size_t c = 0; i->index >= 0 && c < i->n_calls; c++) {
			const char *source = i->calls[c].source;

			/* A source of an installed library, or of a source tree around the
			 * workload, is skipped, and a Python function, which may call the library.
			 */
			if (callable_is_of(&i->calls[c], "python") ||
			    !source_is_file(i->calls[c].builder, source) || source[0] == '/' ||
			    strncmp(source, "../", 3) == 0)
				continue;
			log_print(LOG_WARN,
				  "%s: implementations[%zu].index: is %lld, but %s is a kernel of "
				  "this workload, expected one of the operator's library",
				  path, k, (long long)i->index, source);
			break; /* one such call is enough */
		}
	}
}

/* Warns of a library whose name is nearly that of an exporter: any other may be given to one. */
static void warn_of_libraries(const char *path, const struct workload *w)
{
	const char *names[MAX_EXPORTERS + 1] = {NULL};
	size_t n = 0;

	for (size_t i = 0; exporter_list[i] && n < MAX_EXPORTERS; i++)
		if (exporter_list[i]->needs == EXPORT_DISPATCH)
			names[n++] = exporter_list[i]->name;
	for (const struct json_node *m = w->exports ? json_first(w->exports) : NULL; m;
	     m = json_next(m)) {
		const char *near = str_nearest(json_key(m), names);

		if (near && strcmp(near, json_key(m)) != 0)
			log_print(LOG_WARN,
				  "%s: export.%s: no exporter has that name (did you mean %s?)",
				  path, json_key(m), near);
	}
}

/* Warns of rows that no configuration can reach. */
static void warn_of_tables(const char *path, const struct workload *w)
{
	for (size_t k = 0; k < w->n_implementations; k++)
		for (size_t t = 0; t < w->implementations[k].n_tables; t++) {
			const struct value_table *v = &w->implementations[k].tables[t];

			if (v->n_ignored)
				log_print(LOG_WARN,
					  "%s: implementations[%zu].tables.%s: %zu of %zu rows "
					  "have a value that its parameter does not have; they are "
					  "ignored",
					  path, k, v->name, v->n_ignored, v->n_rows + v->n_ignored);
		}
}

/* Checks one file, from outside to inside: may it be read, is it a workload, does it name anything
 * doubtful, can its configurations be launched? */
static void check_one(struct check *c, const char *path)
{
	struct workload *w = NULL;
	struct asc_err e;
	size_t faults = 1;

	c->checked++;
	if (c->untrusted && untrusted_check_file(path, &e)) {
		say(NULL, e.text);
	} else {
		faults = workload_open_checked(path, &w, say, NULL);
		if (faults == 0) {
			if (c->untrusted)
				faults = untrusted_check(w, say_fault, NULL);
			if (faults == 0) /* a stranger's table lies in its folder by then */
				faults = check_verdicts(w);
			warn_of_indices(path, w);
			warn_of_libraries(path, w);
			warn_of_tables(path, w);
		}
	}
	/* The spaces of the sound parts of a workload with faults are looked at, too. */
	if (w && (c->kernels || c->npu_kernels) && sandbox_grant(path, !c->untrusted, &e)) {
		say(NULL, e.text);
		faults++;
	} else if (w) {
		faults += check_spaces(c, path, w);
	}
	if (faults > 0 || !w) {
		c->bad++;
	} else {
		char more[64] = "";

		if (w->n_unsupported)
			(void)snprintf(more, sizeof more, " and %zu unsupported", w->n_unsupported);
		prose_say(stdout, 2,
			  "%s: ok: %s, problems: %zu, tensors: %zu, implementations: %zu%s", path,
			  w->name, w->n_problems, w->n_tensors, w->n_implementations, more);
	}
	workload_close(w);
}

static error_t parse_check(int key, char *arg, struct argp_state *state)
{
	struct check *c = state->input;
	struct workload_files files;
	struct asc_err e;

	switch (key) {
	case KEY_UNTRUSTED: c->untrusted = true; return 0;
	case KEY_PYTHON:
		c->kernels = true;
		command_parse_python(state, arg);
		return 0;
	case KEY_PYTHON_NPU:
		c->npu_kernels = true;
		command_parse_python_npu(state, arg);
		return 0;
	case KEY_TIME:
		if (!units_parse_duration(arg, &c->limit_ns))
			command_refuse(state,
				       "--time: expected a duration such as 5m (at "
				       "most " UNITS_DURATION_MOST "), "
				       "not \"%s\"",
				       arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_refuse(state, "a workload FILE or FOLDER is needed");
		return 0;
	case ARGP_KEY_ARG: break;
	default: return ARGP_ERR_UNKNOWN;
	}
	/* argp brings arguments when all options are read, wherever these stand. */
	if (workload_files_find(arg, &files, &e)) {
		command_fail(&e);
		c->bad++;
		return 0;
	}
	for (size_t i = 0; i < files.n; i++)
		check_one(c, files.paths[i]);
	workload_files_fini(&files);
	return 0;
}

static const struct argp_option options[] = {
	{"python", KEY_PYTHON, "PROGRAM", 0,
	 "looks at Triton kernels by this interpreter: that each takes its arguments, parameters "
	 "and constants",
	 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0,
	 "the same for what they are on NPUs, by this interpreter", 0},
	{"time", KEY_TIME, "DURATION", 0,
	 "begins no further search space after this time in all, and fails where one is left "
	 "(default: none, with --untrusted 5m)",
	 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{0}};

static const struct argp check_argp = {
	options,
	parse_check,
	"FILE|FOLDER...",
	"Checks workloads: structure, names, expressions and shapes of every problem and "
	"implementation; that each has configurations, and that its default can be "
	"launched. That a kernel takes its arguments is checked by the first build "
	"(`asctune run --config`), or of Triton kernels with --python.",
	0,
	0,
	0};

static int check_main(int argc, char **argv)
{
	struct check c = {.start_ns = clock_now_ns()};

	command_parse(&check_argp, argc, argv, &c);
	return c.bad ? EXIT_USAGE : EXIT_DONE;
}

const struct command check_command = {"check-workload", "checks workload files", &check_argp,
				      check_main};
