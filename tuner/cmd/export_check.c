#include "tuner/cmd/export_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/sources/sources.h"

struct checked {
	const char *file;
	char last[256]; /* last stale row */
	size_t files, rows, stale;
};

static int is_evidence(const struct dirent *d)
{
	const size_t n = strlen(d->d_name), end = strlen(EVIDENCE_ENDS);

	return n > end && strcmp(d->d_name + n - end, EVIDENCE_ENDS) == 0;
}

static void print_stale(void *user, const char *row, const char *reason)
{
	struct checked *c = user;

	prose_say(stdout, 2, "%s: %s: %s", c->file, row, reason);
	c->stale += strcmp(c->last, row) != 0;
	(void)snprintf(c->last, sizeof c->last, "%s", row);
}

/* Evidence without its table says nothing of what is in use. */
static enum asc_status check_table(char *evidence, struct asc_err *e)
{
	evidence[strlen(evidence) - strlen(EVIDENCE_ENDS)] = '\0';
	return file_exists(evidence) ? ASC_OK
				     : asc_err_set(e, ASC_NOTFOUND,
						   "%s: no such table, but its evidence", evidence);
}

static enum asc_status check_file(struct checked *c, const char *folder, const char *name,
				  const struct dispatch *now, const struct evidence_machine *here,
				  struct asc_err *e)
{
	char *path = path_join(folder, name);

	c->file = name;
	c->last[0] = '\0';
	c->files++;
	enum asc_status status = path ? evidence_check(path, now, here, print_stale, c, &c->rows, e)
				      : asc_err_nomem(e);
	if (status == ASC_OK)
		status = check_table(path, e);
	free(path);
	return status;
}

static enum asc_status check_folder(struct checked *c, const char *folder,
				    const struct dispatch *now, const struct evidence_machine *here,
				    struct asc_err *e)
{
	struct dirent **entries = NULL;
	const int n = scandir(folder, &entries, is_evidence, alphasort);
	enum asc_status status = ASC_OK;

	if (n < 0)
		return file_fail(e, "read", folder);
	for (int i = 0; i < n; i++) {
		if (status == ASC_OK)
			status = check_file(c, folder, entries[i]->d_name, now, here, e);
		free(entries[i]);
	}
	free(entries);
	return n == 0 ? asc_err_set(e, ASC_NOTFOUND, "%s: no *" EVIDENCE_ENDS " to check", folder)
		      : status;
}

/* The key of a Triton kernel is of its code as Python has read it, not of its file. */
static enum asc_status find_key(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	const char *end = strrchr(path, '.');

	return end && strcmp(end, ".py") == 0 ? asc_err_set(e, ASC_ABSENT, "%s: by Triton", path)
					      : sources_key(path, key, e);
}

static enum asc_status check(struct checked *c, const char *folder, const char *path,
			     const char *device, struct asc_err *e)
{
	struct dispatch now = {0};
	struct db *d = NULL;
	struct target t;
	struct evidence_machine here = {.find_key = find_key};

	if (device && target_open(device, &t, e))
		return e->status;
	if (device) {
		here.model = t.info.model;
		here.driver = t.info.driver;
	}
	enum asc_status status = db_open(command_db_path(path), DB_READ, &d, e);
	if (status == ASC_OK)
		status = dispatch_read(&now, d, DISPATCH_IMPLEMENTATIONS, e);
	if (status == ASC_OK)
		status = check_folder(c, folder, &now, &here, e);
	dispatch_fini(&now);
	db_close(d);
	return status;
}

int export_check(const char *folder, const char *db, const char *device)
{
	struct checked c = {0};
	struct asc_err e;

	if (check(&c, folder, db, device, &e))
		return command_fail(&e);
	prose_say(stderr, 2, "%zu of %zu rows stale, in %zu file%s of %s", c.stale, c.rows, c.files,
		  c.files == 1 ? "" : "s", folder);
	return c.stale > 0 ? EXIT_NEGATIVE : EXIT_DONE;
}
