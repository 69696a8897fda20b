/* The tree of a document: nodes, their members and elements without those that are ignored. */
#include "tuner/base/json/json_node.h"

#include <string.h>

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

const struct json_node *json_first(const struct json_node *n)
{
	return n->first;
}

const struct json_node *json_next(const struct json_node *n)
{
	return n->next;
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
