/* The nodes of a document. Private to base/json. */
#ifndef ASCTUNE_BASE_JSON_NODE_H
#define ASCTUNE_BASE_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/json.h"

struct json_block;
struct json_chunk;

enum { JSON_MAX_DEPTH = 64 };

struct json_node {
	enum json_type type;
	bool ignored; /* readers do not meet it */
	struct json_doc *doc;
	struct json_node *parent, *first, *next;
	const char *key;         /* keys and strings belong to the document */
	size_t count, n_ignored; /* of what is inside */
	union {
		bool b;
		int64_t i;
		double r;
		const char *s;
	};
};

struct json_doc {
	char *name, *text; /* strings end where their quotes were */
	struct json_node *root;
	struct json_chunk *chunks; /* nodes */
	struct json_block *blocks; /* what json_alloc gave */
};

/* Parses the document's text of `len` bytes, followed by a NUL, and refuses what is not JSON by its
 * standard (RFC 8259) with "NAME:LINE:COLUMN: ...", columns in characters. `visit` (NULL: none) is
 * for json_open_rows(). */
enum asc_status json_parse(struct json_doc *doc, size_t len, json_visit_fn *visit, void *user,
			   struct asc_err *e);
void json_free_chunks(struct json_doc *doc);

/* Frees what json_alloc gave after `last` was the newest; NULL: all. */
void json_free_blocks(struct json_doc *doc, const struct json_block *last);

/* "expected EXPECTED, found what is there" */
enum asc_status json_fail_type(const struct json_node *n, struct asc_err *e, const char *expected);

/* Adds `s` in double quotes, with JSON's escapes. */
void json_quote(struct buf *out, const char *s);

#endif
