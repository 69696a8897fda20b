#include "tuner/cmd/terminal/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"

enum { BEGIN_BYTES = 1024 };

/* True for a file that is missing, cannot be read or is none: writing it says why. */
static bool may_replace(const char *path, const char *mark)
{
	char begin[BEGIN_BYTES];
	FILE *f = file_find_special(path) ? NULL : fopen(path, "rbe");

	if (!f)
		return true;
	const size_t n = fread(begin, 1, sizeof begin, f);

	(void)fclose(f);
	/* An empty file is one that was made for this, by mktemp or a redirection. An empty array
	 * of JSON is a report of nothing, which has no place for a mark. */
	return n == 0 || memmem(begin, n, mark, strlen(mark)) ||
	       (n == strlen("[]\n") && memcmp(begin, "[]\n", n) == 0);
}

bool output_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* Checks that there is a folder in which the file can be made; what is no file is written to. */
static enum asc_status check_place(const char *path, struct asc_err *e)
{
	if (output_is_stdout(path) || (file_find_special(path) && !dir_exists(path)))
		return ASC_OK;
	char *folder = path_folder(path);
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);

	if (folder && dir_exists(path))
		status = asc_err_set(e, ASC_IO, "cannot write %s: it is a folder", path);
	else if (folder && access(folder, W_OK | X_OK) != 0)
		status = file_fail(e, "write", path);
	free(folder);
	return status;
}

enum asc_status output_check(const char *path, const char *mark, struct asc_err *e)
{
	if (!may_replace(path, mark))
		return asc_err_set(e, ASC_USAGE,
				   "%s exists and was not written by asctune: name another file, "
				   "or remove it",
				   path);
	return check_place(path, e);
}

enum asc_status output_write(const char *path, const char *mark, const void *data, size_t n,
			     struct asc_err *e)
{
	if (output_check(path, mark, e))
		return e->status;
	file_remove_left(path);
	return file_write(path, data, n, e);
}

enum asc_status output_put(const char *path, const char *mark, const struct buf *text,
			   struct asc_err *e)
{
	if (buf_check(text, e))
		return e->status;
	if (!output_is_stdout(path))
		return output_write(path, mark, text->data, text->len, e);
	(void)fwrite(text->data, 1, text->len, stdout);
	return ASC_OK;
}

bool output_is_github(void)
{
	const char *github = getenv("GITHUB_ACTIONS");

	return github && strcmp(github, "true") == 0;
}

enum asc_status output_annotate(const struct buf *lines, struct asc_err *e)
{
	const enum asc_status status = buf_check(lines, e);

	if (status == ASC_OK && lines->len > 0 && output_is_github())
		fputs(lines->data, stderr);
	return status;
}

void output_add_summary(const struct buf *markdown, const char *written)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");

	if (!path || !*path || (written && strcmp(path, written) == 0))
		return;
	FILE *f = fopen(path, "ae");
	const bool complete = f && fwrite(markdown->data, 1, markdown->len, f) == markdown->len;

	if (!f || fclose(f) != 0 || !complete)
		log_print(LOG_WARN, "$GITHUB_STEP_SUMMARY, %s, cannot be written", path);
}
