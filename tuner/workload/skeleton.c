#include "tuner/workload/skeleton.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/templates.h"
#include "tuner/workload/workload.h"

#define MARK "@NAME@"

#define ENTRY(between, language, device, workload, name, text)                                     \
	{language, device, workload, name, text},
const struct skeleton skeletons[] = {SKELETON_LIST(ENTRY){0}};

const struct skeleton *skeleton_find(const char *language)
{
	for (const struct skeleton *s = skeletons; s->language; s++)
		if (strcmp(s->language, language) == 0)
			return s;
	return NULL;
}

/* Writes a template into the workload's folder. */
static enum asc_status write_file(const char *name, const char *file, const char *template,
				  struct asc_err *e)
{
	struct buf text = {0};
	char *path = path_join(name, file);

	/* The name has passed name_check(): a text in quotes needs no escape for it. */
	for (const char *mark; (mark = strstr(template, MARK)); template = mark + strlen(MARK)) {
		buf_add(&text, template, (size_t)(mark - template));
		buf_add_str(&text, name);
	}
	buf_add_str(&text, template);
	enum asc_status s = path ? buf_check(&text, e) : asc_err_nomem(e);

	if (s == ASC_OK)
		s = file_write(path, text.data, text.len, e);
	free(path);
	buf_fini(&text);
	return s;
}

static enum asc_status write_files(const struct skeleton *s, const char *name, struct asc_err *e)
{
	char *workload = str_print("%s.json", name);
	enum asc_status status = workload ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK)
		status = write_file(name, workload, s->workload, e);
	if (status == ASC_OK)
		status = write_file(name, s->kernel_name, s->kernel_text, e);
	if (status == ASC_OK)
		status = write_file(name, "reference.c", template_reference_c, e);
	free(workload);
	return status;
}

enum asc_status skeleton_write(const struct skeleton *s, const char *name, struct asc_err *e)
{
	if (name_check(name, e))
		return e->status;
	/* Made first, and only if it is not there: nothing of the user's is overwritten. */
	if (mkdir(name, 0777) != 0)
		return errno == EEXIST ? asc_err_set(e, ASC_INPUT,
						     "%s already exists; nothing was written", name)
				       : file_fail(e, "make", name);
	/* A half-written folder would be in the way of the next try. */
	if (write_files(s, name, e))
		dir_remove(name);
	else
		return ASC_OK;
	return e->status;
}
