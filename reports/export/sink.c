#include "reports/export/sink.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MAX_PART = 32 };

struct sink_file {
	char *path;      /* a link is resolved */
	char *temporary; /* the new content; NULL: it is in place */
	char *former;    /* a second name of what was there; NULL: none */
	bool existed;
};

/* ---- names ---- */

/* True for a character of a part, not by isalnum(), which the locale may extend. The first one
 * neither hides a file nor looks like an option. */
static bool is_safe(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (!first && (c == '.' || c == '-'));
}

void sink_add_name(struct buf *name, const char *part)
{
	if (!part)
		return;
	if (name->len > 0)
		buf_add_char(name, '-');
	for (size_t i = 0; part[i] && i < MAX_PART; i++)
		buf_add(name, is_safe(part[i], i == 0) ? part + i : "_", 1);
}

/* ---- adding ---- */

static enum asc_status add_text(struct sink *s, const struct sink_kind *kind, const char *name,
				const struct buf *text, struct asc_err *e)
{
	if (kind->aside)
		return ASC_OK;
	if (s->n > 0)
		return asc_err_set(e, ASC_USAGE, "%s would be the second file: a folder is needed",
				   name);
	buf_add(s->text, text->data, text->len);
	s->n++;
	return buf_check(s->text, e);
}

/* Makes and locks the folder. A file system without locks has none. */
static enum asc_status open_folder(struct sink *s, struct asc_err *e)
{
	if (s->lock)
		return ASC_OK;
	s->made = !file_exists(s->folder);
	if (dir_make_public(s->folder, e))
		return e->status;
	const int fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return file_fail(e, "open", s->folder);
	s->lock = fd + 1;
	(void)flock(fd, LOCK_EX);
	return ASC_OK;
}

/* Appends to `merged` what the two files make together; nothing where the new one replaces `there`.
 */
static enum asc_status combine(const struct sink *s, const struct sink_kind *kind, const char *path,
			       const struct buf *there, const struct buf *text, struct buf *merged,
			       struct asc_err *e)
{
	if (s->existing == SINK_MERGE && kind->merge)
		return kind->merge(path, there, text, merged, e);
	if (strncmp(buf_str(there), kind->begins, strlen(kind->begins)) == 0)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT,
			   "%s was not written by asctune and is kept: %s--force replaces it", path,
			   kind->merge ? "--merge adds to it, " : "");
}

static enum asc_status check_new(const struct sink *s, const char *path, struct asc_err *e)
{
	const char *special = file_find_special(path);

	if (special)
		return asc_err_set(e, ASC_IO, "cannot write %s: it is %s", path, special);
	for (size_t i = 0; i < s->n_list; i++)
		if (strcmp(s->list[i].path, path) == 0)
			return asc_err_set(e, ASC_INPUT, "%s would be written twice", path);
	return ASC_OK;
}

/* Takes over `path`. */
static enum asc_status add_file(struct sink *s, const struct sink_kind *kind, char *path,
				const struct buf *text, struct asc_err *e)
{
	struct buf there = {0}, merged = {0};
	struct sink_file f = {.path = path, .existed = file_exists(path)};
	enum asc_status status = check_new(s, path, e);

	if (status == ASC_OK && f.existed && s->existing != SINK_REPLACE) {
		status = file_read(path, 0, &there, e);
		if (status == ASC_OK)
			status = combine(s, kind, path, &there, text, &merged, e);
	}
	if (status == ASC_OK)
		status = buf_check(&merged, e);
	if (status == ASC_OK && !array_room(&s->list, s->n_list, &s->room, sizeof *s->list))
		status = asc_err_nomem(e);
	if (status == ASC_OK) {
		const struct buf *content = merged.len > 0 ? &merged : text;

		status = file_write_beside(path, content->data, content->len, &f.temporary, e);
	}
	if (status == ASC_OK)
		s->list[s->n_list++] = f;
	else
		free(path);
	buf_fini(&there);
	buf_fini(&merged);
	return status;
}

enum asc_status sink_add(struct sink *s, const struct sink_kind *kind, const char *name,
			 const struct buf *text, struct asc_err *e)
{
	if (buf_check(text, e))
		return e->status;
	if (s->text)
		return add_text(s, kind, name, text, e);
	if (open_folder(s, e))
		return e->status;
	char *path = path_join(s->folder, name);
	char *target = path ? realpath(path, NULL) : NULL;

	if (target)
		free(path);
	else
		target = path;
	if (!target)
		return asc_err_nomem(e);
	const enum asc_status status = add_file(s, kind, target, text, e);

	s->n += status == ASC_OK && !kind->aside;
	return status;
}

/* ---- placing ---- */

/* Gives what is there a second name, so that it can be put back; a file system without links has
 * none. */
static enum asc_status keep_former(struct sink_file *f, struct asc_err *e)
{
	if (!f->existed)
		return ASC_OK;
	f->former = str_print("%s-former", f->temporary);
	if (!f->former)
		return asc_err_nomem(e);
	if (link(f->path, f->former) != 0) {
		free(f->former);
		f->former = NULL;
	}
	return ASC_OK;
}

static enum asc_status place(struct sink_file *f, struct asc_err *e)
{
	if (keep_former(f, e))
		return e->status;
	if (rename(f->temporary, f->path) != 0)
		return file_fail(e, "write", f->path);
	free(f->temporary);
	f->temporary = NULL;
	return ASC_OK;
}

static void put_back(struct sink_file *f)
{
	if (f->former)
		(void)rename(f->former, f->path);
	else if (!f->existed)
		unlink(f->path);
}

enum asc_status sink_place(struct sink *s, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t placed = 0;

	for (; status == ASC_OK && placed < s->n_list; placed += status == ASC_OK)
		status = place(&s->list[placed], e);
	for (size_t i = 0; status && i < placed; i++)
		put_back(&s->list[i]);
	s->made = s->made && status;
	return status;
}

static void remove_name(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

void sink_fini(struct sink *s)
{
	for (size_t i = 0; i < s->n_list; i++) {
		free(s->list[i].path);
		remove_name(s->list[i].temporary);
		remove_name(s->list[i].former);
	}
	free(s->list);
	if (s->made)
		(void)rmdir(s->folder);
	if (s->lock)
		close(s->lock - 1);
	s->list = NULL;
	s->n = s->n_list = s->room = 0;
	s->lock = 0;
	s->made = false;
}
