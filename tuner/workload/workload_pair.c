#include "tuner/workload/workload_pair.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

const char *const pair_names[PAIR_SIDES] = {"A", "B"};

/* Members that the copy leaves out: other implementations have gone, and nothing is exported. */
static const char *const left_out[] = {"implementations", "baseline", "export", "track", NULL};

/* Members that name a file. */
static const char *const files[] = {"source", "verdicts", NULL};

struct copy {
	struct json_writer w;
	const char *folder; /* of the workload that is copied */
};

/* Writes a file: absolute where it is one; vendor functions and modules stay what they are. */
static enum asc_status put_file(struct copy *c, const char *key, const struct json_node *n,
				struct asc_err *e)
{
	const char *text;

	if (json_get_string(n, &text, e))
		return e->status;
	char *path = path_join(c->folder, text);

	if (!path)
		return asc_err_nomem(e);
	/* The copy lies in another folder than the original. */
	json_write_string(&c->w, key, file_exists(path) ? path : text);
	free(path);
	return ASC_OK;
}

/* Writes a copy of a node, its files with absolute paths; `name` (or NULL) takes the place of its
 * member of that key. */
static enum asc_status put(struct copy *c, const char *key, const struct json_node *n,
			   const char *name, struct asc_err *e)
{
	const bool object = json_type(n) == JSON_OBJECT;

	if (key && str_is_in(key, files) && json_type(n) == JSON_STRING)
		return put_file(c, key, n, e);
	if (!object && json_type(n) != JSON_ARRAY) {
		json_write_node(&c->w, key, n);
		return ASC_OK;
	}
	json_write_begin(&c->w, key, object ? '{' : '[');
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		const char *own = object ? json_key(m) : NULL;

		if (name && own && strcmp(own, "name") == 0)
			json_write_string(&c->w, own, name);
		else if (put(c, own, m, NULL, e))
			return e->status;
	}
	json_write_end(&c->w, object ? '}' : ']');
	return ASC_OK;
}

static enum asc_status put_sides(struct copy *c, const struct pair_side sides[PAIR_SIDES],
				 struct asc_err *e)
{
	json_write_begin(&c->w, "implementations", '[');
	for (size_t i = 0; i < PAIR_SIDES; i++) {
		const struct implementation *wanted =
			workload_find_implementation(sides[i].workload, sides[i].implementation);

		/* Sources of each side lie beside its own workload. */
		c->folder = sides[i].workload->folder;
		if (put(c, NULL, wanted->node, pair_names[i], e))
			return e->status;
	}
	json_write_end(&c->w, ']');
	return ASC_OK;
}

enum asc_status workload_pair_print(const struct pair_side sides[PAIR_SIDES], struct buf *out,
				    struct asc_err *e)
{
	const struct workload *second = sides[PAIR_SIDES - 1].workload;
	struct copy c = {.w = {.out = out}, .folder = second->folder};

	json_write_begin(&c.w, NULL, '{');
	for (const struct json_node *m = json_first(json_root(second->doc)); m; m = json_next(m))
		if (!str_is_in(json_key(m), left_out) && put(&c, json_key(m), m, NULL, e))
			return e->status;
	if (put_sides(&c, sides, e))
		return e->status;
	json_write_end(&c.w, '}');
	return buf_check(out, e);
}
