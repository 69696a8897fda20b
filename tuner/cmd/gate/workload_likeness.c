#include "tuner/cmd/gate/workload_likeness.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/workload.h"

struct lines {
	struct buf text; /* each line ended by NUL */
	char **list;     /* sorted */
	size_t n;
};

static void lines_fini(struct lines *l)
{
	buf_fini(&l->text);
	free(l->list);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends a text with another word in the place of the name. */
static void add_unnamed(const char *text, const char *name, struct buf *out)
{
	const size_t n = strlen(name);

	for (const char *at; n > 0 && (at = strstr(text, name)) != NULL; text = at + n) {
		buf_add(out, text, (size_t)(at - text));
		buf_add_str(out, "NAME");
	}
	buf_add_str(out, text);
}

static enum asc_status read_lines(const struct workload *w, struct lines *out, struct asc_err *e)
{
	struct buf file = {0};

	if (file_read(w->path, 0, &file, e))
		return e->status;
	add_unnamed(buf_str(&file), w->name, &out->text);
	buf_fini(&file);
	if (buf_check(&out->text, e))
		return e->status;
	char *at = out->text.len > 0 ? out->text.data : NULL, *const end = at + out->text.len;

	for (size_t i = 0; i < out->text.len; i++)
		out->n += out->text.data[i] == '\n';
	out->list = calloc(++out->n, sizeof(char *));
	if (!out->list)
		return asc_err_nomem(e);
	out->n = 0;
	while (at && at < end) {
		const size_t n = strcspn(at, "\n");

		at[n] = '\0';
		out->list[out->n++] = at;
		at += n + 1;
	}
	qsort(out->list, out->n, sizeof(char *), compare);
	return ASC_OK;
}

enum asc_status workload_likeness(const struct workload *a, const struct workload *b, double *out,
				  struct asc_err *e)
{
	struct lines x = {.n = 0}, y = {.n = 0};
	enum asc_status status = ASC_OK;
	size_t same = 0;

	*out = 0;
	if (!str_is_same(a->operator_name, b->operator_name))
		return ASC_OK;
	status = read_lines(a, &x, e);
	if (status == ASC_OK)
		status = read_lines(b, &y, e);
	for (size_t i = 0, k = 0; status == ASC_OK && i < x.n && k < y.n;) {
		const int order = strcmp(x.list[i], y.list[k]);

		same += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	if (status == ASC_OK && x.n + y.n > 0)
		*out = (double)same / (double)(x.n > y.n ? x.n : y.n);
	lines_fini(&y);
	lines_fini(&x);
	return status;
}
