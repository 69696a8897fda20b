#include "tuner/cmd/export_check.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/autotune.h"
#include "reports/exchange/reader_ask.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/build/triton_python.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/sources/sources.h"

/* A kernel in its package, as it was found; several tables ask for the same. */
struct found {
	char *kernel, *tables;
	struct autotune *at; /* NULL: `why` */
	struct asc_err why;
};

struct checked {
	const struct export_check *o;
	struct target target;
	char unlike[160];
	struct found *found;
	size_t n_found, room;
	bool no_triton;    /* that was said */
	char passed[1024]; /* what was passed over last, and why */
	const char *file;
	char last[256]; /* last stale row */
	size_t files, rows, stale;
};

/* ---- what is installed ---- */

/* Decides on what cannot be compared: it is passed over with a note, unless it was asked for. */
static enum asc_status pass_over(const struct checked *c, const char *what, bool said,
				 struct asc_err *e)
{
	const struct asc_err why = *e;

	if (c->o->package && why.status != ASC_ABSENT)
		return asc_err_set(e, ASC_USAGE, "%s", why.text);
	if (why.status == ASC_ABSENT ? c->o->package || c->o->python : why.status != ASC_NOTFOUND)
		return why.status;
	if (!said)
		log_print(LOG_NOTE, "not compared with %s: %s", what, why.text);
	return asc_err_set(e, ASC_NOTFOUND, "%s", why.text);
}

static enum asc_status find_triton(void *user, const char **version, struct asc_err *e)
{
	static const char word[] = "Triton ";
	struct checked *c = user;
	const struct triton_python *python;

	if (triton_python_get(TRITON_CUDA, &python, e)) {
		const bool said = c->no_triton;

		c->no_triton = true;
		/* A package that is given has no Triton. */
		return c->o->python || !c->o->package ? pass_over(c, "Triton", said, e)
						      : ASC_NOTFOUND;
	}
	*version = python->triton +
		   (strncmp(python->triton, word, strlen(word)) == 0 ? strlen(word) : 0);
	return ASC_OK;
}

static enum asc_status look(struct checked *c, const char *kernel, const char *tables,
			    struct found **out, struct asc_err *e)
{
	for (size_t i = 0; i < c->n_found; i++) {
		*out = &c->found[i];
		if (strcmp((*out)->kernel, kernel) == 0 && strcmp((*out)->tables, tables) == 0)
			return ASC_OK;
	}
	if (!array_room(&c->found, c->n_found, &c->room, sizeof *c->found))
		return asc_err_nomem(e);
	struct found *f = *out = &c->found[c->n_found++];

	*f = (struct found){.kernel = str_dup(kernel), .tables = str_dup(tables)};
	if (!f->kernel || !f->tables)
		return asc_err_nomem(e);
	f->why.status = autotune_look(kernel, c->o->package, tables, &f->at, &f->why);
	if (f->at && f->at->reason)
		log_print(LOG_NOTE, "not compared with the text of kernel %s: it %s", kernel,
			  f->at->reason);
	return ASC_OK;
}

static enum asc_status find_library(void *user, const char *kernel, const char *tables,
				    struct evidence_library *out, struct asc_err *e)
{
	struct checked *c = user;
	struct found *f = NULL;
	const size_t before = c->n_found;

	if (look(c, kernel, tables, &f, e))
		return e->status;
	if (!f->at) {
		*e = f->why;
		return pass_over(c, kernel, c->n_found == before, e);
	}
	*out = (struct evidence_library){f->at->version, f->at->digest, f->at->tables};
	return ASC_OK;
}

static void note_passed(void *user, const char *what, const char *reason)
{
	struct checked *c = user;
	char passed[sizeof c->passed];

	(void)snprintf(passed, sizeof passed, "%s: %s", what, reason);
	if (strcmp(passed, c->passed) != 0)
		log_print(LOG_NOTE, "not compared with %s", passed);
	memcpy(c->passed, passed, sizeof passed);
}

/* ---- the device ---- */

static bool is_alike(const void *user, const struct evidence_gpu *gpu)
{
	const struct checked *c = user;

	return device_info_is_alike(&c->target.info, c->target.ops->name,
				    gpu->machine ? gpu->machine : "", gpu->clock, gpu->fingerprint);
}

static enum asc_status open_device(struct checked *c, struct evidence_machine *here,
				   struct asc_err *e)
{
	const int64_t *facts = c->target.info.facts.value;

	if (target_open(c->o->device, &c->target, e))
		return e->status;
	here->model = c->target.info.model;
	here->driver = c->target.info.driver;
	here->unlike = c->unlike;
	/* The fingerprint of a processor has neither driver nor memory. */
	if (strcmp(c->target.ops->name, "cuda") == 0)
		here->is_alike = is_alike;
	(void)snprintf(c->unlike, sizeof c->unlike,
		       "device: another one of that name, not with this one's clocks (%" PRId64
		       " MHz, memory %" PRId64 " MHz), memory (%" PRId64 " MiB) and other facts",
		       facts[FACT_CLOCK_MHZ], facts[FACT_MEMORY_CLOCK_MHZ],
		       facts[FACT_MEMORY_BYTES] >> 20);
	return ASC_OK;
}

/* ---- tables ---- */

/* True for evidence, and for what may be a folder with some. */
static int is_evidence(const struct dirent *d)
{
	return str_ends_with(d->d_name, EVIDENCE_ENDS) ||
	       (d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN));
}

static void print_stale(void *user, const char *row, const char *reason)
{
	struct checked *c = user;

	prose_say(stdout, 2, "%s: %s: %s", c->file, row, reason);
	/* A row has a line for each reason, which follow one another; it counts once. */
	c->stale += strcmp(c->last, row) != 0;
	(void)snprintf(c->last, sizeof c->last, "%s", row);
}

static enum asc_status check_file(struct checked *c, const char *path, const struct dispatch *now,
				  const struct evidence_machine *here, struct asc_err *e)
{
	const char *slash = strrchr(path, '/');
	char *table = str_dup(path);

	c->file = slash ? slash + 1 : path;
	c->last[0] = '\0';
	c->files++;
	if (!table)
		return asc_err_nomem(e);
	enum asc_status status = evidence_check(path, now, here, print_stale, c, &c->rows, e);

	/* Evidence without its table says nothing of what is in use. */
	table[strlen(table) - strlen(EVIDENCE_ENDS)] = '\0';
	if (status == ASC_OK && !file_exists(table))
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no such table, but its evidence", table);
	free(table);
	return status;
}

/* Checks the tables in a folder, and in those within it: some libraries want some. */
static enum asc_status check_folder(struct checked *c, const char *folder, int depth,
				    const struct dispatch *now, const struct evidence_machine *here,
				    struct asc_err *e)
{
	struct dirent **entries = NULL;
	const int n = scandir(folder, &entries, is_evidence, alphasort);
	enum asc_status status = ASC_OK;

	if (n < 0)
		return file_fail(e, "read", folder);
	for (int i = 0; i < n; i++) {
		char *path = status == ASC_OK ? path_join(folder, entries[i]->d_name) : NULL;

		if (status == ASC_OK && !path)
			status = asc_err_nomem(e);
		else if (path && str_ends_with(path, EVIDENCE_ENDS))
			status = check_file(c, path, now, here, e);
		else if (path && depth > 0 && file_find_special(path))
			status = check_folder(c, path, depth - 1, now, here, e);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* Checks a table, by its name or that of its evidence, or all in a folder. */
static enum asc_status check_path(struct checked *c, const char *path, const struct dispatch *now,
				  const struct evidence_machine *here, struct asc_err *e)
{
	enum { FOLDERS = 4 }; /* within one another: a link to one above must come to an end */

	if (file_exists(path) && !file_find_special(path)) {
		const bool evidence = str_ends_with(path, EVIDENCE_ENDS);
		char *whole = str_print("%s%s", path, evidence ? "" : EVIDENCE_ENDS);
		const enum asc_status status =
			whole ? check_file(c, whole, now, here, e) : asc_err_nomem(e);

		free(whole);
		return status;
	}
	const enum asc_status status = check_folder(c, path, FOLDERS, now, here, e);

	return status == ASC_OK && c->files == 0
		       ? asc_err_set(e, ASC_NOTFOUND, "%s: no *" EVIDENCE_ENDS " to check", path)
		       : status;
}

/* The key of a Triton kernel is of its code as Python has read it, not of its file. */
static enum asc_status find_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	const char *end = strrchr(path, '.');

	return end && strcmp(end, ".py") == 0 ? asc_err_set(e, ASC_ABSENT, "%s: by Triton", path)
					      : sources_key(path, key, e);
}

static enum asc_status check_tables(struct checked *c, struct asc_err *e)
{
	struct dispatch now = {0};
	struct db *d = NULL;
	struct evidence_machine here = {.find_key = find_key,
					.ask = reader_ask,
					.python = c->o->python != NULL,
					.package = c->o->package != NULL,
					.find_triton = find_triton,
					.find_library = find_library,
					.pass_over = note_passed,
					.user = c};
	enum asc_status status = c->o->device ? open_device(c, &here, e) : ASC_OK;

	if (status == ASC_OK)
		status = db_open(command_db_path(c->o->db), DB_READ, &d, e);
	if (status == ASC_OK)
		status = dispatch_read(&now, d, DISPATCH_IMPLEMENTATIONS, e);
	if (status == ASC_OK)
		status = check_path(c, c->o->path, &now, &here, e);
	dispatch_fini(&now);
	db_close(d);
	return status;
}

int export_check_main(const struct export_check *o)
{
	struct checked c = {.o = o};
	struct asc_err e;
	const enum asc_status status = check_tables(&c, &e);

	for (size_t i = 0; i < c.n_found; i++) {
		free(c.found[i].kernel);
		free(c.found[i].tables);
		autotune_close(c.found[i].at);
	}
	free(c.found);
	if (status)
		return command_fail(&e);
	prose_say(stderr, 2, "%zu of %zu rows stale, in %zu file%s of %s", c.stale, c.rows, c.files,
		  c.files == 1 ? "" : "s", o->path);
	return c.stale > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}
