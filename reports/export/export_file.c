#include "reports/export/export_file.h"

#include <stdlib.h>

#include "reports/export/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MAX_PART = 32 };

/* True for a character of a part, not by isalnum(), which the locale may extend. The first one
 * neither hides a file nor looks like an option. */
static bool is_safe(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (!first && (c == '.' || c == '-'));
}

void export_file_add_name(struct buf *name, const char *part)
{
	if (!part)
		return;
	if (name->len > 0)
		buf_add_char(name, '-');
	for (size_t i = 0; part[i] && i < MAX_PART; i++)
		buf_add(name, is_safe(part[i], i == 0) ? part + i : "_", 1);
}

static enum asc_status add_only(const struct export_request *r, const char *name,
				const struct buf *text, int *files, struct asc_err *e)
{
	if (*files > 0)
		return asc_err_set(e, ASC_USAGE, "%s would be the second file: a folder is needed",
				   name);
	buf_add(r->text, text->data, text->len);
	++*files;
	return buf_check(r->text, e);
}

enum asc_status export_file_write(const struct export_request *r, const char *name,
				  const struct buf *text, int *files, struct asc_err *e)
{
	if (r->text)
		return buf_check(text, e) ? e->status : add_only(r, name, text, files, e);

	char *path = path_join(r->folder, name);
	enum asc_status status = path ? buf_check(text, e) : asc_err_nomem(e);

	if (status == ASC_OK)
		status = dir_make_public(r->folder, e);
	if (status == ASC_OK)
		status = file_write(path, text->data, text->len, e);
	*files += status == ASC_OK;
	free(path);
	return status;
}

enum asc_status export_fail_empty(const struct export_request *r, struct asc_err *e)
{
	return asc_err_set(e, ASC_NOTFOUND, "nothing to export: the database holds no %s results",
			   r->simulated ? "imported or simulated" : "measured");
}
