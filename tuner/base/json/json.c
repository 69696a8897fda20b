#include "tuner/base/json/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/arena.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json_node.h"
#include "tuner/base/long_text.h"

/* Members up to which keys are compared with each other: for so few, sorting costs more. */
enum { FEW_KEYS = 16 };

/* ---- from cJSON's tree to ours ---- */

struct builder {
	struct json_doc *doc;
	const char *numbers; /* enum json_number of those to come, in the order of the text */
	struct asc_err *e;
};

static enum asc_status build_children(struct builder *b, const cJSON *item, struct json_node *n);

static enum asc_status build_number(struct builder *b, const cJSON *item, struct json_node *n)
{
	char kind = *b->numbers++; /* cJSON has a double of each number, and no more */
	n->type = kind == JSON_NUMBER_REAL ? JSON_REAL : JSON_INT;
	if (kind == JSON_NUMBER_BEYOND)
		(void)json_fail(n, b->e, "integers beyond 2^53 = 9007199254740992 are not exact");
	if (kind == JSON_NUMBER_BEYOND)
		return json_ends(n, b->e->status) ? b->e->status : ASC_OK;
	if (kind == JSON_NUMBER_REAL)
		n->r = item->valuedouble;
	else
		n->i = (int64_t)item->valuedouble;
	return ASC_OK;
}

static enum asc_status build_node(struct builder *b, const cJSON *item, struct json_node *n)
{
	switch (item->type & 0xFF) {
	case cJSON_Number: return build_number(b, item, n);
	case cJSON_True:
	case cJSON_False:
		n->type = JSON_BOOL;
		n->b = cJSON_IsTrue(item);
		return ASC_OK;
	case cJSON_String:
		n->type = JSON_STRING;
		n->s = item->valuestring;
		return ASC_OK;
	case cJSON_Array: n->type = JSON_ARRAY; return build_children(b, item, n);
	case cJSON_Object: n->type = JSON_OBJECT; return build_children(b, item, n);
	default: n->type = JSON_NULL; return ASC_OK;
	}
}

/* Refuses a member whose key an earlier one has; where faults are gathered it is left out. */
static enum asc_status refuse_twice(struct json_node *n, const struct json_node *twice,
				    struct asc_err *e)
{
	const struct json_node **link = &n->first;

	if (json_ends(n, json_fail_at(n, twice, e, "key \"%s\" appears twice", twice->key)))
		return e->status;
	/* By the document's array, since nodes are constant to whoever holds one. */
	while (*link != twice)
		link = &n->doc->nodes[*link - n->doc->nodes].next;
	*link = twice->next;
	n->count--;
	return ASC_OK;
}

/* Keys differ in their first character, mostly. */
static enum asc_status check_few_keys(struct json_node *n, struct asc_err *e)
{
	for (const struct json_node *a = n->first; a; a = a->next)
		for (const struct json_node *b = a->next; b; b = b->next)
			if (*a->key == *b->key && strcmp(a->key, b->key) == 0 &&
			    refuse_twice(n, b, e))
				return e->status;
	return ASC_OK;
}

static int compare_keys(const void *a, const void *b)
{
	const struct json_node *one = *(const struct json_node *const *)a;
	const struct json_node *two = *(const struct json_node *const *)b;
	const int order = strcmp(one->key, two->key);

	return order ? order : one < two ? -1 : 1;
}

static enum asc_status check_keys(struct json_node *n, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	const size_t count = n->count;
	size_t i = 0;
	if (count <= FEW_KEYS)
		return check_few_keys(n, e);
	const struct json_node **members = malloc(count * sizeof(const struct json_node *));
	if (!members)
		return asc_err_nomem(e);
	for (const struct json_node *child = n->first; child; child = child->next)
		members[i++] = child;
	qsort(members, count, sizeof(const struct json_node *), compare_keys);
	for (i = 1; i < count && !status; i++)
		if (strcmp(members[i - 1]->key, members[i]->key) == 0)
			status = refuse_twice(n, members[i], e);
	free(members);
	return status;
}

static enum asc_status build_children(struct builder *b, const cJSON *item, struct json_node *n)
{
	enum asc_status status = ASC_OK;
	const struct json_node **link = &n->first;
	const cJSON *inner;
	cJSON_ArrayForEach (inner, item) {
		/* In the order of the text, so that faults sort by address (json_end_gathering). */
		struct json_node *child = &b->doc->nodes[b->doc->n_nodes++];
		*child = (struct json_node){.doc = b->doc, .parent = n, .key = inner->string};
		*link = child;
		link = &child->next;
		n->count++;
		status = build_node(b, inner, child);
		if (status)
			return status;
	}
	return n->type == JSON_OBJECT ? check_keys(n, b->e) : ASC_OK;
}

/* Memory of the tree that this thread has cJSON make; NULL: the heap's. */
static _Thread_local struct arena *trees;

/* True in a process whose cJSON takes its memory here. */
static bool has_hooks;

static void *take_memory(size_t size)
{
	return trees ? arena_alloc(trees, size) : malloc(size);
}

static void drop_memory(void *memory)
{
	if (!trees)
		free(memory);
}

void json_set_up_process(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){take_memory, drop_memory});
	has_hooks = true;
}

/* Makes the document's nodes, for which there is room, of a text that json_scan() has passed;
 * `numbers`: forms of the numbers in the text. */
static enum asc_status build(struct json_doc *doc, const char *text, size_t len,
			     const char *numbers, struct asc_err *e)
{
	struct builder b = {.doc = doc, .numbers = numbers, .e = e};
	trees = has_hooks ? doc->memory : NULL;
	doc->tree = cJSON_ParseWithLength(text, len);
	trees = NULL;
	if (!doc->tree)
		return asc_err_nomem(e);
	doc->n_nodes = 1;
	doc->nodes[0] = (struct json_node){.doc = doc, .parent = doc->list};
	return build_node(&b, doc->tree, &doc->nodes[0]);
}

/* cJSON takes more than JSON, so the text goes through json_scan() before. */
static enum asc_status parse(struct json_doc *doc, const char *text, size_t len, struct asc_err *e)
{
	struct json_scanned found = {0};
	enum asc_status status = json_scan(doc->name, text, len, &found, e);
	if (status == ASC_OK) {
		doc->nodes = malloc(found.n_values * sizeof *doc->nodes);
		status = doc->nodes ? build(doc, text, len, buf_str(&found.numbers), e)
				    : asc_err_nomem(e);
	}
	json_scanned_fini(&found);
	return status;
}

/* ---- documents ---- */

static enum asc_status open_text(const char *name, const char *text, size_t len, bool gathers,
				 struct json_doc **out, struct asc_err *e)
{
	struct json_doc *doc = calloc(1, sizeof *doc);
	if (!doc || !(doc->name = str_dup(name))) {
		free(doc);
		return asc_err_nomem(e);
	}
	doc->gathers = gathers;
	enum asc_status status = parse(doc, text, len, e);
	if (status)
		json_close(doc);
	else
		*out = doc;
	return status;
}

enum asc_status json_open_text(const char *name, const char *text, size_t len,
			       struct json_doc **out, struct asc_err *e)
{
	return open_text(name, text, len, false, out, e);
}

enum asc_status json_open_gathering(const char *name, const char *text, size_t len,
				    struct json_doc **out, struct asc_err *e)
{
	return open_text(name, text, len, true, out, e);
}

enum asc_status json_open_file(const char *path, struct json_doc **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = file_read(path, JSON_MAX_BYTES, &text, e);
	if (!status)
		status = json_open_text(path, buf_str(&text), text.len, out, e);
	buf_fini(&text);
	return status;
}

struct json_rows {
	const char *text; /* of the whole document: `own`, or borrowed */
	size_t len;
	struct buf own;
	struct json_scanned found;
	size_t most_values; /* of a row */
};

static void free_rows(struct json_rows *rows)
{
	if (!rows)
		return;
	buf_fini(&rows->own);
	json_scanned_fini(&rows->found);
	free(rows);
}

void json_close(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->tree);
	json_free_blocks(doc);
	free_rows(doc->rows);
	json_free_faults(doc);
	free(doc->nodes);
	free(doc->name);
	free(doc);
}

/* ---- rows: the elements of the arrays in the root, parsed one at a time ---- */

static enum asc_status read_rows(const char *name, struct json_rows *r, struct asc_err *e)
{
	r->found.finds_rows = true;
	if (json_scan(name, r->text, r->len, &r->found, e))
		return e->status;
	/* Nodes of one row are made at a time, in room for the largest. */
	for (size_t i = 0; i < r->found.n_rows; i++)
		if (r->found.rows[i].n_values > r->most_values)
			r->most_values = r->found.rows[i].n_values;
	return ASC_OK;
}

/* Opens the text without what is between the brackets of its lists. */
static enum asc_status open_rest(const char *path, const struct json_rows *r, struct json_doc **out,
				 struct asc_err *e)
{
	const char *text = r->text;
	struct buf rest = {0};
	size_t at = 0;

	for (size_t i = 0; i < r->found.n_lists; i++) {
		buf_add(&rest, text + at, r->found.lists[i].open + 1 - at);
		at = r->found.lists[i].close;
	}
	buf_add(&rest, text + at, r->len - at);
	enum asc_status status = buf_check(&rest, e);

	if (status == ASC_OK)
		status = json_open_text(path, buf_str(&rest), rest.len, out, e);
	buf_fini(&rest);
	return status;
}

/* Takes over `rows`. */
static enum asc_status open_rows(const char *name, struct json_rows *rows, struct json_doc **out,
				 struct asc_err *e)
{
	enum asc_status status = read_rows(name, rows, e);

	if (status == ASC_OK)
		status = open_rest(name, rows, out, e);
	if (status == ASC_OK)
		(*out)->rows = rows;
	else
		free_rows(rows);
	return status;
}

enum asc_status json_open_rows(const char *path, struct json_doc **out, struct asc_err *e)
{
	struct json_rows *rows = calloc(1, sizeof *rows);

	if (!rows)
		return asc_err_nomem(e);
	if (file_read(path, JSON_MAX_BYTES, &rows->own, e)) {
		free_rows(rows);
		return e->status;
	}
	rows->text = buf_str(&rows->own);
	rows->len = rows->own.len;
	return open_rows(path, rows, out, e);
}

enum asc_status json_open_rows_text(const char *name, struct long_text *text, struct json_doc **out,
				    struct asc_err *e)
{
	struct json_rows *rows = calloc(1, sizeof *rows);

	if (!rows)
		return asc_err_nomem(e);
	rows->text = text->data;
	rows->len = text->len;
	rows->found.text = text;
	return open_rows(name, rows, out, e);
}

/* Lists are in the order of the text, as the arrays in the root are; NULL: the document holds the
 * elements. */
static const struct json_list *find_list(const struct json_node *list)
{
	if (!list || !list->doc->rows || list->type != JSON_ARRAY ||
	    list->parent != json_root(list->doc))
		return NULL;
	const struct json_list *l = list->doc->rows->found.lists;

	for (const struct json_node *n = list->parent->first; n != list; n = n->next)
		l += n->type == JSON_ARRAY;
	return l;
}

static enum asc_status visit_row(struct json_doc *doc, const struct json_row *row,
				 json_visit_fn *visit, void *user, struct asc_err *e)
{
	const struct json_rows *r = doc->list->doc->rows;
	enum asc_status status = build(doc, r->text + row->at, row->len,
				       buf_str(&r->found.numbers) + row->number, e);

	if (r->found.text)
		long_text_reach(r->found.text, row->at);

	if (status == ASC_OK)
		status = visit(user, json_root(doc), e);
	if (!has_hooks)
		cJSON_Delete(doc->tree);
	arena_clear(doc->memory);
	json_free_blocks(doc);
	return status;
}

/* Visits the first `most` elements. */
static enum asc_status visit_rows(const struct json_node *list, size_t most, json_visit_fn *visit,
				  void *user, struct asc_err *e)
{
	const struct json_list *l = find_list(list);
	enum asc_status status = ASC_OK;

	if (!l) {
		for (const struct json_node *n = json_first(list); n && most-- > 0 && !status;
		     n = json_next(n))
			status = visit(user, n, e);
		return status;
	}
	const struct json_rows *r = list->doc->rows;
	struct arena memory = {0};
	struct json_doc doc = {.name = list->doc->name, .memory = &memory, .list = list};

	doc.nodes = malloc((r->most_values + 1) * sizeof *doc.nodes);
	if (!doc.nodes)
		return asc_err_nomem(e);
	for (; doc.index < l->n && doc.index < most && status == ASC_OK; doc.index++)
		status = visit_row(&doc, &r->found.rows[l->first + doc.index], visit, user, e);
	free(doc.nodes);
	arena_fini(&memory);
	return status;
}

enum asc_status json_each_row(const struct json_node *list, json_visit_fn *visit, void *user,
			      struct asc_err *e)
{
	return visit_rows(list, SIZE_MAX, visit, user, e);
}

enum asc_status json_first_row(const struct json_node *list, json_visit_fn *visit, void *user,
			       struct asc_err *e)
{
	return visit_rows(list, 1, visit, user, e);
}

void json_end_rows(struct json_doc *doc)
{
	free_rows(doc->rows);
	doc->rows = NULL;
}

size_t json_count_rows(const struct json_node *list)
{
	const struct json_list *l = find_list(list);

	return l ? l->n : json_count(list);
}
