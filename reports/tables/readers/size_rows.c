#include "reports/tables/readers/size_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* Bytes of a file's name: 255 on Linux's file systems, less ".evidence.json". */
enum { MAX_NAME = 255 - 14 };

/* Largest block: greater ones fit into no memory, and products of three stay within 64 bits. */
enum { MAX_BLOCK = 1 << 16 };

const char *const size_rows_parameters[] = {"BLOCK_SIZE_M",
					    "BLOCK_SIZE_N",
					    "BLOCK_SIZE_K",
					    "GROUP_SIZE_M",
					    "num_warps",
					    "num_stages",
					    NULL};

/* Sizes that vLLM's benchmark_moe.py tunes by default, which most shipped files have. */
const int64_t size_rows_ladder[] = {1,   2,   4,   8,    16,   24,   32,   48,   64, 96,
				    128, 256, 512, 1024, 1536, 2048, 3072, 4096, 0};

/* ---- names ---- */

enum asc_status size_rows_find_type(const struct reader_problem *p,
				    const struct size_rows_type *list,
				    const struct size_rows_type **out, struct asc_err *e)
{
	const char *type = reader_get_type(p, "dtype");

	if (!type)
		return asc_err_set(e, ASC_INPUT,
				   "it has no type \"dtype\"; \"types\" of its workload's "
				   "\"export\" may name one");
	for (*out = list; (*out)->type; ++*out)
		if (strcmp((*out)->type, type) == 0)
			return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "there are no tables for the type %s", type);
}

struct size_rows_block size_rows_get_block(const struct reader_problem *p)
{
	const struct size_rows_block b = {reader_get_size(p, "block_n", 0),
					  reader_get_size(p, "block_k", 0)};

	return b.n && b.k ? b : (struct size_rows_block){0};
}

enum asc_status size_rows_check_name(const struct reader_problem *p, const struct buf *name,
				     struct asc_err *e)
{
	if (buf_check(name, e))
		return e->status;
	/* A name is cut for the message: it comes from a driver, or from somebody's database. */
	if (name->len > MAX_NAME)
		return asc_err_set(e, ASC_INPUT,
				   "the name of its file would have %zu bytes, expected at most "
				   "%d: device %.40s...",
				   name->len, MAX_NAME, p->device);
	return ASC_OK;
}

/* ---- rows ---- */

enum asc_status size_rows_print_key(const struct reader_ops *self, const struct reader_problem *p,
				    struct buf *out, struct asc_err *e)
{
	buf_print(out, "%" PRId64, reader_get_size(p, self->row_size, 0));
	return buf_check(out, e);
}

size_t size_rows_find(const struct reader_table *t, const char *key)
{
	const int64_t size = strtoll(key, NULL, 10);
	size_t best = READER_OWN;
	int64_t least = INT64_MAX;

	/* Python's min() keeps the first of equal ones, in the order of the file. */
	for (size_t i = 0; i < t->n; i++) {
		const int64_t distance = llabs(t->rows[i].size - size);

		if (best == READER_OWN || distance < least) {
			best = i;
			least = distance;
		}
	}
	return best;
}

enum asc_status size_rows_write(const struct reader_table *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	if (t->version)
		json_write_string(&w, SIZE_ROWS_VERSION, t->version);
	for (size_t i = 0; i < t->n; i++) {
		const struct reader_config *c = &t->rows[i].config;

		if (w.comma)
			buf_add_char(out, ',');
		w.comma = false;
		buf_add_char(out, '\n');
		json_write_begin(&w, t->rows[i].key, '{');
		for (size_t k = 0; k < c->n; k++)
			json_write_value(&w, c->list[k].name, c->list[k].value);
		json_write_end(&w, '}');
	}
	buf_add_str(out, "\n");
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	return buf_check(out, e);
}

enum asc_status size_rows_write_plain(const struct reader_table *t, struct buf *out,
				      struct asc_err *e)
{
	struct reader_table plain = *t;

	plain.version = NULL;
	return size_rows_write(&plain, out, e);
}

/* True for a decimal number as vLLM and its tuner write it; Python's int() would take more. */
static bool is_size(const char *key)
{
	const size_t digits = strspn(key, "0123456789");

	return digits > 0 && digits < 16 && !key[digits] && (digits == 1 || *key != '0');
}

static enum asc_status read_row(const struct json_node *n, struct reader_table *out,
				struct asc_err *e)
{
	struct reader_config c = {0};

	if (!is_size(json_key(n)))
		return json_fail(n, e, "is no size, and the library fails at it");
	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		struct value number; /* a text is none, which other readers' kernels take */

		if (json_get_value(m, &number, e) || reader_read_value(m, out, &c, e))
			return e->status;
	}
	return reader_table_add(out, json_key(n), &c, e);
}

enum asc_status size_rows_read(const char *path, const struct buf *text, struct reader_table *out,
			       struct asc_err *e)
{
	struct json_doc *doc = NULL;
	const char *version;
	enum asc_status status = json_open_text(path, buf_str(text), text->len, &doc, e);

	if (status == ASC_OK)
		status = json_expect(json_root(doc), JSON_OBJECT, e);
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		if (strcmp(json_key(n), SIZE_ROWS_VERSION) != 0) {
			status = read_row(n, out, e);
			continue;
		}
		status = json_get_string(n, &version, e);
		if (status == ASC_OK && !(out->version = str_dup(version)))
			status = asc_err_nomem(e);
	}
	json_close(doc);
	return status;
}

enum asc_status size_rows_read_plain(const char *path, const struct buf *text,
				     struct reader_table *out, struct asc_err *e)
{
	if (size_rows_read(path, text, out, e))
		return e->status;
	return out->version ? asc_err_set(e, ASC_INPUT,
					  "%s: %s: is no size, and the library fails at it", path,
					  SIZE_ROWS_VERSION)
			    : ASC_OK;
}

/* ---- limits ---- */

static bool is_power(int64_t v)
{
	return v > 0 && (v & (v - 1)) == 0;
}

enum asc_status size_rows_check(const struct reader_problem *p, const struct reader_config *c,
				int64_t bytes, struct asc_err *e)
{
	static const char *const powers[] = {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"};
	const struct size_rows_block block = size_rows_get_block(p);
	const int64_t m = reader_get_parameter(c, "BLOCK_SIZE_M", 0),
		      n = reader_get_parameter(c, "BLOCK_SIZE_N", 0),
		      k = reader_get_parameter(c, "BLOCK_SIZE_K", 0),
		      group = reader_get_parameter(c, "GROUP_SIZE_M", 0),
		      stages = reader_get_parameter(c, "num_stages", 3);

	/* Triton takes blocks of powers of two alone. */
	for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
		const int64_t v = reader_get_parameter(c, powers[i], 0);

		if (!is_power(v) || v > MAX_BLOCK)
			return asc_err_set(e, ASC_INPUT,
					   "%s=%" PRId64 ", expected a power of two, at most %d",
					   powers[i], v, MAX_BLOCK);
	}
	if (reader_check_launch(c, e))
		return e->status;
	if (group < 1)
		return asc_err_set(e, ASC_INPUT, "GROUP_SIZE_M=%" PRId64 ", expected 1 or more",
				   group);
	if (stages > MAX_BLOCK)
		return asc_err_set(e, ASC_INPUT, "num_stages=%" PRId64 ", expected at most %d",
				   stages, MAX_BLOCK);
	/* One scale serves a step along K, so that a step may not leave its block. vLLM cuts a
	 * longer one without a word, which is another configuration than the one measured. */
	if (block.k > 0 && block.k % k != 0)
		return asc_err_set(e, ASC_INPUT,
				   "BLOCK_SIZE_K=%" PRId64 " does not divide the block of %" PRId64
				   " along K",
				   k, block.k);
	if (block.n > 0 && block.n % n != 0 && n % block.n != 0)
		return asc_err_set(e, ASC_INPUT,
				   "BLOCK_SIZE_N=%" PRId64 " neither divides the block of %" PRId64
				   " along N nor is a multiple",
				   n, block.n);
	/* Triton's pipeline keeps the tiles of all stages but one, at least. */
	if (p->shared_bytes > 0 && (m + n) * k * bytes * (stages - 1) > p->shared_bytes)
		return asc_err_set(e, ASC_INPUT,
				   "its tiles need %" PRId64 " bytes of shared memory at least, a "
				   "block has %" PRId64,
				   (m + n) * k * bytes * (stages - 1), p->shared_bytes);
	return ASC_OK;
}

enum asc_status size_rows_check_fp8(const struct reader_problem *p, const struct reader_config *c,
				    struct asc_err *e)
{
	return size_rows_check(p, c, 1, e);
}

const char *const size_rows_moe_sizes[] = {"M", "E", "N", NULL};
const char *const size_rows_fp8_sizes[] = {"M", "N", "K", "block_n", "block_k", NULL};

struct reader_config size_rows_config(int64_t block_m, int64_t block_n, int64_t block_k,
				      int64_t group_m, int64_t warps, int64_t stages)
{
	const int64_t values[] = {block_m, block_n, block_k, group_m, warps, stages};
	struct reader_config c = {0};

	for (size_t i = 0; size_rows_parameters[i]; i++)
		(void)reader_add_parameter(&c, size_rows_parameters[i], value_int(values[i]));
	return c;
}
