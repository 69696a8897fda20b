/* Importers of tables that libraries read (reports/tables/readers): files that a library ships, or
 * that somebody else tuned. Their rows are configurations without times: each is recorded as
 * planned, under the reader's name as the workload and the file's name, with the row, as the
 * problem. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/importer.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

struct table_file {
	const struct reader_ops *reader;
	struct reader_table table;
	struct table_subject {
		struct t4_subject subject;
		char *problem, *values;
	} * subjects; /* one for each row */
	char *device; /* as the file's name has it; NULL: the name does not */
};

/* ---- names of files ---- */

/* Finds "NAME=" in a file's name, at its begin or behind a comma; NULL: it has none. */
static const char *find_part(const char *file, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = file; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

/* True where the file's name says all sizes by which the reader names files. */
static bool is_named(const struct reader_ops *r, const char *file)
{
	for (const char *const *s = r->sizes; s && *s; s++)
		if (strcmp(*s, r->row_size) != 0 && strncmp(*s, "block_", 6) != 0 &&
		    !find_part(file, *s))
			return false;
	return true;
}

static const struct reader_ops *find_reader(const char *library, const char *file)
{
	for (const struct reader_ops *const *r = reader_list; *r; r++)
		if (strcmp((*r)->library, library) == 0 && is_named(*r, file))
			return *r;
	return NULL;
}

/* ---- subjects ---- */

/* Appends the sizes of a row's problem, {"dims": {"M": 64, "E": 8}}. */
static void write_values(const struct table_file *f, const char *file, const struct reader_row *row,
			 struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "dims", '{');
	for (const char *const *s = f->reader->sizes; s && *s; s++) {
		const char *part = find_part(file, *s);

		if (strcmp(*s, f->reader->row_size) == 0)
			json_write_int(&w, *s, row->size);
		else if (part)
			json_write_int(&w, *s, strtoll(part, NULL, 10));
	}
	json_write_end(&w, '}');
	json_write_end(&w, '}');
}

static enum asc_status make_subjects(struct table_file *f, const char *file, struct asc_err *e)
{
	const char *device = find_part(file, "device_name");

	f->subjects = calloc(f->table.n + 1, sizeof *f->subjects);
	f->device = device ? str_print("%.*s", (int)strcspn(device, ",."), device) : NULL;
	if (!f->subjects || (device && !f->device))
		return asc_err_nomem(e);
	for (size_t i = 0; i < f->table.n; i++) {
		const struct reader_row *row = &f->table.rows[i];
		struct table_subject *s = &f->subjects[i];
		struct buf values = {0};

		write_values(f, file, row, &values);
		s->values = buf_take(&values);
		s->problem = str_print("%s %s", file, row->key ? row->key : "default");
		if (!s->values || !s->problem)
			return asc_err_nomem(e);
		s->subject = (struct t4_subject){.workload = f->reader->name,
						 .operator_name = f->reader->op,
						 .problem = s->problem,
						 .problem_key = s->problem,
						 .device_kind = "cuda",
						 .device_model = f->device,
						 .problem_json = s->values,
						 .implementation_index = -1};
	}
	return ASC_OK;
}

/* Fails for a row that nothing could launch, one that no problem finds, and one without a parameter
 * that the library needs; without warps and stages it takes Triton's own. */
static enum asc_status check_rows(const struct table_file *f, const char *path, struct asc_err *e)
{
	for (size_t i = 0; i < f->table.n; i++) {
		const struct reader_row *row = &f->table.rows[i];

		if (row->ns >= READER_NEVER_NS)
			return asc_err_set(e, ASC_INPUT,
					   "%s: none of its configurations could be launched",
					   path);
		if (f->reader->one_key && *row->key == '\0')
			return asc_err_set(e, ASC_INPUT,
					   "%s: \"key\" is missing, which says what problem it is "
					   "of",
					   path);
	}
	for (const char *const *p = f->reader->parameters; p && *p; p++)
		for (size_t i = 0; i < f->table.n && strncmp(*p, "num_", 4) != 0; i++) {
			const struct reader_row *row = &f->table.rows[i];

			if (reader_get_parameter(&row->config, *p, 0) < 1)
				return asc_err_set(e, ASC_INPUT,
						   "%s: row %s: expected a %s of 1 or more, which "
						   "%s needs",
						   path, row->key, *p, f->reader->name);
		}
	return ASC_OK;
}

/* ---- the importer ---- */

static void close_table(void *file)
{
	struct table_file *f = file;

	for (size_t i = 0; f->subjects && i < f->table.n; i++) {
		free(f->subjects[i].problem);
		free(f->subjects[i].values);
	}
	free(f->subjects);
	free(f->device);
	reader_table_fini(&f->table);
	free(f);
}

static enum asc_status open_table(const char *library, struct import_content *c, void **out,
				  struct asc_err *e)
{
	struct table_file *f = calloc(1, sizeof *f);
	struct buf text = {0};

	json_close(c->doc);
	c->doc = NULL;
	if (!f)
		return asc_err_nomem(e);
	f->reader = find_reader(library, path_name(c->path));
	buf_add(&text, c->text, c->len);
	enum asc_status status = buf_check(&text, e);

	if (status == ASC_OK)
		status = f->reader->read(c->path, &text, &f->table, e);
	if (status == ASC_OK && f->table.n == 0)
		status = asc_err_set(e, ASC_INPUT, "%s: the table has no rows", c->path);
	if (status == ASC_OK)
		status = check_rows(f, c->path, e);
	if (status == ASC_OK)
		status = make_subjects(f, path_name(c->path), e);
	buf_fini(&text);
	if (status)
		close_table(f);
	else
		*out = f;
	return status;
}

static size_t count_rows(const void *file)
{
	return ((const struct table_file *)file)->table.n;
}

static const struct t4_subject *get_subject(const void *file, size_t i)
{
	return &((const struct table_file *)file)->subjects[i].subject;
}

/* Visits the one configuration of a row. */
static enum asc_status each_of_row(const void *file, size_t i, t4_visit_fn *visit, void *user,
				   struct asc_err *e)
{
	const struct reader_config *c = &((const struct table_file *)file)->table.rows[i].config;
	const char *names[READER_MAX_PARAMETERS];
	struct t4_record record = {.names = names};

	result_init(&record.result);
	record.result.status = RESULT_PLANNED;
	record.config.n = c->n;
	for (size_t k = 0; k < c->n; k++) {
		names[k] = c->list[k].name;
		record.config.values[k] = c->list[k].value;
	}
	return visit(user, &record, e);
}

static bool is_vllm(const struct import_content *c)
{
	return c->doc && find_reader("vllm", path_name(c->path));
}

static bool is_sglang(const struct import_content *c)
{
	return c->doc && find_reader("sglang", path_name(c->path));
}

static bool is_fla(const struct import_content *c)
{
	return c->doc && (json_find(json_root(c->doc), "autotune_entries") ||
			  json_find(json_root(c->doc), "default_config"));
}

/* JSON has no word for the times of what could not be launched: the reader reads the text. */
static bool is_triton(const struct import_content *c)
{
	const char *name = path_name(c->path);
	char kernel[256];

	if (c->doc || !str_ends_with(name, triton_importer.ending) || strlen(name) >= sizeof kernel)
		return false;
	memcpy(kernel, name, strlen(name) + 1);
	kernel[strlen(name) - strlen(triton_importer.ending)] = '\0';
	return str_is_identifier(kernel);
}

static enum asc_status open_vllm(struct import_content *c, void **file, struct asc_err *e)
{
	return open_table("vllm", c, file, e);
}

static enum asc_status open_sglang(struct import_content *c, void **file, struct asc_err *e)
{
	return open_table("sglang", c, file, e);
}

static enum asc_status open_fla(struct import_content *c, void **file, struct asc_err *e)
{
	return open_table("fla", c, file, e);
}

static enum asc_status open_triton(struct import_content *c, void **file, struct asc_err *e)
{
	return open_table("triton", c, file, e);
}

/* The libraries' names of files are the same for vLLM and SGLang: without --from a file is vLLM's.
 */
const struct importer_ops vllm_importer = {
	.name = "vllm",
	.summary = "tables of vLLM, E=...,N=....json or N=...,K=....json: configurations",
	.json = true,
	.untimed = true,
	.recognise = is_vllm,
	.open = open_vllm,
	.count = count_rows,
	.subject = get_subject,
	.each = each_of_row,
	.close = close_table,
};

const struct importer_ops sglang_importer = {
	.name = "sglang",
	.summary = "tables of SGLang, E=...,N=....json or N=...,K=....json: configurations",
	.json = true,
	.untimed = true,
	.recognise = is_sglang,
	.open = open_sglang,
	.count = count_rows,
	.subject = get_subject,
	.each = each_of_row,
	.close = close_table,
};

const struct importer_ops fla_importer = {
	.name = "fla",
	.summary = "tables of flash-linear-attention, KERNEL.json: configurations",
	.json = true,
	.untimed = true,
	.recognise = is_fla,
	.open = open_fla,
	.count = count_rows,
	.subject = get_subject,
	.each = each_of_row,
	.close = close_table,
};

const struct importer_ops triton_importer = {
	.name = "triton",
	.summary = "files of Triton's cache, KERNEL.autotune.json: configurations",
	.untimed = true,
	.ending = ".autotune.json",
	.recognise = is_triton,
	.open = open_triton,
	.count = count_rows,
	.subject = get_subject,
	.each = each_of_row,
	.close = close_table,
};
