#include "tuner/base/json/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json_node.h"

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
	char kind = *b->numbers++;
	n->type = kind == JSON_NUMBER_REAL ? JSON_REAL : JSON_INT;
	if (kind == JSON_NUMBER_BEYOND)
		return json_fail(n, b->e, "integers beyond 2^53 = 9007199254740992 are not exact");
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

static enum asc_status fail_twice(const struct json_node *n, const char *key, struct asc_err *e)
{
	return json_fail(n, e, "key \"%s\" appears twice", key);
}

/* Keys differ in their first character, mostly. */
static enum asc_status check_few_keys(const struct json_node *n, struct asc_err *e)
{
	for (const struct json_node *a = n->first; a; a = a->next)
		for (const struct json_node *b = a->next; b; b = b->next)
			if (*a->key == *b->key && strcmp(a->key, b->key) == 0)
				return fail_twice(n, a->key, e);
	return ASC_OK;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum asc_status check_keys(const struct json_node *n, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t i = 0;
	if (n->count <= FEW_KEYS)
		return check_few_keys(n, e);
	const char **keys = malloc(n->count * sizeof *keys);
	if (!keys)
		return asc_err_nomem(e);
	for (const struct json_node *child = n->first; child; child = child->next)
		keys[i++] = child->key;
	qsort(keys, n->count, sizeof *keys, compare_keys);
	for (i = 1; i < n->count && !status; i++)
		if (strcmp(keys[i - 1], keys[i]) == 0)
			status = fail_twice(n, keys[i], e);
	free(keys);
	return status;
}

static enum asc_status build_children(struct builder *b, const cJSON *item, struct json_node *n)
{
	enum asc_status status = ASC_OK;
	const struct json_node **link = &n->first;
	const cJSON *inner;
	cJSON_ArrayForEach (inner, item) {
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

enum asc_status json_build(struct json_doc *doc, const char *text, size_t len, const char *numbers,
			   struct asc_err *e)
{
	struct builder b = {.doc = doc, .numbers = numbers, .e = e};
	doc->tree = cJSON_ParseWithLength(text, len);
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
		status = doc->nodes ? json_build(doc, text, len, buf_str(&found.numbers), e)
				    : asc_err_nomem(e);
	}
	json_scanned_fini(&found);
	return status;
}

/* ---- documents ---- */

enum asc_status json_open_text(const char *name, const char *text, size_t len,
			       struct json_doc **out, struct asc_err *e)
{
	struct json_doc *doc = calloc(1, sizeof *doc);
	if (!doc || !(doc->name = str_dup(name))) {
		free(doc);
		return asc_err_nomem(e);
	}
	enum asc_status status = parse(doc, text, len, e);
	if (status)
		json_close(doc);
	else
		*out = doc;
	return status;
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

void json_close(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->tree);
	json_free_blocks(doc);
	json_free_rows(doc->rows);
	free(doc->nodes);
	free(doc->name);
	free(doc);
}

/* ---- nodes ---- */

const struct json_node *json_root(const struct json_doc *doc)
{
	return &doc->nodes[0];
}

enum json_type json_type(const struct json_node *n)
{
	return n->type;
}

const char *json_key(const struct json_node *n)
{
	return n->key;
}

size_t json_count(const struct json_node *n)
{
	return n->count;
}

static const struct json_node *skip_ignored(const struct json_node *n)
{
	while (n && n->ignored)
		n = n->next;
	return n;
}

const struct json_node *json_first(const struct json_node *n)
{
	return skip_ignored(n->first);
}

const struct json_node *json_next(const struct json_node *n)
{
	return skip_ignored(n->next);
}

void json_ignore(struct json_doc *doc, const struct json_node *n)
{
	struct json_node *own = &doc->nodes[n - doc->nodes];

	if (own->ignored || !n->parent)
		return;
	own->ignored = true;
	doc->nodes[n->parent - doc->nodes].count--;
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	if (object->type != JSON_OBJECT)
		return NULL;
	const struct json_node *n = json_first(object);
	while (n && (*n->key != *key || strcmp(n->key, key) != 0))
		n = json_next(n);
	return n;
}
