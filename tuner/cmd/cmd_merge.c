/* asctune merge: joins the databases of many machines. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "db/merge.h"
#include "reports/results/best.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"

extern const struct command merge_command;

struct merge_options {
	const char *db;
	bool json;
	const char **files;
	size_t n_files;
};

static error_t parse_merge(int key, char *arg, struct argp_state *state)
{
	struct merge_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; break;
	case 'j': o->json = true; break;
	case ARGP_KEY_ARG: o->files[o->n_files++] = arg; break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "at least one DB is needed"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option merge_options[] = {
	{"db", 'd', "FILE", 0, "database to merge into (default $ASCTUNE_DB, else asctune.db)", 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each database", 0},
	{0}};
static const struct argp merge_argp = {
	merge_options,
	parse_merge,
	"DB...",
	"Joins databases of several machines or nights: brings their runs, with all that was "
	"recorded in them, into one.\vA run that is there already is not added twice, one that was "
	"in progress is completed, and the order of the databases does not matter. Simulated "
	"results stay simulated. Each database is merged as a whole or not at all, and is only "
	"read; one that cannot be read is named, the others are merged, and the exit status is 2.",
	0,
	0,
	0};

/* Counts to print, in order; the first is printed even when it is 0. */
#define MERGED_LIST(X)                                                                             \
	X("runs", runs, "run", "runs")                                                             \
	X("trials", trials, "trial", "trials")                                                     \
	X("completed", completed, "run completed", "runs completed")                               \
	X("acknowledgements", acknowledgements, "acknowledgement", "acknowledgements")             \
	X("known", known, "run known before", "runs known before")

struct figure {
	const char *name, *one, *many;
	int64_t n;
};

static enum asc_status show(const struct merge_options *o, const char *path,
			    const struct db_merged *m, struct asc_err *e)
{
#define FIGURE(name, member, one, many) {name, one, many, m->member},
	const struct figure figures[] = {MERGED_LIST(FIGURE)};
#undef FIGURE
	struct buf line = {0};
	struct json_writer w = {&line, false};

	if (o->json) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "file", path);
	} else {
		columns_add(&line, path, SIZE_MAX, columns_utf8_wanted());
		buf_add_str(&line, ": ");
	}
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (o->json)
			json_write_int(&w, figures[i].name, figures[i].n);
		else if (i == 0 || figures[i].n > 0)
			buf_print(&line, "%s%" PRId64 " %s", i ? ", " : "", figures[i].n,
				  figures[i].n == 1 ? figures[i].one : figures[i].many);
	if (o->json)
		json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* Makes the target database only when there is something to merge. */
static enum asc_status merge_file(struct db **db, const struct merge_options *o, const char *path,
				  struct asc_err *e)
{
	struct db *probe = NULL;
	struct db_merged merged;
	enum asc_status status = *db ? ASC_OK : db_open(path, DB_READ, &probe, e);

	db_close(probe);
	if (status == ASC_OK && !*db)
		status = db_open(command_db_path(o->db), DB_WRITE, db, e);
	if (status == ASC_OK)
		status = db_merge(*db, path, &merged, e);
	return status ? status : show(o, path, &merged, e);
}

/* True for a failure of one file, behind which the others are merged. */
static bool is_of_file(enum asc_status status)
{
	return status == ASC_INPUT || status == ASC_USAGE || status == ASC_NOTFOUND ||
	       status == ASC_IO || status == ASC_NEWER;
}

static int merge_main(int argc, char **argv)
{
	struct merge_options o = {.files = calloc((size_t)argc, sizeof *o.files)};
	enum asc_status status = ASC_OK;
	int left_out = EXIT_DONE;
	struct db *db = NULL;
	struct asc_err e;

	if (!o.files) {
		asc_err_nomem(&e);
		return command_fail(&e);
	}
	command_parse(&merge_argp, argc, argv, &o);
	for (size_t i = 0; status == ASC_OK && i < o.n_files; i++) {
		status = merge_file(&db, &o, o.files[i], &e);
		if (is_of_file(status)) {
			left_out = command_fail(&e);
			status = ASC_OK;
		}
	}
	status = best_keep(db, status, &e); /* files before one that failed are merged, too */
	db_close(db);
	free(o.files);
	return status ? command_fail(&e) : left_out;
}

const struct command merge_command = {"merge", "joins databases of several machines or nights",
				      &merge_argp, merge_main};
