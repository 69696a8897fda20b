/* The nodes of a document. Private to base/json. */
#ifndef ASCTUNE_BASE_JSON_JSON_NODE_H
#define ASCTUNE_BASE_JSON_JSON_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

struct arena;
struct cJSON;
struct json_block;
struct json_fault;
struct json_rows;

enum {
	JSON_MAX_DEPTH = 64,
	JSON_MAX_BYTES = 64 << 20, /* of a file */
	JSON_MAX_VALUES = 8 << 20  /* some 160 bytes each */
};

struct json_node {
	enum json_type type;
	struct json_doc *doc;
	const struct json_node *parent, *first, *next;
	bool faulty;     /* a fault of its own was noted */
	bool unsound;    /* a fault was noted of it or of what is inside */
	bool stray;      /* its key is not known */
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
	struct arena *memory;    /* of the tree, where cJSON can be told (json_set_up_process) */
	struct json_node *nodes; /* the root first */
	size_t n_nodes;
	struct json_block *blocks;    /* what json_alloc gave */
	struct json_rows *rows;       /* elements that are read one at a time; NULL: none */
	const struct json_node *list; /* array that the root is element `index` of; NULL: none */
	size_t index;
	bool gathers; /* faults are noted; else readers end at the first one */
	struct json_fault *faults;
	size_t n_faults, faults_room;
};

/* Form of a number in the text, which its value alone does not show. */
enum json_number { JSON_NUMBER_INT, JSON_NUMBER_BEYOND, JSON_NUMBER_REAL };

/* An element of an array in the root: its place in the text, its first number, its values. */
struct json_row {
	uint32_t at, len, number, n_values;
};

struct json_list {            /* an array in the root */
	uint32_t open, close; /* places of its brackets */
	size_t first, n;      /* its rows */
};

/* Contents of a scanned text. The caller owns the storage: zeroed but for `finds_rows` and `text`,
 * then json_scanned_fini(). */
struct json_scanned {
	struct buf numbers; /* a byte (enum json_number) of each number */
	size_t n_values;
	struct long_text *text; /* that is scanned; NULL: it is in memory */
	bool finds_rows;        /* the arrays in the root are listed, with their elements */
	struct json_list *lists;
	struct json_row *rows;
	size_t n_lists, lists_room, n_rows, rows_room;
};

/* Refuses text that is not JSON by its standard (RFC 8259) with "NAME:LINE:COLUMN: ...", columns in
 * characters, and one of more than JSON_MAX_VALUES values, unless it finds rows. */
enum asc_status json_scan(const char *name, const char *text, size_t len, struct json_scanned *out,
			  struct asc_err *e);
void json_scanned_fini(struct json_scanned *s);

void json_free_blocks(struct json_doc *doc);
void json_free_faults(struct json_doc *doc);

/* json_fail() for what stands at `place`, a member of `n`. */
enum asc_status json_fail_at(const struct json_node *n, const struct json_node *place,
			     struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* "expected EXPECTED, found what is there" */
enum asc_status json_fail_type(const struct json_node *n, struct asc_err *e, const char *expected);

/* Adds `s` in double quotes, with JSON's escapes. */
void json_quote(struct buf *out, const char *s);

#endif
