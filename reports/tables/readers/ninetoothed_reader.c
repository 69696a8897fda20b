/* Tables of kernels that NineToothed 0.26.0 builds ahead of time: a CSV of integers, which
 * _read_auto_tuning_cache() of ninetoothed/build.py reads in the first build, and
 * ninetoothed/templates/auto_tuning_cache.h where the built library is asked for more.
 *
 * The rows: one that is empty, the values for all configurations without a row, then pairs of a
 * configuration and its values. A configuration is the arguments of `premake` that are no
 * meta-parameters, in its order: "sizes" of a workload's "export", then "types". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"

/* Types by NineToothed's numbers, from 0 on. */
static const enum dtype types[] = {DTYPE_I8,  DTYPE_I16,  DTYPE_I32, DTYPE_I64,
				   DTYPE_U8,  DTYPE_U16,  DTYPE_U32, DTYPE_U64,
				   DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};

static enum asc_status name_file(const struct reader_problem *p, const char *triton,
				 struct buf *out, struct asc_err *e)
{
	(void)triton;
	return reader_name_in_folder(p, ".csv", out, e);
}

static enum asc_status print_key(const struct reader_ops *self, const struct reader_problem *p,
				 struct buf *out, struct asc_err *e)
{
	const size_t n_types = sizeof types / sizeof *types;

	(void)self;
	for (size_t i = 0; i < p->n_sizes; i++)
		buf_print(out, "%s%" PRId64, i > 0 ? "," : "", p->sizes[i].low);
	for (size_t i = 0; i < p->n_types; i++) {
		enum dtype type;
		size_t number = 0;

		if (!dtype_parse(p->types[i].type, &type))
			return asc_err_set(e, ASC_INPUT,
					   "%s=%.60s is no type, and NineToothed's table has "
					   "integers alone",
					   p->types[i].name, p->types[i].type);
		while (number < n_types && types[number] != type)
			number++;
		if (number == n_types)
			return asc_err_set(e, ASC_INPUT, "NineToothed has no type %s",
					   p->types[i].type);
		buf_print(out, "%s%zu", out->len > 0 ? "," : "", number);
	}
	if (out->len == 0)
		return asc_err_set(e, ASC_INPUT,
				   "its configuration of NineToothed has no arguments");
	return buf_check(out, e);
}

static size_t find(const struct reader_table *t, const char *key)
{
	size_t rest = READER_OWN;

	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].key && strcmp(t->rows[i].key, key) == 0)
			return i;
		if (!t->rows[i].key)
			rest = i;
	}
	return rest;
}

static enum asc_status check(const struct reader_problem *p, const struct reader_config *c,
			     struct asc_err *e)
{
	(void)p;
	for (size_t i = 0; i < c->n; i++) {
		const struct value v = c->list[i].value;

		if ((v.kind != VALUE_INT && v.kind != VALUE_BOOL) || v.i < INT32_MIN ||
		    v.i > INT32_MAX)
			return asc_err_set(e, ASC_INPUT,
					   "%s is no integer of 32 bits, as NineToothed's table "
					   "has",
					   c->list[i].name);
	}
	return reader_check_launch(c, e);
}

static void write_row(const struct reader_config *c, struct buf *out)
{
	for (size_t i = 0; i < c->n; i++)
		buf_print(out, "%s%" PRId64, i > 0 ? "," : "", c->list[i].value.i);
	buf_add_char(out, '\n');
}

static enum asc_status write(const struct reader_table *t, struct buf *out, struct asc_err *e)
{
	buf_add_char(out, '\n');
	for (size_t i = 0; i < t->n; i++)
		if (!t->rows[i].key)
			write_row(&t->rows[i].config, out);
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].key) {
			buf_print(out, "%s\n", t->rows[i].key);
			write_row(&t->rows[i].config, out);
		}
	return buf_check(out, e);
}

/* ---- reading ---- */

/* Reads a row of integers; those of values get names by their places. */
static enum asc_status read_row(const char *path, int number, const char *line,
				struct reader_table *t, struct reader_config *c, struct buf *key,
				struct asc_err *e)
{
	char name[16], *end;

	for (const char *at = line; *at; at = *end ? end + 1 : end) {
		const long long v = strtoll(at, &end, 10);

		if (end == at || (*end && *end != ',') || (*end && !end[1]))
			return asc_err_set(e, ASC_INPUT,
					   "%s:%d: expected integers between commas, found %.60s",
					   path, number, line);
		buf_print(key, "%s%lld", key->len > 0 ? "," : "", v);
		(void)snprintf(name, sizeof name, "%zu", c->n);
		const char *kept = reader_table_keep(t, name);

		if (!kept)
			return asc_err_nomem(e);
		if (!reader_add_parameter(c, kept, value_int(v)))
			return asc_err_set(e, ASC_INPUT, "%s:%d: more than %d integers", path,
					   number, READER_MAX_PARAMETERS);
	}
	return buf_check(key, e);
}

static enum asc_status read(const char *path, const struct buf *text, struct reader_table *out,
			    struct asc_err *e)
{
	struct buf line = {0}, key = {0}, values = {0};
	enum asc_status status = ASC_OK;
	int number = 0;

	for (const char *at = buf_str(text); *at && status == ASC_OK; number++) {
		const size_t n = strcspn(at, "\n"), ended = n > 0 && at[n - 1] == '\r';
		struct reader_config c = {0};
		struct buf *row = number % 2 == 0 ? &key : &values;

		buf_clear(&line);
		buf_add(&line, at, n - ended);
		buf_clear(row);
		at += n + (at[n] == '\n');
		status = read_row(path, number + 1, buf_str(&line), out, &c, row, e);
		if (status == ASC_OK && (row->len == 0) != (number == 0))
			status = asc_err_set(
				e, ASC_INPUT, "%s:%d: expected %s, as NineToothed 0.26.0 writes",
				path, number + 1, number == 0 ? "an empty line" : "integers");
		if (status == ASC_OK && number % 2 == 1)
			status = reader_table_add(out, number == 1 ? NULL : buf_str(&key), &c, e);
	}
	if (status == ASC_OK && number % 2 != 0)
		status = asc_err_set(e, ASC_INPUT, "%s: a configuration without values at its end",
				     path);
	buf_fini(&line);
	buf_fini(&key);
	buf_fini(&values);
	return status;
}

const struct reader_ops ninetoothed_reader = {
	.name = "ninetoothed",
	.library = "ninetoothed",
	.summary = "the CSV of a kernel that NineToothed 0.26.0 builds ahead of time",
	.by_place = true,
	.fallback = true,
	.version = "0.26.0",
	.place =
		"put the file into output_dir of ninetoothed.build() before the first build, which "
		"has to compile the values of each row",
	.name_file = name_file,
	.print_key = print_key,
	.find = find,
	.check = check,
	.write = write,
	.read = read,
};
