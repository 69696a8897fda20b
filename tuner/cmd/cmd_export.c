/* asctune export: writes results, or the spaces that they are of, in the format of one consumer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/exporter_list.h"
#include "reports/exchange/reader_ask.h"
#include "reports/tables/dispatch.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/export_check.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/binding/workload_open.h"

enum {
	KEY_FORCE = 256,
	KEY_MERGE,
	KEY_UNPROVED,
	KEY_FOREIGN,
	KEY_SET,
	KEY_CHECK,
	KEY_COVER,
	KEY_EXPLAIN,
	KEY_PACKAGE,
	KEY_PYTHON,
	MAX_SETTINGS = 16,
	MOST_NAMED = 8
};

extern const struct command export_command;

struct export_options {
	const struct exporter_ops *exporter;
	const char *file, *folder, *db, *device, *problem, *implementation;
	struct export_check check; /* path NULL: none */
	bool simulated, force, merge, foreign, explain, unproved;
	double cover; /* loss that is allowed; below 0: the best of each problem */
	struct export_setting settings[MAX_SETTINGS];
	size_t n_settings;
};

static void take_argument(struct argp_state *state, struct export_options *o, const char *arg)
{
	enum { MAX_NAMES = 64 };
	const char *names[MAX_NAMES + 1] = {NULL};

	if (state->arg_num > 1)
		command_refuse(state, "one FORMAT and one FILE at a time");
	if (state->arg_num == 1) {
		o->file = arg;
		return;
	}
	o->exporter = exporter_find(arg);
	for (size_t i = 0; exporter_list[i] && i < MAX_NAMES; i++)
		names[i] = exporter_list[i]->name;
	const char *near = str_nearest(arg, names);

	if (!o->exporter && near)
		command_refuse(state, "no exporter \"%s\"; did you mean \"%s\"?", arg, near);
	if (!o->exporter)
		command_refuse(state, "no exporter \"%s\"; `asctune list exporters` names them",
			       arg);
}

/* Takes NAME=VALUE, which is written to. */
static void take_setting(struct argp_state *state, struct export_options *o, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text)
		command_refuse(state, "--set %s: expected NAME=VALUE", text);
	if (o->n_settings == MAX_SETTINGS)
		command_refuse(state, "--set: at most %d", MAX_SETTINGS);
	*equals = '\0';
	o->settings[o->n_settings++] = (struct export_setting){text, equals + 1};
}

/* Refuses options that the exporter, or --check, has no use for. */
static void check_use(struct argp_state *state, const struct export_options *o)
{
	const struct exporter_ops *x = o->exporter;
	const bool spaces = x && x->needs == EXPORT_SPACES;
	const bool table = x && x->needs == EXPORT_DISPATCH;
	const struct {
		bool given, taken;
		const char *name;
	} options[] = {{o->file, spaces, "FILE"},
		       {o->folder, x && !o->explain, "--output"},
		       {o->device, spaces || !x, "--device"},
		       {o->problem, spaces || table, "--problem"},
		       {o->implementation, spaces, "--impl"},
		       {o->db, !spaces, "--db"},
		       {o->simulated, x && x->simulated, "--simulated"},
		       {o->foreign, table, "--foreign-kernel"},
		       {o->force, x && !o->explain, "--force"},
		       {o->merge, x && x->kind.merge && !o->explain, "--merge"},
		       {o->explain, x && x->explain, "--explain"},
		       {o->unproved, x && x->explain, "--unproved"},
		       {o->n_settings > 0, x, "--set"},
		       {o->check.package, !x, "--package"},
		       {o->check.python, !x, "--python"},
		       {o->cover >= 0, table || (x && x->needs == EXPORT_BEST), "--cover"}};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given && !options[i].taken)
			command_refuse(state, "%s is not for %s, which writes %s", options[i].name,
				       !x                         ? "--check"
				       : o->explain && x->explain ? "--explain"
								  : x->name,
				       x && !(o->explain && x->explain)
					       ? exporter_needs_name(x->needs)
					       : "nothing");
}

/* Checks that the options fit the exporter and one another. */
static void check_options(struct argp_state *state, const struct export_options *o)
{
	const struct exporter_ops *x = o->exporter;

	if (o->merge && o->force)
		command_refuse(state, "--merge and --force exclude each other");
	if (x->needs == EXPORT_SPACES && !o->file)
		command_refuse(state, "%s: a workload FILE is needed", x->name);
	for (size_t i = 0; i < o->n_settings; i++)
		if (!exporter_find_option(x, o->settings[i].name))
			command_refuse(state,
				       "%s has no option \"%s\"; `asctune list exporters` has them",
				       x->name, o->settings[i].name);
}

static error_t parse_export(int key, char *arg, struct argp_state *state)
{
	struct export_options *o = state->input;

	switch (key) {
	case 'o': o->folder = arg; break;
	case 'd': o->db = arg; break;
	case 'D': o->device = arg; break;
	case 'p': o->problem = arg; break;
	case 'i': o->implementation = arg; break;
	case 's': o->simulated = true; break;
	case KEY_FORCE: o->force = true; break;
	case KEY_MERGE: o->merge = true; break;
	case KEY_UNPROVED: o->unproved = true; break;
	case KEY_EXPLAIN: o->explain = true; break;
	case KEY_FOREIGN: o->foreign = true; break;
	case KEY_COVER: o->cover = command_parse_part(state, "cover", arg); break;
	case KEY_SET: take_setting(state, o, arg); break;
	case ARGP_KEY_ARG: take_argument(state, o, arg); break;
	case KEY_CHECK: o->check.path = arg; break;
	case KEY_PACKAGE: o->check.package = arg; break;
	case KEY_PYTHON:
		command_parse_python(state, arg);
		o->check.python = arg;
		break;
	case ARGP_KEY_END:
		if (!o->check.path == !o->exporter)
			command_refuse(state, "a FORMAT is needed, or --check PATH alone; "
					      "`asctune list exporters` names formats");
		break;
	case ARGP_KEY_SUCCESS:
		check_use(state, o);
		o->check.db = o->db;
		o->check.device = o->device;
		if (o->exporter)
			check_options(state, o);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option export_options[] = {
	{"output", 'o', "FOLDER", 0,
	 "folder to write into (default: the current one); - is stdout, for a single file", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"simulated", 's', NULL, 0, "writes imported (simulated) results instead of measured ones",
	 0},
	{"force", KEY_FORCE, NULL, 0, "replaces existing files that asctune did not write", 0},
	{"merge", KEY_MERGE, NULL, 0,
	 "infiniops and tables of readers: puts rules or rows into a file that asctune did "
	 "not write; what else is there stays",
	 0},
	{"explain", KEY_EXPLAIN, NULL, 0,
	 "tables of readers: prints each row with the reason why it holds a result or the "
	 "library's default, and each result that is left out; writes no file",
	 0},
	{"unproved", KEY_UNPROVED, NULL, 0,
	 "tables of readers: takes results that were not measured beside what the library takes "
	 "without the table (`asctune run --table` does that), and lets rows serve the sizes "
	 "between them unmeasured; default: the library's own there",
	 0},
	{"foreign-kernel", KEY_FOREIGN, NULL, 0,
	 "tables: takes results of other kernels than the library's, too", 0},
	{"cover", KEY_COVER, "PCT%", 0,
	 "json, tables: of each kernel the fewest configurations that lose no more than PCT % "
	 "(geometric mean) serve all its problems, each where it was measured and, in tables, "
	 "at sizes between; default: the best of each problem",
	 0},
	{"set", KEY_SET, "NAME=VALUE", COMMAND_REPEATABLE,
	 "an option of the exporter's own, as `asctune list exporters` has them; may be repeated",
	 0},
	{"check", KEY_CHECK, "PATH", 0,
	 "writes nothing: names the rows of the table PATH, or of those in the folder PATH, "
	 "that are stale, by what the database has now, by the sources that are there and, "
	 "with --device, by that device; tables of readers by the Triton and the library that "
	 "are installed, too; exit status 1 if there are any",
	 0},
	{"package", KEY_PACKAGE, "FILE|FOLDER", 0,
	 "with --check: a wheel, a source archive or a folder of the library that reads the "
	 "tables (default: what is installed)",
	 0},
	{"python", KEY_PYTHON, "PROGRAM", 0,
	 "with --check: the Python interpreter that has the library and its Triton (default "
	 "$ASCTUNE_PYTHON, else python3)",
	 0},
	{"device", 'D', "DEVICE", 0, "t1: " TARGET_PLAN_HELP, 0},
	{"problem", 'p', "NAME", 0,
	 "t1, tables: only this problem, or those of this ladder (default: all); of tables "
	 "WORKLOAD/NAME, too",
	 0},
	{"impl", 'i', "NAME", 0, "t1: only this implementation", 0},
	{0}};
static const struct argp export_argp = {
	export_options,
	parse_export,
	"FORMAT [FILE]\n--check PATH",
	"Writes results in formats that other programs read.\vFORMAT is json: best.json, "
	"the best configurations with their evidence; t4: results for Kernel Tuner and "
	"others of its kind; csv: trials.csv, a line for every trial, where a text that "
	"a spreadsheet would take for a formula begins with an apostrophe; trace: "
	"trace.json, a run over time, for Perfetto; t1: the "
	"search spaces of the workload FILE on a device, for the same programs as t4; "
	"infiniops: implementation_index.json, a table of rules for libasctune; c-header: one for "
	"C and C++ without a library; vllm, sglang, fla, ninetoothed, triton, flaggems: tables "
	"that these libraries read themselves (`asctune list readers`; docs/readers has the "
	"commands of each). All but t1 read the database.",
	0,
	0,
	0};

/* ---- writing ---- */

static enum asc_status export_results(const struct export_options *o, struct export_request *r,
				      struct sink *to, struct asc_err *e)
{
	const enum dispatch_source source = o->simulated ? DISPATCH_SIMULATED
					    : o->exporter->needs == EXPORT_BEST
						    ? DISPATCH_BEST
						    : DISPATCH_IMPLEMENTATIONS;
	enum asc_status status = db_open(command_db_path(o->db), DB_READ, &r->db, e);

	if (status == ASC_OK && o->exporter->needs != EXPORT_TRIALS)
		status = dispatch_read(r->table, r->db, source, e);
	/* A cover is of the problems that are asked for: others would cost it configurations. */
	if (status == ASC_OK && o->cover >= 0)
		dispatch_limit(r->table, o->problem);
	if (status == ASC_OK && o->cover >= 0)
		status = dispatch_cover(r->table, r->db, o->cover, e);
	if (status == ASC_OK && o->cover >= 0)
		dispatch_note_covers(r->table);
	if (status == ASC_OK && o->explain)
		status = o->exporter->explain(o->exporter, r, to->text, e);
	else if (status == ASC_OK)
		status = o->exporter->write(o->exporter, r, to, e);
	dispatch_fini(r->table);
	db_close(r->db);
	return status;
}

static enum asc_status export_workload(const struct export_options *o, struct export_request *r,
				       struct sink *to, struct asc_err *e)
{
	const char *problem = o->problem ? o->problem : "all";
	const struct problem_choice choice = {.names = {problem}, .n = 1};
	struct workload *w = NULL;
	struct target t;
	enum asc_status status = workload_open(o->file, &w, e);

	if (status == ASC_OK)
		status = target_plan(o->device, &t, e);
	if (status == ASC_OK)
		status = target_check(&t, w, &choice, o->implementation, e);
	if (status == ASC_OK) {
		r->workload = w;
		r->device = t.ops->name;
		r->device_model = t.info.model;
		r->facts = &t.info.facts;
		r->limits = target_limits(&t);
		r->problem = strcmp(problem, "all") == 0 ? NULL : problem;
		r->implementation = o->implementation;
		status = o->exporter->write(o->exporter, r, to, e);
	}
	workload_close(w);
	return status;
}

static enum asc_status export_files(const struct export_options *o, struct sink *to,
				    struct asc_err *e)
{
	char *database = realpath(command_db_path(o->db), NULL);
	struct dispatch table = {0};
	struct export_request r = {
		.table = &table,
		.terms = {.problem = o->problem, .foreign_kernels = o->foreign},
		.database = database,
		.ask = reader_ask,
		.simulated = o->simulated,
		/* Simulated times prove nothing. */
		.proof = o->unproved || o->simulated ? EXPORT_UNPROVED : EXPORT_PROVED,
		.settings = o->settings,
		.n_settings = o->n_settings,
	};
	enum asc_status status = o->exporter->needs == EXPORT_SPACES ? export_workload(o, &r, to, e)
								     : export_results(o, &r, to, e);

	free(database);
	/* All files or none: they are put in their places when the last one is complete. */
	return status ? status : sink_place(to, e);
}

/* Prints which files were written: the only one in the line, several below it, and of many the
 * first. */
static void say_written(const struct export_options *o, const struct sink *to)
{
	const size_t n = o->folder ? strlen(o->folder) : 0;
	const size_t shown = to->n_list > MOST_NAMED ? MOST_NAMED : to->n_list;
	struct prose p;

	prose_open(&p, stderr);
	prose_put(&p, INK_PLAIN, "%s: ", o->exporter->name);
	if (to->n_list == 1) {
		prose_put(&p, INK_PLAIN, "written to ");
	} else {
		prose_put(&p, INK_PLAIN, "%zu files written:", to->n_list);
		prose_end(&p, 2);
	}
	for (size_t i = 0; i < shown; i++) {
		prose_put(&p, INK_PLAIN, to->n_list > 1 ? "  " : "");
		/* The path as the user may open it. */
		prose_put(&p, INK_PLAIN, "%s%s%s", n ? o->folder : "",
			  n && o->folder[n - 1] != '/' ? "/" : "", sink_get_name(to, i));
		prose_end(&p, 4);
	}
	if (shown < to->n_list)
		prose_say(stderr, 2, "  and %zu more", to->n_list - shown);
	prose_close(&p);
}

static int export_main(int argc, char **argv)
{
	struct export_options o = {.cover = -1};
	struct buf text = {0};
	struct asc_err e;

	command_parse(&export_argp, argc, argv, &o);
	if (o.check.path)
		return export_check_main(&o.check);
	const char *folder = o.folder ? o.folder : ".";
	struct sink to = {.folder = folder,
			  .text = o.explain || strcmp(folder, "-") == 0 ? &text : NULL,
			  .existing = o.force   ? SINK_REPLACE
				      : o.merge ? SINK_MERGE
						: SINK_KEEP};
	enum asc_status status = export_files(&o, &to, &e);

	if (status == ASC_OK && to.text)
		status = sink_print(&to, stdout, &e);
	else if (status == ASC_OK)
		say_written(&o, &to);
	buf_fini(&text);
	sink_fini(&to);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command export_command = {"export", "writes results for other programs", &export_argp,
				       export_main};
