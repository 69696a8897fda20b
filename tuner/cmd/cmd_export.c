/* asctune export: writes results, or the spaces that they are of, in the format of one consumer. */
#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/dispatch/dispatch.h"
#include "reports/export/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/binding/workload_open.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/target.h"

enum { KEY_FORCE = 256 };

extern const struct command export_command;

struct export_options {
	const struct exporter_ops *exporter;
	const char *file, *folder, *db, *device, *problem, *implementation;
	bool simulated, force;
};

static void take_argument(struct argp_state *state, struct export_options *o, const char *arg)
{
	if (state->arg_num > 1)
		command_refuse(state, "one FORMAT and one FILE at a time");
	if (state->arg_num == 1) {
		o->file = arg;
		return;
	}
	o->exporter = exporter_find(arg);
	if (!o->exporter)
		command_refuse(state, "no exporter \"%s\"; `asctune list exporters` names them",
			       arg);
}

/* Checks that the options fit the exporter. */
static void check_options(struct argp_state *state, const struct export_options *o)
{
	const char *name = o->exporter->name;
	bool of_workload = o->exporter->needs == EXPORT_SPACES;

	if (of_workload && !o->file)
		command_refuse(state, "%s: a workload FILE is needed", name);
	if (!of_workload && (o->file || o->device || o->problem || o->implementation))
		command_refuse(state,
			       "%s writes what the database holds: FILE, --device, --problem and "
			       "--impl are not for it",
			       name);
	if (of_workload && o->db)
		command_refuse(state, "%s reads no database", name);
	if (o->simulated && o->exporter->needs != EXPORT_TRIALS)
		command_refuse(state, "%s never writes simulated results", name);
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
	case ARGP_KEY_ARG: take_argument(state, o, arg); break;
	case ARGP_KEY_NO_ARGS:
		command_refuse(state, "a FORMAT is needed; `asctune list exporters` names them");
		break;
	case ARGP_KEY_SUCCESS: check_options(state, o); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option export_options[] = {
	{"output", 'o', "FOLDER", 0,
	 "folder to write into (default: the current one); - is stdout, for a single file", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"simulated", 's', NULL, 0,
	 "t4, csv: writes imported (simulated) results instead of measured ones", 0},
	{"force", KEY_FORCE, NULL, 0, "replaces existing files that asctune did not write", 0},
	{"device", 'D', "DEVICE", 0, "t1: " TARGET_PLAN_HELP, 0},
	{"problem", 'p', "NAME", 0, "t1: only this problem (default: all)", 0},
	{"impl", 'i', "NAME", 0, "t1: only this implementation", 0},
	{0}};
static const struct argp export_argp = {
	export_options,
	parse_export,
	"FORMAT [FILE]",
	"Writes results in formats that other programs read.\vFORMAT is json: best.json, "
	"the best configurations with their evidence; t4: results for Kernel Tuner and "
	"others of its kind; csv: trials.csv, a line for every trial, where a text that "
	"a spreadsheet would take for a formula begins with an apostrophe; t1: the "
	"search spaces of the workload FILE on a device, for the same programs as t4. "
	"The first three read the database.",
	0,
	0,
	0};

static enum asc_status export_results(const struct export_options *o, struct export_request *r,
				      struct sink *to, struct asc_err *e)
{
	enum asc_status status = db_open(command_db_path(o->db), DB_READ, &r->db, e);

	if (status == ASC_OK && o->exporter->needs == EXPORT_DISPATCH)
		status = dispatch_read(r->table, r->db, r->simulated, e);
	if (status == ASC_OK)
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
	struct dispatch table = {0};
	struct export_request r = {.table = &table, .simulated = o->simulated};
	enum asc_status status = o->exporter->needs == EXPORT_SPACES ? export_workload(o, &r, to, e)
								     : export_results(o, &r, to, e);

	return status ? status : sink_place(to, e);
}

static int export_main(int argc, char **argv)
{
	struct export_options o = {.folder = "."};
	struct buf text = {0};
	struct asc_err e;

	command_parse(&export_argp, argc, argv, &o);
	struct sink to = {.folder = o.folder,
			  .text = strcmp(o.folder, "-") == 0 ? &text : NULL,
			  .existing = o.force ? SINK_REPLACE : SINK_KEEP};
	const enum asc_status status = export_files(&o, &to, &e);

	if (status == ASC_OK && to.text)
		fwrite(text.data, 1, text.len, stdout);
	else if (status == ASC_OK)
		fprintf(stderr, "%s: %zu file%s written to %s\n", o.exporter->name, to.n,
			to.n == 1 ? "" : "s", o.folder);
	buf_fini(&text);
	sink_fini(&to);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command export_command = {"export", "writes results for other programs", &export_argp,
				       export_main};
