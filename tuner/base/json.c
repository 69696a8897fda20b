#include "tuner/base/json.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json_node.h"

enum { FILE_MAX_BYTES = 64 << 20 };

/* ---- documents ---- */

/* Takes the text, a heap string; NULL: out of memory. */
static enum asc_status open_owned(const char *name, char *text, size_t len, json_visit_fn *visit,
				  void *user, struct json_doc **out, struct asc_err *e)
{
	struct json_doc *doc = calloc(1, sizeof *doc);
	if (!doc || !text || !(doc->name = str_dup(name))) {
		free(text);
		free(doc);
		return asc_err_nomem(e);
	}
	doc->text = text;
	enum asc_status status = json_parse(doc, len, visit, user, e);
	if (status)
		json_close(doc);
	else
		*out = doc;
	return status;
}

enum asc_status json_open_text(const char *name, const char *text, size_t len,
			       struct json_doc **out, struct asc_err *e)
{
	char *copy = malloc(len + 1);
	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return open_owned(name, copy, len, NULL, NULL, out, e);
}

enum asc_status json_open_rows(const char *path, json_visit_fn *visit, void *user,
			       struct json_doc **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = file_read(path, FILE_MAX_BYTES, &text, e);
	const size_t len = text.len;

	if (status) {
		buf_fini(&text);
		return status;
	}
	return open_owned(path, buf_take(&text), len, visit, user, out, e);
}

enum asc_status json_open_file(const char *path, struct json_doc **out, struct asc_err *e)
{
	return json_open_rows(path, NULL, NULL, out, e);
}

void json_close(struct json_doc *doc)
{
	if (!doc)
		return;
	json_free_chunks(doc);
	json_free_blocks(doc, NULL);
	free(doc->text);
	free(doc->name);
	free(doc);
}

/* ---- nodes ---- */

const struct json_node *json_root(const struct json_doc *doc)
{
	return doc->root;
}

enum json_type json_type(const struct json_node *n)
{
	return n->type;
}

const char *json_key(const struct json_node *n)
{
	return n->key;
}

const struct json_node *json_parent(const struct json_node *n)
{
	return n->parent;
}

size_t json_count(const struct json_node *n)
{
	return n->count - n->n_ignored;
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

void json_ignore(const struct json_node *n)
{
	if (n->ignored || !n->parent)
		return;
	struct json_node *own = n->parent->first;
	while (own != n)
		own = own->next;
	own->ignored = true;
	n->parent->n_ignored++;
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
