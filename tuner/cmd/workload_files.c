#include "tuner/cmd/workload_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/workload/binding/workload_open.h"

void workload_files_fini(struct workload_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->paths[i]);
	free(f->paths);
	*f = (struct workload_files){0};
}

static int is_json(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return d->d_name[0] != '.' && dot && strcmp(dot, ".json") == 0;
}

/* True for a workload. A file that does not parse counts as one: reading it then reports its
 * faults. */
static bool is_workload(const char *path)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (json_open_file(path, &doc, &e))
		return true;
	bool is = json_type(json_root(doc)) == JSON_OBJECT && json_find(json_root(doc), "asctune");

	json_close(doc);
	return is;
}

static enum asc_status find_in_folder(const char *folder, struct workload_files *out,
				      struct asc_err *e)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_json, alphasort);

	if (n < 0)
		return asc_err_set(e, ASC_IO, "%s: %s", folder, strerror(errno));
	out->paths = calloc((size_t)n + 1, sizeof *out->paths);
	enum asc_status status = out->paths ? ASC_OK : asc_err_nomem(e);

	for (int i = 0; i < n; i++) {
		char *path = status == ASC_OK ? path_join(folder, entries[i]->d_name) : NULL;

		if (status == ASC_OK && !path)
			status = asc_err_nomem(e);
		if (path && is_workload(path))
			out->paths[out->n++] = path;
		else
			free(path);
		free(entries[i]);
	}
	free(entries);
	if (status == ASC_OK && out->n == 0)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no workload files in this folder",
				     folder);
	return status;
}

/* Keeps the first fault. */
static void keep_fault(void *user, const struct asc_err *fault)
{
	struct asc_err *e = user;

	if (!e->status)
		*e = *fault;
}

enum asc_status workload_file_open(const char *path, bool untrusted, bool twins,
				   struct workload **out, struct asc_err *e)
{
	struct workload *w = NULL;
	struct asc_err fault = {0};

	/* A stranger's file is looked at before it is read: it may be a link to another's. */
	if ((untrusted && untrusted_check_file(path, e)) || workload_open(path, &w, e))
		return e->status;
	if (twins)
		workload_use_twins(w);
	if (untrusted && untrusted_check(w, keep_fault, &fault) > 0) {
		*e = fault;
		workload_close(w);
		return e->status;
	}
	if (!untrusted && trusted_grant(w, e)) {
		workload_close(w);
		return e->status;
	}
	*out = w;
	return ASC_OK;
}

enum asc_status workload_files_find(const char *path, struct workload_files *out, struct asc_err *e)
{
	struct stat st;
	enum asc_status status;

	*out = (struct workload_files){0};
	if (stat(path, &st) != 0)
		return asc_err_set(e, ASC_NOTFOUND, "%s: %s", path, strerror(errno));
	/* A file that is named is a workload, whatever it holds: reading it says what is wrong. */
	if (S_ISDIR(st.st_mode)) {
		status = find_in_folder(path, out, e);
	} else {
		out->paths = calloc(1, sizeof *out->paths);
		if (out->paths && (out->paths[0] = str_dup(path)))
			out->n = 1;
		status = out->n ? ASC_OK : asc_err_nomem(e);
	}
	if (status)
		workload_files_fini(out);
	return status;
}
