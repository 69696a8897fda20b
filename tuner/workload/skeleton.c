#include "tuner/workload/skeleton.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/templates.h"
#include "tuner/workload/workload.h"

/* File of the workload. */
#define WORKLOAD_FILE "@NAME@.json"

#define ENTRY(between, language, device, workload, name, text)                                     \
	{language,                                                                                 \
	 device,                                                                                   \
	 {{WORKLOAD_FILE, workload, false},                                                        \
	  {name, text, false},                                                                     \
	  {"reference.c", template_reference_c, false}}},
const struct skeleton skeletons[] = {SKELETON_LIST(ENTRY){0}};

const struct skeleton *skeleton_find(const char *language)
{
	for (const struct skeleton *s = skeletons; s->language; s++)
		if (strcmp(s->language, language) == 0)
			return s;
	return NULL;
}

void skeleton_fill(const char *text, const struct skeleton_mark *marks, struct buf *out)
{
	for (const char *at; (at = strchr(text, '@')); text = at) {
		const struct skeleton_mark *m = marks;
		size_t n = 0;

		buf_add(out, text, (size_t)(at - text));
		at++;
		for (; m->name; m++) {
			n = strlen(m->name);
			if (strncmp(at, m->name, n) == 0 && at[n] == '@')
				break;
		}
		buf_add_str(out, m->name ? m->text : "@");
		at += m->name ? n + 1 : 0;
	}
	buf_add_str(out, text);
}

/* Writes a file into the workload's folder. */
static enum asc_status write_file(const char *folder, const struct skeleton_file *f,
				  const struct skeleton_mark *marks, struct asc_err *e)
{
	struct buf name = {0}, text = {0};
	char *path = NULL;

	skeleton_fill(f->name, marks, &name);
	if (f->as_it_is)
		buf_add_str(&text, f->text);
	else
		skeleton_fill(f->text, marks, &text);
	enum asc_status s = buf_check(&name, e);

	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK && !(path = path_join(folder, buf_str(&name))))
		s = asc_err_nomem(e);
	if (s == ASC_OK)
		s = file_write(path, buf_str(&text), text.len, e);
	free(path);
	buf_fini(&name);
	buf_fini(&text);
	return s;
}

static enum asc_status write_files(const struct skeleton *s, const char *name,
				   const struct skeleton_mark *marks, struct asc_err *e)
{
	struct skeleton_mark all[SKELETON_MAX_MARKS + 2] = {0};
	size_t n = 0;

	/* The name has passed name_check(): a text in quotes needs no escape for it. */
	all[n++] = (struct skeleton_mark){"NAME", name};
	for (; marks && marks->name; marks++) {
		assert(n <= SKELETON_MAX_MARKS);
		all[n++] = *marks;
	}
	for (const struct skeleton_file *f = s->files; f->name; f++)
		if (write_file(name, f, all, e))
			return e->status;
	return ASC_OK;
}

enum asc_status skeleton_write(const struct skeleton *s, const char *name,
			       const struct skeleton_mark *marks, struct asc_err *e)
{
	if (name_check(name, e))
		return e->status;
	/* Made first, and only if it is not there: nothing of the user's is overwritten. */
	if (mkdir(name, 0777) != 0)
		return errno == EEXIST ? asc_err_set(e, ASC_INPUT,
						     "%s already exists; nothing was written", name)
				       : file_fail(e, "make", name);
	/* A half-written folder would be in the way of the next try. */
	if (write_files(s, name, marks, e))
		dir_remove(name);
	else
		return ASC_OK;
	return e->status;
}
