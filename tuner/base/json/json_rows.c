/* Files of rows: the elements of the arrays in the root, parsed one at a time. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "tuner/base/file.h"
#include "tuner/base/json/json_node.h"

struct json_rows {
	struct buf text;
	struct json_scanned found;
	size_t most_values; /* of a row */
};

void json_free_rows(struct json_rows *rows)
{
	if (!rows)
		return;
	buf_fini(&rows->text);
	json_scanned_fini(&rows->found);
	free(rows);
}

static enum asc_status read_rows(const char *path, struct json_rows *r, struct asc_err *e)
{
	r->found.finds_rows = true;
	if (file_read(path, JSON_MAX_BYTES, &r->text, e) ||
	    json_scan(path, buf_str(&r->text), r->text.len, &r->found, e))
		return e->status;
	for (size_t i = 0; i < r->found.n_rows; i++)
		if (r->found.rows[i].n_values > r->most_values)
			r->most_values = r->found.rows[i].n_values;
	return ASC_OK;
}

/* Opens the text without what is between the brackets of its lists. */
static enum asc_status open_rest(const char *path, const struct json_rows *r, struct json_doc **out,
				 struct asc_err *e)
{
	const char *text = buf_str(&r->text);
	struct buf rest = {0};
	size_t at = 0;

	for (size_t i = 0; i < r->found.n_lists; i++) {
		buf_add(&rest, text + at, r->found.lists[i].open + 1 - at);
		at = r->found.lists[i].close;
	}
	buf_add(&rest, text + at, r->text.len - at);
	enum asc_status status = buf_check(&rest, e);

	if (status == ASC_OK)
		status = json_open_text(path, buf_str(&rest), rest.len, out, e);
	buf_fini(&rest);
	return status;
}

enum asc_status json_open_rows(const char *path, struct json_doc **out, struct asc_err *e)
{
	struct json_rows *rows = calloc(1, sizeof *rows);
	enum asc_status status = rows ? read_rows(path, rows, e) : asc_err_nomem(e);

	if (status == ASC_OK)
		status = open_rest(path, rows, out, e);
	if (status == ASC_OK)
		(*out)->rows = rows;
	else
		json_free_rows(rows);
	return status;
}

/* Lists are in the order of the text, as the arrays in the root are. */
static const struct json_list *find_list(const struct json_node *list)
{
	const struct json_list *l = list->doc->rows->found.lists;

	for (const struct json_node *n = list->parent->first; n != list; n = n->next)
		l += n->type == JSON_ARRAY;
	return l;
}

static enum asc_status visit_row(struct json_doc *doc, const struct json_row *row,
				 json_visit_fn *visit, void *user, struct asc_err *e)
{
	const struct json_rows *r = doc->list->doc->rows;
	enum asc_status status = json_build(doc, buf_str(&r->text) + row->at, row->len,
					    buf_str(&r->found.numbers) + row->number, e);

	if (status == ASC_OK)
		status = visit(user, json_root(doc), e);
	cJSON_Delete(doc->tree);
	json_free_blocks(doc);
	return status;
}

enum asc_status json_each_row(const struct json_node *list, json_visit_fn *visit, void *user,
			      struct asc_err *e)
{
	const struct json_rows *r = list->doc->rows;
	const struct json_list *l = find_list(list);
	struct json_doc doc = {.name = list->doc->name, .list = list};
	enum asc_status status = ASC_OK;

	doc.nodes = malloc((r->most_values + 1) * sizeof *doc.nodes);
	if (!doc.nodes)
		return asc_err_nomem(e);
	for (; doc.index < l->n && status == ASC_OK; doc.index++)
		status = visit_row(&doc, &r->found.rows[l->first + doc.index], visit, user, e);
	free(doc.nodes);
	return status;
}
