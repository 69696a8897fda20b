/* asctune export: best configurations in the form that one consumer reads. */
#include <stdio.h>

#include "db/db.h"
#include "reports/export/exporter.h"
#include "tuner/cmd/command.h"

extern const struct command export_command;

struct export_options {
	const struct exporter_ops *exporter;
	const char *folder, *db;
};

static error_t parse_export(int key, char *arg, struct argp_state *state)
{
	struct export_options *o = state->input;

	switch (key) {
	case 'o': o->folder = arg; return 0;
	case 'd': o->db = arg; return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a FORMAT is needed; `asctune list exporters` names them");
		return 0;
	case ARGP_KEY_ARG: break;
	default: return ARGP_ERR_UNKNOWN;
	}
	if (state->arg_num > 0)
		argp_error(state, "one FORMAT at a time");
	o->exporter = exporter_find(arg);
	if (!o->exporter)
		argp_error(state, "no exporter \"%s\"; `asctune list exporters` names them", arg);
	return 0;
}

static const struct argp_option export_options[] = {
	{"output", 'o', "FOLDER", 0, "where to write (default: the current folder)", 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{0}};
static const struct argp export_argp = {
	export_options,
	parse_export,
	"FORMAT",
	"Writes the best configurations as the tables that operator libraries read.",
	0,
	0,
	0};

static int export_main(int argc, char **argv)
{
	struct export_options o = {.folder = "."};
	struct db *db = NULL;
	struct asc_err e;
	int files = 0;

	command_parse(&export_argp, argc, argv, &o);
	enum asc_status status = db_open(command_db_path(o.db), DB_READ, &db, &e);

	if (status == ASC_OK)
		status = o.exporter->write(db, o.folder, &files, &e);
	db_close(db);
	if (status)
		return command_fail(&e);
	fprintf(stderr, "%s: %d file%s written to %s\n", o.exporter->name, files,
		files == 1 ? "" : "s", o.folder);
	return EXIT_DONE;
}

const struct command export_command = {"export", "writes tables for operator libraries",
				       &export_argp, export_main};
