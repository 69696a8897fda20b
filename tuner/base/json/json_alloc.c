/* Memory that lives as long as a document. */
#include "tuner/base/json/json.h"

#include <stddef.h>
#include <stdlib.h>

#include "tuner/base/json/json_node.h"

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
