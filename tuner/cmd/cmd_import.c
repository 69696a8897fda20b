/* asctune import: results that were measured elsewhere. */
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/db.h"
#include "reports/exchange/import.h"
#include "reports/exchange/importer.h"
#include "reports/results/best.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
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
	"FILE|FOLDER...",
	"Records results that were measured elsewhere: files in the T4 format, as Kernel "
	"Tuner and `asctune export t4` write them, cache files of Kernel Tuner, JSON of "
	"CLBlast's tuners, and CSV of catlass' tuner, packed with gzip or not; and "
	"configurations without times from tables of vLLM, SGLang and "
	"flash-linear-attention, and from Triton's cache of autotuners' results, which "
	"--from triton takes as a folder, too.\vImported "
	"results count as simulated: `best` never shows them, and `export` writes them "
	"only with --simulated. A file is recorded as a whole or not at all; a file that "
	"was recorded before is skipped, and one of a folder that cannot be read is left out.",
	0,
	0,
	0};

/* ---- files ---- */

/* Opens the database when there is something to record: a refused file leaves none behind. *opened
 * is false where the file is to blame, not the database. */
static enum asc_status record_file(struct db **db, const struct import_options *o, const char *path,
				   bool *opened, struct import_summary *s, struct asc_err *e)
{
	struct import *file = NULL;
	enum asc_status status = import_open(path, o->from, &file, e);

	*opened = status == ASC_OK;
	if (status == ASC_OK && !*db)
		status = db_open(command_db_path(o->db), DB_WRITE, db, e);
	if (status == ASC_OK)
		status = import_record(file, *db, &o->names, s, e);
	import_close(file);
	return status;
}

static enum asc_status import_file(struct db **db, const struct import_options *o, const char *path,
				   struct asc_err *e)
{
	struct import_summary s;
	bool opened;

	if (record_file(db, o, path, &opened, &s, e))
		return e->status;
	if (s.known)
		prose_say(stderr, 2, "%s: recorded before", path);
	else if (s.untimed)
		prose_say(stderr, 2, "%s: %" PRId64 " configuration%s recorded, without times",
			  path, s.results, s.results == 1 ? "" : "s");
	else
		prose_say(stderr, 2, "%s: %" PRId64 " result%s recorded, %" PRId64 " of them ok",
			  path, s.results, s.results == 1 ? "" : "s", s.ok);
	return ASC_OK;
}

/* ---- folders ---- */

struct found {
	struct found_file {
		char *path;
		struct timespec changed;
	} * list;
	size_t n, room;
};

/* The oldest first: of two files of one problem the one that is recorded last counts. */
static int compare_age(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec < y->changed.tv_sec ? -1 : 1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec < y->changed.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

static enum asc_status add_found(struct found *f, const FTSENT *entry, struct asc_err *e)
{
	char *path = str_dup(entry->fts_path);

	if (!path || !array_room(&f->list, f->n, &f->room, sizeof *f->list)) {
		free(path);
		return asc_err_nomem(e);
	}
	f->list[f->n++] = (struct found_file){path, entry->fts_statp->st_mtim};
	return ASC_OK;
}

/* Finds the files of a folder, and of those within it, whose names end so. No link is followed. */
static enum asc_status find_files(const char *folder, const char *ending, struct found *out,
				  struct asc_err *e)
{
	char *copy = str_dup(folder);
	FTS *walk = copy ? fts_open((char *[]){copy, NULL},
				    FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL)
			 : NULL;
	enum asc_status status = !copy  ? asc_err_nomem(e)
				 : walk ? ASC_OK
					: file_fail(e, "read", folder);

	FTSENT *entry = NULL;

	while (status == ASC_OK && (entry = fts_read(walk))) {
		errno = entry->fts_errno;
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
		    entry->fts_info == FTS_NS) {
			status = file_fail(e, "read", entry->fts_path);
			/* A path that is too long ends the walk. */
			if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_errno != ENAMETOOLONG) {
				log_print(LOG_WARN, "left out: %s", e->text);
				status = ASC_OK;
			}
		} else if (entry->fts_info == FTS_F && str_ends_with(entry->fts_name, ending))
			status = add_found(out, entry, e);
	}
	/* At the end of all files errno is 0, at that of a walk that failed it is not. */
	if (status == ASC_OK && errno)
		status = file_fail(e, "read", folder);
	if (walk)
		fts_close(walk);
	free(copy);
	if (status == ASC_OK && out->n == 0)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no *%s in this folder", folder, ending);
	return status;
}

/* Records what can be recorded of a folder; fails with the first reason where nothing can. */
static enum asc_status import_folder(struct db **db, const struct import_options *o,
				     const char *folder, struct asc_err *e)
{
	struct found found = {0};
	int64_t recorded = 0, known = 0;
	struct asc_err first = {.status = ASC_OK};
	enum asc_status status = find_files(folder, o->from->ending, &found, e);

	if (status == ASC_OK)
		qsort(found.list, found.n, sizeof *found.list, compare_age);
	for (size_t i = 0; i < found.n && status == ASC_OK; i++) {
		struct import_summary s = {0};
		bool opened;

		status = record_file(db, o, found.list[i].path, &opened, &s, e);
		known += s.known;
		recorded += s.known ? 0 : s.results;
		/* One file that cannot be read, or is too large, hides no other. */
		if (status == ASC_INPUT || (status && status != ASC_NOMEM && !opened)) {
			log_print(LOG_WARN, "left out: %s", e->text);
			first = first.status ? first : *e;
			status = ASC_OK;
		}
	}
	if (status == ASC_OK && recorded + known == 0)
		status = asc_err_set(e, first.status, "%s", first.text);
	if (status == ASC_OK) {
		char before[64] = "";

		if (known > 0)
			(void)snprintf(before, sizeof before, "; %" PRId64 " recorded before",
				       known);
		prose_say(stderr, 2, "%s: %" PRId64 " configuration%s recorded, without times%s",
			  folder, recorded, recorded == 1 ? "" : "s", before);
	}
	for (size_t i = 0; i < found.n; i++)
		free(found.list[i].path);
	free(found.list);
	return status;
}

/* ---- all of them ---- */

static enum asc_status import_one(struct db **db, const struct import_options *o, const char *path,
				  struct asc_err *e)
{
	if (!dir_exists(path))
		return import_file(db, o, path, e);
	/* Only by their names files of one format are told from others. */
	if (o->from && o->from->ending)
		return import_folder(db, o, path, e);
	return asc_err_set(e, ASC_INPUT, "cannot read %s: it is a folder, which --from %s takes",
			   path, triton_importer.name);
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
		status = import_one(&db, &o, o.files[i], &e);
	status = best_keep(db, status, &e); /* a converted database has no answers yet */
	db_close(db);
	free(o.files);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command import_command = {"import", "records results that were measured elsewhere",
				       &import_argp, import_main};
