/* Tables of flash-linear-attention, as fla-core 0.6.0 reads them (fla/ops/utils/cache.py): a file
 * for each kernel, entries under the MD5 of their key, and one configuration for all other keys.
 *
 * A key is the values of the decorator's `key` in its order, then the type of each tensor in the
 * order of the kernel's arguments: "sizes" and "types" of a workload's "export" have these orders.
 * The look-up here is that of FLA_CACHE_MODE=full; strict takes the first step of it alone. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/md5.h"

/* ---- names and keys ---- */

static enum asc_status name_file(const struct reader_problem *p, const char *triton,
				 struct buf *out, struct asc_err *e)
{
	(void)triton;
	return reader_name_in_folder(p, ".json", out, e);
}

static enum asc_status print_key(const struct reader_ops *self, const struct reader_problem *p,
				 struct buf *out, struct asc_err *e)
{
	(void)self;
	return reader_print_ordered_key(p, out, e);
}

/* ---- the rule ---- */

/* True where two keys have the same form: numbers match any number, all else itself. */
static bool is_similar(const char *a, const char *b)
{
	bool in_string = false;

	while (*a && *b) {
		const bool numbers = !in_string && (isdigit((unsigned char)*a) || *a == '-') &&
				     (isdigit((unsigned char)*b) || *b == '-');

		if (numbers) {
			a += strspn(a, "0123456789+-.eE");
			b += strspn(b, "0123456789+-.eE");
			continue;
		}
		if (*a != *b)
			return false;
		if (in_string && *a == '\\' && a[1] && a[1] == b[1]) {
			a++;
			b++;
		} else if (*a == '"') {
			in_string = !in_string;
		}
		a++;
		b++;
	}
	return *a == *b;
}

static size_t find(const struct reader_table *t, const char *key)
{
	size_t similar = READER_OWN, rest = READER_OWN;

	for (size_t i = 0; i < t->n; i++) {
		const char *own = t->rows[i].key;

		if (own && strcmp(own, key) == 0)
			return i;
		if (own && similar == READER_OWN && is_similar(own, key))
			similar = i;
		if (!own)
			rest = i;
	}
	return similar != READER_OWN ? similar : rest;
}

static enum asc_status check(const struct reader_problem *p, const struct reader_config *c,
			     struct asc_err *e)
{
	(void)p;
	return reader_check_launch(c, e);
}

/* ---- writing ---- */

static enum asc_status write_entry(struct json_writer *w, const struct reader_row *row,
				   struct asc_err *e)
{
	char hash[MD5_TEXT_SIZE];
	struct json_doc *doc = NULL;

	if (json_open_text("key", row->key, strlen(row->key), &doc, e))
		return e->status;
	md5_print(row->key, strlen(row->key), hash);
	buf_add_str(w->out, w->comma ? ",\n" : "\n");
	w->comma = false;
	json_write_begin(w, hash, '{');
	json_write_node(w, "autotune_key", json_root(doc));
	reader_write_launch(w, "config", &row->config);
	json_write_end(w, '}');
	json_close(doc);
	return ASC_OK;
}

static enum asc_status write(const struct reader_table *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "kernel_name", t->kernel);
	json_write_string(&w, "triton_version", t->version);
	json_write_begin(&w, "autotune_entries", '{');
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].key && write_entry(&w, &t->rows[i], e))
			return e->status;
	json_write_end(&w, '}');
	for (size_t i = 0; i < t->n; i++)
		if (!t->rows[i].key) {
			buf_add_str(out, ",\n");
			w.comma = false;
			reader_write_launch(&w, "default_config", &t->rows[i].config);
		}
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	return buf_check(out, e);
}

/* ---- reading ---- */

static enum asc_status read_config(const struct json_node *n, struct reader_table *t,
				   const char *key, struct asc_err *e)
{
	struct reader_config c = {0};
	size_t kept = 0;

	if (reader_read_launch(n, t, &c, e))
		return e->status;
	/* One CTA is what a kernel has that does not say a number. No kernel of asctune's does, so
	 * that a row with it is the same configuration. */
	for (size_t i = 0; i < c.n; i++)
		if (strcmp(c.list[i].name, "num_ctas") != 0 ||
		    !value_equal(c.list[i].value, value_int(1)))
			c.list[kept++] = c.list[i];
	c.n = kept;
	return reader_table_add(t, key, &c, e);
}

static enum asc_status read_entry(const struct json_node *n, struct reader_table *t,
				  struct asc_err *e)
{
	const struct json_node *own = json_find(n, "autotune_key");
	struct buf key = {0};
	char hash[MD5_TEXT_SIZE];

	if (own)
		json_write_node(&(struct json_writer){&key, false}, NULL, own);
	enum asc_status status =
		own ? buf_check(&key, e) : json_fail(n, e, "\"autotune_key\" is missing");

	md5_print(buf_str(&key), key.len, hash);
	if (status == ASC_OK && strcmp(hash, json_key(n)) != 0)
		status = json_fail(n, e,
				   "is not the MD5 of its \"autotune_key\", %s: the library does "
				   "not find it",
				   hash);
	if (status == ASC_OK)
		status = read_config(json_find(n, "config"), t, buf_str(&key), e);
	buf_fini(&key);
	return status;
}

static enum asc_status keep_text(const struct json_node *n, char **out, struct asc_err *e)
{
	const char *text;

	if (!n || json_type(n) == JSON_NULL)
		return ASC_OK;
	if (json_get_string(n, &text, e))
		return e->status;
	*out = str_dup(text);
	return *out ? ASC_OK : asc_err_nomem(e);
}

static const char *const members[] = {"kernel_name", "triton_version", "autotune_entries",
				      "default_config", NULL};

static enum asc_status read(const char *path, const struct buf *text, struct reader_table *out,
			    struct asc_err *e)
{
	struct json_doc *doc = NULL;
	const struct json_node *entries, *rest;
	enum asc_status status = json_open_text(path, buf_str(text), text->len, &doc, e);

	if (status)
		return status;
	entries = json_find(json_root(doc), "autotune_entries");
	rest = json_find(json_root(doc), "default_config");
	if (json_expect(json_root(doc), JSON_OBJECT, e) ||
	    (entries && json_expect(entries, JSON_OBJECT, e)) ||
	    keep_text(json_find(json_root(doc), "kernel_name"), &out->kernel, e) ||
	    keep_text(json_find(json_root(doc), "triton_version"), &out->version, e))
		status = e->status;
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK && !out->other; n = json_next(n))
		if (!str_is_in(json_key(n), members) && !(out->other = str_dup(json_key(n))))
			status = asc_err_nomem(e);
	if (status == ASC_OK && !entries && !rest)
		status = json_fail(json_root(doc), e, "\"autotune_entries\" is missing");
	for (const struct json_node *n = status == ASC_OK && entries ? json_first(entries) : NULL;
	     n && status == ASC_OK; n = json_next(n))
		status = read_entry(n, out, e);
	if (status == ASC_OK && rest && json_type(rest) != JSON_NULL)
		status = read_config(rest, out, NULL, e);
	json_close(doc);
	return status;
}

const struct reader_ops fla_reader = {
	.name = "fla",
	.library = "fla",
	.summary = "exact keys of a kernel of flash-linear-attention, and a row for all others",
	.fallback = true,
	.place = "set FLA_CONFIG_DIR to the folder of the GPU, and FLA_CACHE_MODE to full, or to "
		 "strict for exact keys alone",
	.shipped = "fla/configs",
	.name_file = name_file,
	.print_key = print_key,
	.find = find,
	.check = check,
	.write = write,
	.read = read,
};
