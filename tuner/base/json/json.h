/* Strict JSON: documents read into nodes, objects read by tables of fields, and a streaming writer.
 *
 * Reading refuses, with file, path and (for syntax) line and column: trailing text, duplicate keys,
 * keys that differ only in case from a known one or are unknown ("did you mean"), integers beyond
 * 2^53, invalid UTF-8, NUL characters, depth over 64, more than 8 million values at a time. A
 * document owns its nodes and strings; nodes are borrowed and live as long as the document. */
#ifndef ASCTUNE_BASE_JSON_JSON_H
#define ASCTUNE_BASE_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct buf;
struct json_doc;
struct json_node;
struct long_text;

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* `name` is what messages call the text. */
enum asc_status json_open_text(const char *name, const char *text, size_t len,
			       struct json_doc **out, struct asc_err *e);
enum asc_status json_open_file(const char *path, struct json_doc **out, struct asc_err *e);
void json_close(struct json_doc *doc);

/* Has cJSON take the memory of rows from a stock that the next row takes again, which halves its
 * time: for programs, not for libraries, whose program may use cJSON, too; before any document is
 * opened. */
void json_set_up_process(void);

/* Opens a file whose arrays in the root may be long: they have no elements in the document, and
 * json_each_row() reads these. */
enum asc_status json_open_rows(const char *path, struct json_doc **out, struct asc_err *e);

/* The same of a text, which is borrowed until the document is closed. */
enum asc_status json_open_rows_text(const char *name, struct long_text *text, struct json_doc **out,
				    struct asc_err *e);

/* Visits the elements of an array in the root of such a document, one after the other; each lives
 * during its visit. The first failure ends the visits. A document that holds its elements, or an
 * array elsewhere, is read alike. */
typedef enum asc_status json_visit_fn(void *user, const struct json_node *row, struct asc_err *e);
enum asc_status json_each_row(const struct json_node *list, json_visit_fn *visit, void *user,
			      struct asc_err *e);

/* Visits the first of them; none where there is none. */
enum asc_status json_first_row(const struct json_node *list, json_visit_fn *visit, void *user,
			       struct asc_err *e);
size_t json_count_rows(const struct json_node *list);

/* Frees what visits need: behind this the arrays in the root are empty. */
void json_end_rows(struct json_doc *doc);

/* A node that is NULL is absent: of the type JSON_NULL, without members; getters say that it is
 * missing. */
const struct json_node *json_root(const struct json_doc *doc);
enum json_type json_type(const struct json_node *n);
const char *json_type_name(enum json_type t);    /* "a string", "an object", ... */
const char *json_key(const struct json_node *n); /* the member's key, or NULL */
size_t json_count(const struct json_node *n);    /* members or elements, else 0 */
const struct json_node *
json_first(const struct json_node *n); /* NULL when empty or neither array nor object */
const struct json_node *json_next(const struct json_node *n);

const struct json_node *json_find(const struct json_node *object,
				  const char *key); /* NULL when absent */

/* Typed access; each fails with the path, what was expected and what is there. Strings are
 * borrowed. */
enum asc_status json_get_string(const struct json_node *n, const char **out, struct asc_err *e);
enum asc_status json_get_int(const struct json_node *n, int64_t *out, struct asc_err *e);
enum asc_status json_get_size(const struct json_node *n, int64_t *out,
			      struct asc_err *e); /* integer; a truth value is 0 or 1 */
enum asc_status json_get_value(const struct json_node *n, struct value *out,
			       struct asc_err *e); /* integer, real or bool */

/* Value of a parameter: that of json_get_value(), or a text (value.h). */
enum asc_status json_get_choice(const struct json_node *n, struct value *out, struct asc_err *e);

/* ASC_INPUT with the path when the node is of another type. */
enum asc_status json_expect(const struct json_node *n, enum json_type type, struct asc_err *e);

/* A failure of the caller's own about this node: "FILE: implementations[1].parameters.BLOCK_M: ..."
 */
enum asc_status json_fail(const struct json_node *n, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Zeroed memory, aligned for any type, that lives as long as the node's document: for what read
 * functions build. NULL when out of memory. */
void *json_alloc(const struct json_node *n, size_t bytes);

/* Path of a node, `implementations[1].parameters.BLOCK_M`; heap string, "" for the root, NULL when
 * out of memory. */
char *json_path(const struct json_node *n);

/* ---- objects by table ---- */

enum json_kind {
	JSON_AS_STRING, /* const char * */
	JSON_AS_INT,    /* int64_t */
	JSON_AS_REAL,   /* double; integers too */
	JSON_AS_BOOL,   /* bool */
	JSON_AS_VALUE,  /* struct value */
	JSON_AS_NODE,   /* const struct json_node *, any type */
	JSON_AS_CUSTOM, /* read() is called with the address of the member */
	JSON_IGNORED    /* accepted and not looked at */
};

typedef enum asc_status json_read_fn(const struct json_node *n, void *member, struct asc_err *e);

struct json_field {
	const char *key;
	enum json_kind kind;
	bool required;
	size_t offset;
	json_read_fn *read;          /* JSON_AS_CUSTOM */
	const struct json_spec *sub; /* the table of what is inside (object, array's elements or
					map's values); for the schema test */
};

/* Key of a last field, JSON_IGNORED: in an open format every further key is accepted. */
#define JSON_OTHERS "*"

struct json_spec {
	const char *name;                /* as under "$defs" of the schema */
	const struct json_field *fields; /* ended by a NULL key */
};

/* Reads every member of the object `n` into the structure at `out`. Absent optional members leave
 * it untouched. Keys that start with "X-" or are "$schema" are accepted everywhere and ignored. */
enum asc_status json_read_object(const struct json_node *n, const struct json_spec *spec, void *out,
				 struct asc_err *e);

/* Reads an array, each element by `read` into a record of `size` bytes, zeroed before, and a zeroed
 * one after them; they live as long as the document. NULL on failure, with the error set. */
void *json_read_list(const struct json_node *n, size_t size, json_read_fn *read, size_t *count,
		     struct asc_err *e);

/* ---- all faults of a document ---- */

enum { JSON_MAX_FAULTS = 1000 }; /* more are not looked for */

/* Opens a document that gathers its faults: what json_fail() says of a node is noted, and readers
 * go on behind it. A text that is no JSON fails at once. */
enum asc_status json_open_gathering(const char *name, const char *text, size_t len,
				    struct json_doc **out, struct asc_err *e);

/* True for a failure that ends the reading: any, except that a document that gathers its faults
 * goes on behind ASC_INPUT. */
bool json_ends(const struct json_node *n, enum asc_status s);

/* True for a node with a fault: what depends on the node is not looked at, as its own faults may
 * follow from that one. */
bool json_is_faulty(const struct json_node *n); /* the node itself has a fault */
bool json_is_sound(const struct json_node *n);  /* neither it nor anything inside has one */

bool json_has_stray(const struct json_node *n); /* a member has a key that is not known, and may
						   stand for one that is missed */

/* Marks a node as if a fault of its own had been noted, while those are gathered. */
void json_mark_faulty(const struct json_node *n);

/* Ends the gathering; returns the number of faults, which lie in the order of the file. */
size_t json_end_gathering(struct json_doc *doc);
const char *json_fault_text(const struct json_doc *doc, size_t i); /* borrowed */

/* Checks the members "format" and "version" of a root: *which is the place of the format among the
 * NULL-terminated names. ASC_NEWER for a later version than the one that is read. */
enum asc_status json_check_format(const struct json_node *root, const char *const *names,
				  int version, size_t *which, struct asc_err *e);

/* Fails with "did you mean" for `name`, which is none of the NULL-terminated candidates; `what` is
 * its kind ("role"). */
enum asc_status json_fail_unknown(const struct json_node *n, struct asc_err *e, const char *what,
				  const char *name, const char *const *candidates);

/* ---- writing: one value after another into a buffer, commas and escapes by itself ---- */

struct json_writer {
	struct buf *out;
	bool comma; /* a separator is due before the next member */
};

void json_write_begin(struct json_writer *w, const char *key,
		      char bracket); /* '{' or '['; key is NULL inside arrays and at the top */
void json_write_end(struct json_writer *w, char bracket); /* '}' or ']' */
void json_write_string(struct json_writer *w, const char *key,
		       const char *s); /* NULL writes null; invalid UTF-8 becomes U+FFFD */
void json_write_int(struct json_writer *w, const char *key, int64_t i);
void json_write_count(struct json_writer *w, const char *key, uint64_t n); /* all its digits */
void json_write_real(struct json_writer *w, const char *key,
		     double r); /* not finite: null; reads back to the same double */
void json_write_bool(struct json_writer *w, const char *key, bool b);
void json_write_value(struct json_writer *w, const char *key, struct value v);
void json_write_node(struct json_writer *w, const char *key,
		     const struct json_node *n); /* a copy of a read node */
void json_write_made(struct json_writer *w, const char *key,
		     const char *text); /* a value that another writer has made */

/* Appends what a writer has made for people who edit it: what does not fit on a line is broken into
 * lines of their own, indented by two blanks a level. */
void json_print_lines(const char *text, struct buf *out);

#endif
