/* asctune import: results that were measured elsewhere. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "reports/exchange/import.h"
#include "reports/exchange/importer.h"
#include "reports/results/best.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command import_command;

struct import_options {
	const char *db;
	struct import_names names;
	const struct importer_ops *from; /* NULL: by a file's content */
	const char **files;
	size_t n_files;
};

static error_t parse_import(int key, char *arg, struct argp_state *state)
{
	struct import_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; break;
	case 'w': o->names.workload = arg; break;
	case 'm': o->names.device = arg; break;
	case 'f':
		o->from = importer_find(arg);
		if (!o->from)
			command_refuse(state,
				       "no importer \"%s\"; `asctune list importers` names them",
				       arg);
		break;
	case ARGP_KEY_ARG: o->files[o->n_files++] = arg; break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "at least one FILE is needed"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option import_options[] = {
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"from", 'f', "FORMAT", 0,
	 "what the files are (asctune list importers; default: what their content looks like)", 0},
	{"workload", 'w', "NAME", 0,
	 "workload of the results, where a file does not name it (default: the file's "
	 "name)",
	 0},
	{"model", 'm', "NAME", 0,
	 "device of the results, where a file does not name it (default: the file's name)", 0},
	{0}};
static const struct argp import_argp = {
	import_options,
	parse_import,
	"FILE...",
	"Records results that were measured elsewhere: files in the T4 format, as Kernel "
	"Tuner and `asctune export t4` write them, cache files of Kernel Tuner, JSON of "
	"CLBlast's tuners, and CSV of catlass' tuner, packed with gzip or not; and "
	"configurations without times from tables of vLLM, SGLang and "
	"flash-linear-attention.\vImported "
	"results count as simulated: `best` never shows them, and `export` writes them "
	"only with --simulated. A file is recorded as a whole or not at all; a file that "
	"was recorded before is skipped.",
	0,
	0,
	0};

/* Opens the database when there is something to record: a refused file leaves none behind. */
static enum asc_status import_file(struct db **db, const struct import_options *o, const char *path,
				   struct asc_err *e)
{
	struct import *file = NULL;
	struct import_summary s;
	enum asc_status status = import_open(path, o->from, &file, e);

	if (status == ASC_OK && !*db)
		status = db_open(command_db_path(o->db), DB_WRITE, db, e);
	if (status == ASC_OK)
		status = import_record(file, *db, &o->names, &s, e);
	if (status == ASC_OK && s.known)
		prose_say(stderr, 2, "%s: recorded before", path);
	else if (status == ASC_OK && s.untimed)
		prose_say(stderr, 2, "%s: %" PRId64 " configuration%s recorded, without times",
			  path, s.results, s.results == 1 ? "" : "s");
	else if (status == ASC_OK)
		prose_say(stderr, 2, "%s: %" PRId64 " result%s recorded, %" PRId64 " of them ok",
			  path, s.results, s.results == 1 ? "" : "s", s.ok);
	import_close(file);
	return status;
}

static int import_main(int argc, char **argv)
{
	struct import_options o = {.names = {.version = ASCTUNE_VERSION},
				   .files = calloc((size_t)argc, sizeof *o.files)};
	struct db *db = NULL;
	struct asc_err e;

	if (!o.files) {
		asc_err_nomem(&e);
		return command_fail(&e);
	}
	command_parse(&import_argp, argc, argv, &o);
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < o.n_files; i++)
		status = import_file(&db, &o, o.files[i], &e);
	status = best_keep(db, status, &e); /* a converted database has no answers yet */
	db_close(db);
	free(o.files);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command import_command = {"import", "records results that were measured elsewhere",
				       &import_argp, import_main};
