/* The nodes of a document. Private to base/json. */
#ifndef ASCTUNE_BASE_JSON_NODE_H
#define ASCTUNE_BASE_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/json.h"

struct cJSON;
struct json_block;

enum { JSON_MAX_DEPTH = 64 };

struct json_node {
	enum json_type type;
	struct json_doc *doc;
	const struct json_node *parent, *first, *next;
	bool ignored;    /* readers do not meet it */
	const char *key; /* keys and strings belong to the document's tree */
	size_t count;
	union {
		bool b;
		int64_t i;
		double r;
		const char *s;
	};
};

struct json_doc {
	char *name;
	struct cJSON *tree;
	struct json_node *nodes; /* the root first */
	size_t n_nodes;
	struct json_block *blocks; /* what json_alloc gave */
};

/* Form of a number in the text, which its value alone does not show. */
enum json_number { JSON_NUMBER_INT, JSON_NUMBER_BEYOND, JSON_NUMBER_REAL };

/* Refuses text that is not JSON by its standard (RFC 8259) with "NAME:LINE:COLUMN: ...", columns in
 * characters. Counts its values, and adds one byte (enum json_number) per number to `numbers`. */
enum asc_status json_scan(const char *name, const char *text, size_t len, struct buf *numbers,
			  size_t *n_values, struct asc_err *e);

void json_free_blocks(struct json_doc *doc);

/* "expected EXPECTED, found what is there" */
enum asc_status json_fail_type(const struct json_node *n, struct asc_err *e, const char *expected);

/* Adds `s` in double quotes, with JSON's escapes. */
void json_quote(struct buf *out, const char *s);

#endif
