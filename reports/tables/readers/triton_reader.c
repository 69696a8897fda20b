/* Triton's own cache of autotuners' results, as Triton 3.4 to 3.9 read it (check_disk_cache() of
 * triton/runtime/autotuner.py): a file for each kernel, key and list of configurations, in a folder
 * named by a digest of these, of the kernel's text and line, of Triton, of the assembler and of
 * variables. The user's own Triton tells that name.
 *
 * A file has times of configurations, and the shortest is launched; a file of asctune's has one.
 *
 * An imported file has lost its folder. Its key, which Triton writes down and never reads, says
 * what problem it is of. */
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static enum asc_status print_key(const struct reader_ops *self, const struct reader_problem *p,
				 struct buf *out, struct asc_err *e)
{
	(void)self;
	return reader_told_key(p, out, e);
}

/* Finds the file of a kernel, which has 150 characters of its name, and the key as the autotuner
 * makes it of numbers and tensors; a text of the key has its place there, which is not known. */
static enum asc_status guess(const struct reader_problem *p, struct buf *file, struct buf *key,
			     struct asc_err *e)
{
	const char *colon = strrchr(p->kernel, ':');

	buf_print(file, "%.150s.autotune.json", colon ? colon + 1 : p->kernel);
	return buf_check(file, e) ? e->status : reader_print_ordered_key(p, key, e);
}

/* A file is of one key, which the library wrote down and never reads. */
static size_t find(const struct reader_table *t, const char *key)
{
	(void)key;
	return t->n > 0 ? 0 : READER_OWN;
}

/* Checks that Triton can launch a configuration: each name is a parameter of the kernel or an
 * option of the compiler. */
static enum asc_status check(const struct reader_problem *p, const struct reader_config *c,
			     struct asc_err *e)
{
	const struct json_node *names = json_find(p->told, "names");

	for (size_t i = 0; i < c->n && names; i++) {
		const char *name = NULL;
		const struct json_node *n = json_first(names);

		while (n && (json_get_string(n, &name, e) || strcmp(name, c->list[i].name) != 0))
			n = json_next(n);
		if (!n)
			return asc_err_set(e, ASC_INPUT,
					   "%s is neither a parameter of the kernel nor an option "
					   "of Triton's",
					   c->list[i].name);
	}
	return reader_check_launch(c, e);
}

/* ---- files ---- */

static enum asc_status write(const struct reader_table *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};
	struct json_doc *doc = NULL;

	if (t->n != 1 || json_open_text("key", t->rows->key, strlen(t->rows->key), &doc, e))
		return t->n == 1
			       ? e->status
			       : asc_err_set(e, ASC_INPUT,
					     "a file of Triton's is of one key, not of %zu", t->n);
	json_write_begin(&w, NULL, '{');
	json_write_node(&w, "key", json_root(doc));
	json_write_begin(&w, "configs_timings", '[');
	json_write_begin(&w, NULL, '[');
	reader_write_launch(&w, NULL, &t->rows->config);
	/* The median in ms, where Triton has it with two quantiles around it. */
	json_write_real(&w, NULL, t->rows->ns / 1e6);
	json_write_end(&w, ']');
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	json_close(doc);
	return buf_check(out, e);
}

/* Appends a text with a number of JSON for each time of what could not be launched, READER_NEVER_NS
 * in ms: "Infinity" as Python writes it, which JSON has no word for. Strings stay what they are. */
static void add_finite(const struct buf *text, struct buf *out)
{
	static const char word[] = "Infinity";
	const char *const all = buf_str(text);
	bool in_string = false;
	size_t begin = 0; /* of what is not appended yet */

	for (size_t i = 0; i < text->len; i++) {
		if (in_string && all[i] == '\\') {
			i++; /* what is escaped ends no string */
		} else if (all[i] == '"') {
			in_string = !in_string;
		} else if (!in_string && i > 0 && strchr("[, ", all[i - 1]) &&
			   strncmp(all + i, word, strlen(word)) == 0) {
			buf_add(out, all + begin, i - begin);
			buf_add_str(out, "1e300");
			begin = i + strlen(word);
			i = begin - 1;
		}
	}
	buf_add(out, all + begin, text->len - begin);
}

enum { QUANTILES = 3 };

struct times {    /* of a configuration, in ms */
	size_t n; /* 0: one number, else a list of so many */
	double ms[QUANTILES];
};

/* Reads a number, or a list: the median and two quantiles. */
static enum asc_status read_times(const struct json_node *n, struct times *out, struct asc_err *e)
{
	const bool list = json_type(n) == JSON_ARRAY;
	struct value v;

	*out = (struct times){.n = list ? json_count(n) : 0};
	if (list && (out->n == 0 || out->n > QUANTILES))
		return json_fail(n, e, "expected 1 to %d times, found %zu", QUANTILES, out->n);
	if (list)
		n = json_first(n);
	for (size_t i = 0; i == 0 || i < out->n; i++, n = json_next(n)) {
		if (json_get_value(n, &v, e))
			return e->status;
		out->ms[i] = value_as_real(v);
	}
	return ASC_OK;
}

/* True for the shorter of two, as Python compares them: lists by their first numbers that differ.
 */
static bool is_shorter(const struct times *a, const struct times *b)
{
	size_t i = 0;

	while (i + 1 < a->n && a->ms[i] == b->ms[i])
		i++;
	return a->ms[i] < b->ms[i];
}

/* Reads the list of configurations and times, and keeps the shortest, the first of equal ones. */
static enum asc_status read_list(const struct json_node *list, struct reader_table *t,
				 struct reader_config *best, double *best_ms, struct asc_err *e)
{
	struct times least = {0};

	for (const struct json_node *n = json_first(list); n; n = json_next(n)) {
		const bool first = n == json_first(list);
		struct reader_config c = {0};
		struct times times;

		if (json_type(n) != JSON_ARRAY || json_count(n) != 2)
			return json_fail(n, e, "expected a configuration and its times");
		if (reader_read_launch(json_first(n), t, &c, e) ||
		    read_times(json_next(json_first(n)), &times, e))
			return e->status;
		if (!first && times.n != least.n)
			return json_fail(n, e, "has times of another form than those before");
		if (!first && !is_shorter(&times, &least))
			continue;
		*best = c;
		least = times;
	}
	*best_ms = least.ms[0];
	return ASC_OK;
}

static enum asc_status read(const char *path, const struct buf *text, struct reader_table *out,
			    struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct reader_config best = {0};
	struct buf key = {0}, finite = {0};
	double ms = 0;

	add_finite(text, &finite);
	if (buf_check(&finite, e) || json_open_text(path, buf_str(&finite), finite.len, &doc, e)) {
		buf_fini(&finite);
		return e->status;
	}
	const struct json_node *root = json_root(doc), *list = json_find(root, "configs_timings"),
			       *written = json_find(root, "key");
	enum asc_status status = json_expect(root, JSON_OBJECT, e);

	if (status == ASC_OK && !list)
		status = json_fail(root, e, "\"configs_timings\" is missing");
	if (status == ASC_OK)
		status = json_expect(list, JSON_ARRAY, e);
	if (status == ASC_OK && !json_first(list))
		status = json_fail(list, e, "has no configuration, and Triton fails at it");
	if (status == ASC_OK)
		status = read_list(list, out, &best, &ms, e);
	if (status == ASC_OK && written)
		status = json_expect(written, JSON_ARRAY, e);
	if (status == ASC_OK && written)
		json_write_node(&(struct json_writer){&key, false}, NULL, written);
	if (status == ASC_OK)
		status = buf_check(&key, e);
	if (status == ASC_OK)
		status = reader_table_add(out, buf_str(&key), &best, e);
	if (status == ASC_OK)
		out->rows->ns = ms * 1e6;
	buf_fini(&key);
	buf_fini(&finite);
	json_close(doc);
	return status;
}

const struct reader_ops triton_reader = {
	.name = "triton",
	.library = "triton",
	.summary = "Triton's own cache of autotuners' results, a file for each key of a kernel",
	.one_device = true,
	.asks = true,
	.one_key = true,
	.place =
		"set TRITON_CACHE_DIR to the folder, or copy what is in it to ~/.triton/cache; and "
		"TRITON_CACHE_AUTOTUNING=1 where the decorator has no cache_results=True",
	.name_file = reader_name_told_file,
	.print_key = print_key,
	.guess = guess,
	.find = find,
	.check = check,
	.write = write,
	.read = read,
};
