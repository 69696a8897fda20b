/* The tree of a document: nodes, their members and elements, and memory that lives as long. */
#include "tuner/base/json/json_node.h"

#include <stdlib.h>
#include <string.h>

const struct json_node *json_root(const struct json_doc *doc)
{
	return &doc->nodes[0];
}

enum json_type json_type(const struct json_node *n)
{
	return n ? n->type : JSON_NULL;
}

const char *json_key(const struct json_node *n)
{
	return n->key;
}

size_t json_count(const struct json_node *n)
{
	return n ? n->count : 0;
}

const struct json_node *json_first(const struct json_node *n)
{
	return n ? n->first : NULL;
}

const struct json_node *json_next(const struct json_node *n)
{
	return n->next;
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	if (json_type(object) != JSON_OBJECT)
		return NULL;
	const struct json_node *n = json_first(object);
	while (n && (*n->key != *key || strcmp(n->key, key) != 0))
		n = json_next(n);
	return n;
}

/* ---- memory of a document ---- */

struct json_block {
	struct json_block *next;
	max_align_t data[];
};

void *json_alloc(const struct json_node *n, size_t bytes)
{
	if (bytes > SIZE_MAX - sizeof(struct json_block))
		return NULL;
	struct json_block *b = calloc(1, sizeof *b + bytes);
	if (!b)
		return NULL;
	b->next = n->doc->blocks;
	n->doc->blocks = b;
	return b->data;
}

void json_free_blocks(struct json_doc *doc)
{
	while (doc->blocks) {
		struct json_block *next = doc->blocks->next;
		free(doc->blocks);
		doc->blocks = next;
	}
}
