#include "reports/tables/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"

/* Bytes of a part of a file name: names of five parts and an ending stay below the 255 that file
 * systems take. */
enum { MAX_PART = 32 };

/* Folders of a set on its way, within the sink's own folder, so that a rename never crosses file
 * systems. FRESH has the new files; once all are written it is renamed to COMPLETE, which decides
 * whether a later process puts the set in place or removes it. FORMER has second names of the files
 * that are replaced. */
#define STAGE    ".asctune-export"
#define FRESH    STAGE "/new"
#define COMPLETE STAGE "/complete"
#define FORMER   STAGE "/former"

/* Stands for the '/' of a name among the staged files, which lie in one folder. */
#define STAGED_SLASH '\x1f'

struct sink_file {
	char *name, *path; /* path: a link is resolved */
	char *staged;      /* its name in the stage */
	bool existed;
};

struct sink_stage {                /* open folders; -1: none */
	int folder, fresh, former; /* folder: the sink's own, which is locked */
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

/* The place of a file, a link resolved; a heap string, NULL: out of memory. */
static char *find_place(const char *folder, const char *name)
{
	char *path = path_join(folder, name), *target = path ? realpath(path, NULL) : NULL;

	if (!target)
		return path;
	free(path);
	return target;
}

/* Finds the place of a staged file; NULL: out of memory, or it is none of ours: a name that leads
 * out of the folder. */
static char *find_late_place(const char *folder, const char *staged)
{
	char *name = str_dup(staged), *place = NULL;
	bool inside = name != NULL;

	for (char *c = name; c && *c; c++)
		if (*c == STAGED_SLASH) {
			*c = '/';
			inside = inside && c[1] != '.' && c[1] != STAGED_SLASH;
		}
	if (inside && *name != '.' && *name != '/')
		place = find_place(folder, name);
	free(name);
	return place;
}

/* Puts the files of a complete set in place, but not over files that were written since. */
static void place_late(const char *folder, DIR *complete)
{
	const struct dirent *entry;
	struct stat since, there;

	if (fstat(dirfd(complete), &since) != 0)
		return;
	while ((entry = readdir(complete))) {
		char *path = find_late_place(folder, entry->d_name);

		const bool later = path && stat(path, &there) == 0 &&
				   (there.st_mtim.tv_sec > since.st_mtim.tv_sec ||
				    (there.st_mtim.tv_sec == since.st_mtim.tv_sec &&
				     there.st_mtim.tv_nsec > since.st_mtim.tv_nsec));

		if (path && !later)
			(void)renameat(dirfd(complete), entry->d_name, AT_FDCWD, path);
		free(path);
	}
}

/* Ends the set of a process that was killed: puts it in place if it is complete, else removes it.
 */
static enum asc_status end_earlier(const char *folder, struct asc_err *e)
{
	char *stage = path_join(folder, STAGE), *complete = path_join(folder, COMPLETE);
	DIR *d = complete ? opendir(complete) : NULL;
	const bool known = stage && complete;

	if (d) {
		place_late(folder, d);
		closedir(d);
	}
	dir_remove(stage);
	free(stage);
	free(complete);
	return known ? ASC_OK : asc_err_nomem(e);
}

static int open_folder(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Makes and locks the folder, and the stage in it. On a file system without locks two exports at
 * the same time are not kept apart. */
static enum asc_status open_stage(struct sink *s, struct asc_err *e)
{
	static const char *const folders[] = {STAGE, FRESH, FORMER};
	bool ok = true;

	if (s->stage)
		return ASC_OK;
	s->made = !file_exists(s->folder);
	if (dir_make_public(s->folder, e))
		return e->status;
	struct sink_stage *g = s->stage = malloc(sizeof *g);

	if (!g)
		return asc_err_nomem(e);
	*g = (struct sink_stage){open_folder(AT_FDCWD, s->folder), -1, -1};
	if (g->folder < 0)
		return file_fail(e, "open", s->folder);
	(void)flock(g->folder, LOCK_EX);
	/* Under the lock: a stage that is here belongs to nobody any more. */
	if (end_earlier(s->folder, e))
		return e->status;
	for (size_t i = 0; ok && i < sizeof folders / sizeof *folders; i++)
		ok = mkdirat(g->folder, folders[i], 0777) == 0;
	if (ok)
		g->fresh = open_folder(g->folder, FRESH);
	if (g->fresh >= 0)
		g->former = open_folder(g->folder, FORMER);
	return g->former >= 0 ? ASC_OK : file_fail(e, "write into", s->folder);
}

/* Appends to `merged` what the two files make together; nothing where the new one replaces `there`.
 */
static enum asc_status combine(const struct sink *s, const struct sink_kind *kind, const char *path,
			       const struct buf *there, const struct buf *text, struct buf *merged,
			       struct asc_err *e)
{
	if (s->existing == SINK_MERGE && kind->merge)
		return kind->merge(kind->user, path, there, text, merged, e);
	if (kind->is_own ? kind->is_own(kind->user, path, there)
			 : strncmp(buf_str(there), kind->begins, strlen(kind->begins)) == 0)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "%s %s and is kept: %s--force replaces it", path,
			   kind->is_own ? "is not as asctune wrote it"
					: "was not written by asctune",
			   kind->merge ? "--merge adds to it, " : "");
}

static enum asc_status check_new(const struct sink *s, const char *path, struct asc_err *e)
{
	const char *special = file_find_special(path);
	struct stat there, folder;

	if (special)
		return asc_err_set(e, ASC_IO, "cannot write %s: it is %s", path, special);
	/* A rename to another file system fails: better before the first file is in place. */
	if (stat(path, &there) == 0 && fstat(s->stage->folder, &folder) == 0 &&
	    there.st_dev != folder.st_dev)
		return asc_err_set(e, ASC_IO,
				   "cannot write %s: a link in %s leads to it, on another file "
				   "system",
				   path, s->folder);
	for (size_t i = 0; i < s->n_list; i++)
		if (strcmp(s->list[i].path, path) == 0)
			return asc_err_set(e, ASC_INPUT, "%s would be written twice", path);
	return ASC_OK;
}

/* Reads what combine() needs of the file that is there: of one that is told by its first bytes no
 * more than these. */
static enum asc_status read_there(const struct sink_kind *kind, const char *path, struct buf *there,
				  struct asc_err *e)
{
	const size_t n = kind->begins ? strlen(kind->begins) : 0;
	char begins[256];

	if (kind->is_own || kind->merge || n > sizeof begins)
		return file_read(path, 0, there, e);
	FILE *f = fopen(path, "re");
	const size_t got = f ? fread(begins, 1, n, f) : 0;
	const bool ok = f && !ferror(f);

	if (!ok)
		(void)file_fail(e, "read", path);
	if (f)
		(void)fclose(f);
	buf_add(there, begins, got);
	return ok ? buf_check(there, e) : e->status;
}

/* Writes the file that is to be put in place. */
static enum asc_status stage_file(struct sink *s, const struct sink_kind *kind,
				  const struct sink_file *f, const struct buf *text,
				  struct asc_err *e)
{
	struct buf there = {0}, merged = {0};
	enum asc_status status = check_new(s, f->path, e);

	if (status == ASC_OK && f->existed && s->existing != SINK_REPLACE) {
		status = read_there(kind, f->path, &there, e);
		if (status == ASC_OK)
			status = combine(s, kind, f->path, &there, text, &merged, e);
	}
	if (status == ASC_OK)
		status = buf_check(&merged, e);
	if (status == ASC_OK) {
		const struct buf *content = merged.len > 0 ? &merged : text;

		status = file_write_staged(s->stage->fresh, f->staged, f->path, content->data,
					   content->len, e);
	}
	buf_fini(&there);
	buf_fini(&merged);
	return status;
}

static void free_file(struct sink_file *f)
{
	free(f->name);
	free(f->path);
	free(f->staged);
}

/* Sets the names of a file, and makes the folders within the sink's own that its name has. */
static enum asc_status name_file(struct sink *s, struct sink_file *f, const char *name,
				 struct asc_err *e)
{
	f->name = str_dup(name);
	f->staged = str_dup(name);
	if (!f->name || !f->staged)
		return asc_err_nomem(e);
	for (char *c = f->staged; *c; c++) {
		if (*c != '/')
			continue;
		char *folder = str_print("%s/%.*s", s->folder, (int)(c - f->staged), name);

		*c = STAGED_SLASH;
		if (!folder ||
		    !array_room(&s->folders, s->n_folders, &s->folders_room, sizeof *s->folders)) {
			free(folder);
			return asc_err_nomem(e);
		}
		const bool there = file_exists(folder);

		if (!there)
			s->folders[s->n_folders++] = folder;
		const enum asc_status status = there ? ASC_OK : dir_make_public(folder, e);

		if (there)
			free(folder);
		if (status)
			return status;
	}
	f->path = find_place(s->folder, name);
	f->existed = f->path && file_exists(f->path);
	return f->path ? ASC_OK : asc_err_nomem(e);
}

enum asc_status sink_add(struct sink *s, const struct sink_kind *kind, const char *name,
			 const struct buf *text, struct asc_err *e)
{
	if (buf_check(text, e))
		return e->status;
	if (s->text && kind->aside)
		return ASC_OK;
	if (s->text && s->n > 0)
		return asc_err_set(e, ASC_USAGE, "%s would be the second file: a folder is needed",
				   name);
	if (s->text) {
		buf_add(s->text, text->data, text->len);
		s->n++;
		return buf_check(s->text, e);
	}
	if (open_stage(s, e))
		return e->status;
	if (!array_room(&s->list, s->n_list, &s->room, sizeof *s->list))
		return asc_err_nomem(e);
	struct sink_file f = {0};
	enum asc_status status = name_file(s, &f, name, e);

	if (status == ASC_OK)
		status = stage_file(s, kind, &f, text, e);
	if (status == ASC_OK)
		s->list[s->n_list++] = f;
	else
		free_file(&f);
	s->n += status == ASC_OK && !kind->aside;
	return status;
}

enum asc_status sink_append(struct sink *s, struct buf *text, struct asc_err *e)
{
	if (buf_check(text, e))
		return e->status;
	if (s->text) {
		buf_add(s->text, text->data, text->len);
		buf_clear(text);
		if (buf_check(s->text, e))
			return e->status;
		if (s->text->len < SINK_PART_BYTES)
			return ASC_OK;
		if (!s->begun && !(s->begun = tmpfile()))
			return file_fail(e, "make", "a temporary file");
		const size_t n = fwrite(s->text->data, 1, s->text->len, s->begun);
		const bool whole = n == s->text->len;

		buf_clear(s->text);
		return whole ? ASC_OK : file_fail(e, "write", "a temporary file");
	}
	const struct sink_file *f = &s->list[s->n_list - 1];
	const int fd = openat(s->stage->fresh, f->staged, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool ok = fd >= 0 && file_write_all(fd, text->data, text->len);
	const int error = errno;

	/* A file system may say only now that there was no room. */
	if (fd >= 0 && close(fd) != 0 && ok)
		ok = false;
	else
		errno = error;
	buf_clear(text);
	return ok ? ASC_OK : file_fail(e, "write", f->path);
}

enum asc_status sink_print(struct sink *s, FILE *to, struct asc_err *e)
{
	char part[65536];
	size_t n;

	if (s->begun) {
		rewind(s->begun);
		while ((n = fread(part, 1, sizeof part, s->begun)) > 0)
			(void)fwrite(part, 1, n, to);
		if (ferror(s->begun))
			return file_fail(e, "read", "a temporary file");
	}
	(void)fwrite(buf_str(s->text), 1, s->text->len, to);
	return ASC_OK;
}

const char *sink_get_name(const struct sink *s, size_t i)
{
	return s->list[i].name;
}

enum asc_status sink_read_last(const struct sink *s, struct buf *out, struct asc_err *e)
{
	if (s->n_list == 0)
		return ASC_OK;
	char *path = str_print("%s/" FRESH "/%s", s->folder, s->list[s->n_list - 1].staged);
	const enum asc_status status = path ? file_read(path, 0, out, e) : asc_err_nomem(e);

	free(path);
	return status;
}

/* ---- placing ---- */

/* Puts a file in place, after giving the file that is there a second name, so that it can be put
 * back; a file system without links cannot do that. */
static enum asc_status place(const struct sink_stage *g, const struct sink_file *f,
			     struct asc_err *e)
{
	if (f->existed && linkat(AT_FDCWD, f->path, g->former, f->staged, 0) != 0)
		log_print(LOG_DEBUG, "%s: could not be put back after a failure: %s", f->path,
			  strerror(errno));
	return renameat(g->fresh, f->staged, AT_FDCWD, f->path) == 0
		       ? ASC_OK
		       : file_fail(e, "write", f->path);
}

/* From the first rename on the set is complete: if this process is killed, the next one puts it in
 * place. A failure takes that back, and puts back what was replaced. */
enum asc_status sink_place(struct sink *s, struct asc_err *e)
{
	const struct sink_stage *g = s->stage;
	enum asc_status status = ASC_OK;
	size_t placed = 0;

	if (!g)
		return ASC_OK;
	if (renameat(g->folder, FRESH, g->folder, COMPLETE) != 0)
		return file_fail(e, "write into", s->folder);
	for (; status == ASC_OK && placed < s->n_list; placed += status == ASC_OK)
		status = place(g, &s->list[placed], e);
	if (status)
		(void)renameat(g->folder, COMPLETE, g->folder, FRESH);
	for (size_t i = 0; status && i < placed; i++) {
		const struct sink_file *f = &s->list[i];

		if (renameat(g->former, f->staged, AT_FDCWD, f->path) != 0 && !f->existed)
			unlink(f->path);
	}
	s->made = s->made && status; /* a folder with files in it stays */
	return status;
}

static void close_folder(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Removes and closes the stage, without allocating: it is called when memory has run out, too. */
static void close_stage(const struct sink *s)
{
	static const char *const folders[] = {FRESH, COMPLETE, FORMER, STAGE};
	const struct sink_stage *g = s->stage;

	for (size_t i = 0; i < s->n_list; i++) {
		(void)unlinkat(g->fresh, s->list[i].staged, 0);
		(void)unlinkat(g->former, s->list[i].staged, 0);
	}
	for (size_t i = 0; g->folder >= 0 && i < sizeof folders / sizeof *folders; i++)
		(void)unlinkat(g->folder, folders[i], AT_REMOVEDIR);
	close_folder(g->fresh);
	close_folder(g->former);
	close_folder(g->folder);
}

void sink_fini(struct sink *s)
{
	if (s->stage)
		close_stage(s);
	/* The innermost first; one that has files of a set that is in place stays. */
	for (size_t i = s->n_folders; i-- > 0;) {
		(void)rmdir(s->folders[i]);
		free(s->folders[i]);
	}
	if (s->made)
		(void)rmdir(s->folder);
	for (size_t i = 0; i < s->n_list; i++)
		free_file(&s->list[i]);
	if (s->begun)
		(void)fclose(s->begun);
	s->begun = NULL;
	free(s->list);
	free(s->folders);
	free(s->stage);
	s->list = NULL;
	s->folders = NULL;
	s->stage = NULL;
	s->n = s->n_list = s->room = s->n_folders = s->folders_room = 0;
	s->made = false;
}
