/* Objects read by tables of fields. */
#include "tuner/base/json/json.h"

#include <assert.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json_node.h"

enum { MAX_FIELDS = 64 };

static enum asc_status read_string(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_get_string(n, member, e);
}

static enum asc_status read_int(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_get_int(n, member, e);
}

static enum asc_status read_real(const struct json_node *n, void *member, struct asc_err *e)
{
	struct value v;
	if (n->type != JSON_INT && n->type != JSON_REAL)
		return json_fail_type(n, e, "a number");
	enum asc_status status = json_get_value(n, &v, e);
	if (!status)
		*(double *)member = value_as_real(v);
	return status;
}

static enum asc_status read_bool(const struct json_node *n, void *member, struct asc_err *e)
{
	if (n->type != JSON_BOOL)
		return json_fail_type(n, e, "true or false");
	*(bool *)member = n->b;
	return ASC_OK;
}

static enum asc_status read_value(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_get_value(n, member, e);
}

static enum asc_status read_node(const struct json_node *n, void *member, struct asc_err *e)
{
	(void)e;
	*(const struct json_node **)member = n;
	return ASC_OK;
}

static enum asc_status read_nothing(const struct json_node *n, void *member, struct asc_err *e)
{
	(void)n;
	(void)member;
	(void)e;
	return ASC_OK;
}

static json_read_fn *const readers[] = {
	[JSON_AS_STRING] = read_string, [JSON_AS_INT] = read_int,      [JSON_AS_REAL] = read_real,
	[JSON_AS_BOOL] = read_bool,     [JSON_AS_VALUE] = read_value,  [JSON_AS_NODE] = read_node,
	[JSON_AS_CUSTOM] = NULL,        [JSON_IGNORED] = read_nothing,
};

static bool is_free(const char *key)
{
	return strncmp(key, "X-", 2) == 0 || strcmp(key, "$schema") == 0;
}

static const struct json_field *find_field(const struct json_spec *spec, const char *key)
{
	const struct json_field *f = spec->fields;
	/* Each member of each row of a long file comes here; most keys differ at first sight. */
	while (f->key && (*f->key != *key || strcmp(f->key, key) != 0) &&
	       (*f->key != *JSON_OTHERS || strcmp(f->key, JSON_OTHERS) != 0))
		f++;
	return f->key ? f : NULL;
}

static void list_keys(const struct json_spec *spec, const char *keys[MAX_FIELDS + 1])
{
	size_t count = 0;
	for (; spec->fields[count].key; count++) {
		assert(count < MAX_FIELDS);
		keys[count] = spec->fields[count].key;
	}
	keys[count] = NULL;
}

static enum asc_status fail_key(const struct json_node *child, const struct json_spec *spec,
				struct asc_err *e)
{
	const char *keys[MAX_FIELDS + 1];
	struct json_node *nodes = child->doc->nodes;
	list_keys(spec, keys);
	nodes[child - nodes].stray = true;
	return json_fail_unknown(child->parent, e, "key", child->key, keys);
}

/* True where a key that is not known is taken for this one: that it is missing was said. */
static bool is_misspelt(const struct json_node *n, const struct json_spec *spec, const char *key)
{
	const char *keys[MAX_FIELDS + 1], *near;
	list_keys(spec, keys);
	for (const struct json_node *child = n->first; child; child = child->next) {
		near = child->stray ? str_nearest(child->key, keys) : NULL;
		if (near && strcmp(near, key) == 0)
			return true;
	}
	return false;
}

/* `met` has a bit for each field that was met. */
static enum asc_status read_member(const struct json_node *child, const struct json_spec *spec,
				   void *out, uint64_t *met, struct asc_err *e)
{
	const struct json_field *f = find_field(spec, child->key);
	if (!f)
		return is_free(child->key) ? ASC_OK : fail_key(child, spec, e);
	*met |= UINT64_C(1) << (f - spec->fields);
	json_read_fn *read = f->kind == JSON_AS_CUSTOM ? f->read : readers[f->kind];
	return read(child, (char *)out + f->offset, e);
}

enum asc_status json_read_object(const struct json_node *n, const struct json_spec *spec, void *out,
				 struct asc_err *e)
{
	if (json_type(n) != JSON_OBJECT)
		return json_fail_type(n, e, "an object");
	uint64_t met = 0; /* MAX_FIELDS is its number of bits */
	enum asc_status status = ASC_OK;
	for (const struct json_node *child = n->first; child; child = child->next)
		if (read_member(child, spec, out, &met, e)) {
			/* The other members of a document that gathers its faults are read, too. */
			status = e->status;
			if (json_ends(n, status))
				return status;
		}
	for (const struct json_field *f = spec->fields; f->key; f++)
		if (f->required && !(met >> (f - spec->fields) & 1) &&
		    !is_misspelt(n, spec, f->key)) {
			status = json_fail(n, e, "missing key \"%s\"", f->key);
			if (json_ends(n, status))
				return status;
		}
	return status;
}

/* "(did you mean "x"?)", or all that there are when none is near and they are few. */
static void add_hint(struct buf *out, const char *name, const char *const *candidates)
{
	enum { FEW = 12 };
	size_t n = 0;
	const char *near = str_nearest(name, candidates);
	if (near) {
		buf_print(out, " (did you mean \"%s\"?)", near);
		return;
	}
	while (candidates[n])
		n++;
	if (n == 0 || n > FEW)
		return;
	for (size_t i = 0; i < n; i++)
		buf_print(out, "%s%s", i ? ", " : " (expected one of ", candidates[i]);
	buf_add_char(out, ')');
}

enum asc_status json_fail_unknown(const struct json_node *n, struct asc_err *e, const char *what,
				  const char *name, const char *const *candidates)
{
	/* The name is a value, or the key of a member, where the fault then stands. */
	const struct json_node *member = json_find(n, name);
	struct buf text = {0};
	buf_print(&text, "unknown %s ", what);
	json_quote(&text, name);
	add_hint(&text, name, candidates);
	enum asc_status status = buf_check(&text, e);
	if (!status)
		status = json_fail_at(n, member ? member : n, e, "%s", buf_str(&text));
	buf_fini(&text);
	return status;
}

/* ---- files of asctune's ---- */

/* `found`: the format that it names; NULL: none. */
static enum asc_status fail_format(const struct json_node *n, const char *found,
				   const char *const *names, struct asc_err *e)
{
	struct buf list = {0};
	for (size_t i = 0; names[i]; i++)
		buf_print(&list, "%s%s", i ? " or " : "", names[i]);
	enum asc_status status = buf_check(&list, e);
	if (!status && found)
		status = json_fail(n, e, "\"%s\", expected %s", found, buf_str(&list));
	else if (!status)
		status = json_fail(n, e, "it has no \"format\" and \"version\", expected format %s",
				   buf_str(&list));
	buf_fini(&list);
	return status;
}

enum asc_status json_check_format(const struct json_node *root, const char *const *names,
				  int version, size_t *which, struct asc_err *e)
{
	const struct json_node *format = json_find(root, "format"),
			       *number = json_find(root, "version");
	const char *text;
	int64_t found;
	if (json_expect(root, JSON_OBJECT, e))
		return e->status;
	if (!format || !number)
		return fail_format(root, NULL, names, e);
	if (json_get_string(format, &text, e) || json_get_int(number, &found, e))
		return e->status;
	for (*which = 0; names[*which] && strcmp(names[*which], text) != 0;)
		++*which;
	if (!names[*which])
		return fail_format(format, text, names, e);
	if (found != version)
		(void)json_fail(number, e, "is %lld, this asctune reads %d", (long long)found,
				version);
	if (found > version)
		e->status = ASC_NEWER;
	return found != version ? e->status : ASC_OK;
}

void *json_read_list(const struct json_node *n, size_t size, json_read_fn *read, size_t *count,
		     struct asc_err *e)
{
	char *list = NULL;

	*count = 0;
	if (json_expect(n, JSON_ARRAY, e))
		return NULL;
	list = json_alloc(n, (json_count(n) + 1) * size);
	if (!list)
		asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); list && i; i = json_next(i))
		if (read(i, list + (*count)++ * size, e))
			return NULL;
	return list;
}
