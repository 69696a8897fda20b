#include "tuner/workload/limits/verdict_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"
#include "tuner/base/names.h"

#define FORMAT "# asctune verdicts "
enum { VERSION = 1 };

/* Columns of the answer, the last ones of each row. */
static const char *const answer_columns[] = {"verdict", "space", "ub", "l1", "l0c", "retries"};
enum {
	VERDICT,
	SPACE,
	UB,
	L1,
	L0C,
	RETRIES,
	N_ANSWERS = sizeof answer_columns / sizeof *answer_columns
};

static const char *const row_verdict_names[] = {ROW_VERDICT_LIST(NAME_OF)};

/* Memory spaces that a compiler for NPUs plans, and a refusal names. */
static const char *const spaces[] = {"ub", "l1", "l0c"};

/* Lines of the heading that each table has once. */
#define KERNEL_PREFIX  "# kernel: "  /* SOURCE ENTRY */
#define SOURCE_PREFIX  "# source: "  /* DIGEST */
#define PLANNER_PREFIX "# planner: " /* TARGET: VERSIONS, a line for each target */
#define ROWS_PREFIX    "# rows: "    /* number of rows, by which a file that was cut off is known */

struct verdict_table {
	struct verdict_heading heading;
	struct verdict_target *targets;
	size_t n_targets, target_capacity;
	const char *columns[VERDICT_TABLE_MAX_COLUMNS];
	size_t n_columns;
	const char **cells; /* n_columns a row */
	size_t cell_capacity;
	struct verdict_row *rows;
	size_t n_rows, row_capacity;
	struct intern keys;
	struct buf text;     /* of a file that was read */
	struct arena copies; /* of what was added */
};

const char *row_verdict_name(enum row_verdict v)
{
	return row_verdict_names[v];
}

void verdict_row_print(const struct verdict_row *r, struct buf *out)
{
	const struct {
		const char *space;
		int64_t bytes;
	} planned[] = {{"ub", r->ub_bytes}, {"l1", r->l1_bytes}, {"l0c", r->l0c_bytes}};

	buf_add_str(out, row_verdict_names[r->verdict]);
	if (*r->space)
		buf_print(out, ", %s is too small", r->space);
	for (size_t k = 0; k < sizeof planned / sizeof *planned; k++)
		if (planned[k].bytes >= 0)
			buf_print(out, ", %s %lld B", planned[k].space,
				  (long long)planned[k].bytes);
	if (r->retries > 0)
		buf_print(out, ", the compiler fell back %d %s", r->retries,
			  r->retries == 1 ? "time" : "times");
	buf_add_char(out, '\n');
}

const char *verdict_table_space(size_t i)
{
	return i < sizeof spaces / sizeof *spaces ? spaces[i] : NULL;
}

static bool find_space(const char *name, size_t *space)
{
	return name_find(spaces, sizeof spaces / sizeof *spaces, name, space);
}

/* ---- rows by their keys ---- */

static const char **cells_of(const struct verdict_table *t, size_t row)
{
	return t->cells + row * t->n_columns;
}

struct wanted {
	const struct verdict_table *table;
	const char *const *key;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const char *const *key = cells_of(w->table, id);

	for (size_t i = 0; i < w->table->n_columns; i++)
		if (strcmp(key[i], w->key[i]) != 0)
			return false;
	return true;
}

/* Finds the number of the row with that key; INTERN_NONE: there is none. */
static uint32_t find_row(const struct verdict_table *t, const char *const *key, uint64_t *hash)
{
	const struct wanted w = {t, key};

	*hash = 0;
	/* 31: a multiplier that is odd, so that the order of cells counts. */
	for (size_t i = 0; i < t->n_columns; i++)
		*hash = 31 * *hash + hash_bytes(key[i], strlen(key[i]));
	return intern_find(&t->keys, *hash, is_wanted, &w);
}

/* Finds the row with that key, or adds one without an answer. NULL: out of memory. */
static struct verdict_row *row_of(struct verdict_table *t, const char *const *key, bool *is_new)
{
	uint64_t hash;
	const uint32_t known = find_row(t, key, &hash);

	*is_new = known == INTERN_NONE;
	if (!*is_new)
		return &t->rows[known];
	/* Room for a whole row of cells: array_room() doubles, which may be less than a row. */
	for (size_t i = 0; i < t->n_columns; i++)
		if (!array_room(&t->cells, t->n_rows * t->n_columns + i, &t->cell_capacity,
				sizeof *t->cells))
			return NULL;
	if (!array_room(&t->rows, t->n_rows, &t->row_capacity, sizeof *t->rows) ||
	    !intern_add(&t->keys, hash, (uint32_t)t->n_rows))
		return NULL;
	memcpy(cells_of(t, t->n_rows), key, t->n_columns * sizeof *key);
	return &t->rows[t->n_rows++];
}

const struct verdict_heading *verdict_table_heading(const struct verdict_table *t)
{
	return &t->heading;
}

static struct verdict_target *find_target(const struct verdict_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_targets; i++)
		if (strcmp(t->targets[i].name, name) == 0)
			return &t->targets[i];
	return NULL;
}

const char *verdict_table_planner(const struct verdict_table *t, const char *target)
{
	const struct verdict_target *found = find_target(t, target);

	return found ? found->planner : NULL;
}

const char *verdict_table_target(const struct verdict_table *t, size_t i)
{
	return i < t->n_targets ? t->targets[i].name : NULL;
}

/* Adds a target; the texts stay the caller's. False: out of memory. */
static bool add_target(struct verdict_table *t, const char *name, const char *planner)
{
	if (!name || !planner ||
	    !array_room(&t->targets, t->n_targets, &t->target_capacity, sizeof *t->targets))
		return false;
	/* In their order, whatever the order in which they came: equal tables are equal files. */
	size_t at = t->n_targets++;
	for (; at > 0 && str_compare_natural(t->targets[at - 1].name, name) > 0; at--)
		t->targets[at] = t->targets[at - 1];
	t->targets[at] = (struct verdict_target){name, planner};
	return true;
}

enum asc_status verdict_table_add_target(struct verdict_table *t,
					 const struct verdict_target *target, struct asc_err *e)
{
	return add_target(t, arena_copy(&t->copies, target->name),
			  arena_copy(&t->copies, target->planner))
		       ? ASC_OK
		       : asc_err_nomem(e);
}

const char *const *verdict_table_columns(const struct verdict_table *t, size_t *n)
{
	*n = t->n_columns;
	return t->columns;
}

size_t verdict_table_rows(const struct verdict_table *t)
{
	return t->n_rows;
}

const struct verdict_row *verdict_table_get(const struct verdict_table *t, size_t i,
					    const char *const **key)
{
	*key = cells_of(t, i);
	return &t->rows[i];
}

const struct verdict_row *verdict_table_find(const struct verdict_table *t, const char *const *key)
{
	uint64_t hash;
	const uint32_t known = find_row(t, key, &hash);

	return known == INTERN_NONE ? NULL : &t->rows[known];
}

void verdict_table_free(struct verdict_table *t)
{
	if (!t)
		return;
	free(t->targets);
	free(t->cells);
	free(t->rows);
	intern_fini(&t->keys);
	buf_fini(&t->text);
	arena_fini(&t->copies);
	free(t);
}

/* ---- making ---- */

/* Checks the names of a key and the answer's: a reader finds columns by them. */
static enum asc_status check_columns(const char *const *columns, size_t n, struct asc_err *e)
{
	bool types = false;

	if (n + N_ANSWERS > VERDICT_TABLE_MAX_COLUMNS)
		return asc_err_set(e, ASC_LIMIT, "expected at most %d columns, found %zu",
				   VERDICT_TABLE_MAX_COLUMNS, n + N_ANSWERS);
	if (n == 0 || strcmp(columns[0], VERDICT_TABLE_TARGET) != 0)
		return asc_err_set(e, ASC_INPUT, "the first column is \"%s\", expected \"%s\"",
				   n ? columns[0] : "", VERDICT_TABLE_TARGET);
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		types |= strcmp(columns[i], VERDICT_TABLE_ARGUMENTS) == 0;
		while (at < i && strcmp(columns[at], columns[i]) != 0)
			at++;
		for (size_t k = 0; k < N_ANSWERS && at == i; k++)
			if (strcmp(answer_columns[k], columns[i]) == 0)
				at = n;
		if (at != i)
			return asc_err_set(e, ASC_INPUT, "two columns are called \"%s\"",
					   columns[i]);
	}
	return types ? ASC_OK
		     : asc_err_set(e, ASC_INPUT, "there is no column \"%s\"",
				   VERDICT_TABLE_ARGUMENTS);
}

enum asc_status verdict_table_new(const struct verdict_heading *h, const char *const *columns,
				  size_t n_columns, struct verdict_table **out, struct asc_err *e)
{
	if (check_columns(columns, n_columns, e))
		return e->status;
	struct verdict_table *t = calloc(1, sizeof *t);

	if (!t)
		return asc_err_nomem(e);
	t->heading = (struct verdict_heading){arena_copy(&t->copies, h->source),
					      arena_copy(&t->copies, h->entry),
					      arena_copy(&t->copies, h->digest)};
	bool made = t->heading.source && t->heading.entry && t->heading.digest;

	for (; made && t->n_columns < n_columns; t->n_columns++) {
		t->columns[t->n_columns] = arena_copy(&t->copies, columns[t->n_columns]);
		made = t->columns[t->n_columns] != NULL;
	}
	if (!made) {
		verdict_table_free(t);
		return asc_err_nomem(e);
	}
	*out = t;
	return ASC_OK;
}

enum asc_status verdict_table_add(struct verdict_table *t, const char *const *key,
				  const struct verdict_row *row, struct asc_err *e)
{
	const char *cells[VERDICT_TABLE_MAX_COLUMNS];
	struct verdict_row *to = NULL;
	size_t n = 0, space = 0;
	bool is_new;

	while (n < t->n_columns && (cells[n] = arena_copy(&t->copies, key[n])))
		n++;
	if (n == t->n_columns)
		to = row_of(t, cells, &is_new);
	if (!to)
		return asc_err_nomem(e);
	if (!is_new && to->verdict == ROW_FITS && row->verdict != ROW_FITS)
		return ASC_OK;
	*to = *row;
	to->space =
		row->verdict == ROW_REFUSED && find_space(row->space, &space) ? spaces[space] : "";
	return ASC_OK;
}

/* ---- reading ---- */

struct reader {
	struct verdict_table *table;
	const char *path;
	size_t line; /* number of the line in hand, from 1 */
	char *at;    /* the next line; NULL: there is none */
	struct asc_err *e;
};

static enum asc_status fail_at(const struct reader *r, enum asc_status status, const char *format,
			       ...) __attribute__((format(printf, 3, 4)));

static enum asc_status fail_at(const struct reader *r, enum asc_status status, const char *format,
			       ...)
{
	char text[sizeof r->e->text];
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return asc_err_set(r->e, status, "%s:%zu: %s", r->path, r->line, text);
}

/* Next line, without its end; NULL: there is none. */
static char *next_line(struct reader *r)
{
	char *line = r->at;

	if (!line || !*line)
		return NULL;
	r->line++;
	/* Not as csv_end_line() does: no cell has a line's end, and a version may have quotes. */
	char *end = strchr(line, '\n');
	r->at = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	return line;
}

/* Reads `text` as a number of at least 0; "" is -1. */
static bool parse_number(const char *text, int64_t most, int64_t *out)
{
	char *end;

	*out = -1;
	if (!*text)
		return true;
	errno = 0;
	*out = strtoll(text, &end, 10);
	/* Digits alone: strtoll() takes blanks and signs, too. */
	return strspn(text, "0123456789") == strlen(text) && !*end && !errno && *out <= most;
}

/* Reads one line of the heading behind the first; *row_count is what it says, if it says that. */
static enum asc_status read_heading_line(struct reader *r, char *line, int64_t *row_count)
{
	struct verdict_table *t = r->table;

	if (strncmp(line, ROWS_PREFIX, strlen(ROWS_PREFIX)) == 0) {
		line += strlen(ROWS_PREFIX);
		return *line && parse_number(line, INT32_MAX, row_count)
			       ? ASC_OK
			       : fail_at(r, ASC_INPUT, "\"%s\" is no number of rows", line);
	}
	if (strncmp(line, PLANNER_PREFIX, strlen(PLANNER_PREFIX)) == 0) {
		line += strlen(PLANNER_PREFIX);
		char *colon = strstr(line, ": ");
		if (!colon || colon == line || !colon[2])
			return fail_at(r, ASC_INPUT, "\"%s\" is no target with its planner", line);
		*colon = '\0';
		if (find_target(t, line))
			return fail_at(r, ASC_INPUT, "is a second planner of %s", line);
		return add_target(t, line, colon + 2) ? ASC_OK : asc_err_nomem(r->e);
	}
	const bool is_kernel = strncmp(line, KERNEL_PREFIX, strlen(KERNEL_PREFIX)) == 0;
	const char **of = is_kernel ? &t->heading.source : &t->heading.digest;

	/* Other lines are people's notes. */
	if (!is_kernel && strncmp(line, SOURCE_PREFIX, strlen(SOURCE_PREFIX)) != 0)
		return ASC_OK;
	if (*of)
		return fail_at(r, ASC_INPUT, "is a second line of %s",
			       is_kernel ? "the kernel" : "the source");
	*of = line + strlen(is_kernel ? KERNEL_PREFIX : SOURCE_PREFIX);
	return ASC_OK;
}

/* Reads the lines that begin with '#'; *row_count is what they say. */
static enum asc_status read_heading(struct reader *r, int64_t *row_count)
{
	struct verdict_heading *h = &r->table->heading;
	char *line = next_line(r);
	int64_t version;

	if (!line || strncmp(line, FORMAT, strlen(FORMAT)) != 0 ||
	    !parse_number(line + strlen(FORMAT), INT64_MAX, &version))
		return asc_err_set(r->e, ASC_INPUT,
				   "%s: is no table of verdicts: its first line is not \"" FORMAT
				   "%d\"",
				   r->path, VERSION);
	if (version != VERSION)
		return fail_at(r, version > VERSION ? ASC_NEWER : ASC_INPUT,
			       "is version %lld of the format, expected %d", (long long)version,
			       VERSION);
	while (r->at && *r->at == '#' && (line = next_line(r)))
		if (read_heading_line(r, line, row_count))
			return r->e->status;
	const char *lacks = !h->source       ? KERNEL_PREFIX
			    : !h->digest     ? SOURCE_PREFIX
			    : *row_count < 0 ? ROWS_PREFIX
					     : NULL;
	if (lacks)
		return asc_err_set(r->e, ASC_INPUT, "%s: the heading lacks \"%s\"", r->path, lacks);
	/* The entry is the last word: names of files may have blanks, those of functions have
	 * none. */
	const char *blank = strrchr(h->source, ' ');
	if (!blank || blank == h->source || !blank[1])
		return asc_err_set(r->e, ASC_INPUT,
				   "%s: \"# kernel: %s\" names no file and function", r->path,
				   h->source);
	r->table->text.data[blank - r->table->text.data] = '\0';
	h->entry = blank + 1;
	return ASC_OK;
}

/* Reads the names of columns. */
static enum asc_status read_columns(struct reader *r)
{
	struct verdict_table *t = r->table;
	char *names[VERDICT_TABLE_MAX_COLUMNS + 1];
	char *line = next_line(r);
	struct asc_err why;

	if (!line)
		return asc_err_set(r->e, ASC_INPUT, "%s: is torn: it has no columns", r->path);
	const size_t n = csv_split(line, ',', names, VERDICT_TABLE_MAX_COLUMNS + 1);
	const size_t n_key = n > N_ANSWERS ? n - N_ANSWERS : 0;

	for (size_t i = 0; i < N_ANSWERS; i++)
		if (n_key == 0 || strcmp(names[n_key + i], answer_columns[i]) != 0)
			return fail_at(r, ASC_INPUT,
				       "the last columns are not verdict, space, ub, l1, l0c, "
				       "retries");
	for (size_t i = 0; i < n_key; i++)
		t->columns[i] = names[i];
	t->n_columns = n_key;
	if (check_columns(t->columns, n_key, &why))
		return fail_at(r, why.status, "%s", why.text);
	return ASC_OK;
}

/* Reads the cells of an answer. */
static enum asc_status read_answer(const struct reader *r, char **cells, struct verdict_row *out)
{
	static const size_t numbers[] = {UB, L1, L0C, RETRIES};
	int64_t values[N_ANSWERS];
	size_t verdict, space;

	if (!name_find(row_verdict_names, ROW_VERDICT_COUNT, cells[VERDICT], &verdict))
		return fail_at(r, ASC_INPUT,
			       "\"%s\" is no verdict, expected fits, refused or unsupported",
			       cells[VERDICT]);
	*out = (struct verdict_row){.verdict = (enum row_verdict)verdict, .space = ""};
	if (out->verdict == ROW_REFUSED) {
		if (!find_space(cells[SPACE], &space))
			return fail_at(r, ASC_INPUT,
				       "\"%s\" is no memory space that is planned, expected ub, l1 "
				       "or l0c",
				       cells[SPACE]);
		out->space = spaces[space];
	} else if (*cells[SPACE]) {
		return fail_at(r, ASC_INPUT, "%s has a memory space, \"%s\", which is for refused",
			       cells[VERDICT], cells[SPACE]);
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const size_t k = numbers[i];

		if (!parse_number(cells[k], k == RETRIES ? INT32_MAX : INT64_MAX, &values[k]))
			return fail_at(r, ASC_INPUT,
				       "%s is \"%s\", expected a number from 0 or none",
				       answer_columns[k], cells[k]);
	}
	out->ub_bytes = values[UB];
	out->l1_bytes = values[L1];
	out->l0c_bytes = values[L0C];
	out->retries = (int)values[RETRIES];
	return ASC_OK;
}

static bool rows_equal(const struct verdict_row *a, const struct verdict_row *b)
{
	return a->verdict == b->verdict && a->space == b->space && a->ub_bytes == b->ub_bytes &&
	       a->l1_bytes == b->l1_bytes && a->l0c_bytes == b->l0c_bytes &&
	       a->retries == b->retries;
}

static enum asc_status read_row(struct reader *r, char *line)
{
	struct verdict_table *t = r->table;
	char *cells[VERDICT_TABLE_MAX_COLUMNS + 1];
	const size_t n = csv_split(line, ',', cells, VERDICT_TABLE_MAX_COLUMNS + 1);
	const char *const *key = (const char *const *)cells; /* the first of them */
	struct verdict_row row = {.space = ""}, *to;
	bool is_new;

	if (n != t->n_columns + N_ANSWERS)
		return fail_at(r, ASC_INPUT, "has %zu cells of %zu: the table is torn", n,
			       t->n_columns + N_ANSWERS);
	/* A kernel without arguments has none. */
	for (size_t i = 0; i < t->n_columns; i++)
		if (!*key[i] && strcmp(t->columns[i], VERDICT_TABLE_ARGUMENTS) != 0)
			return fail_at(r, ASC_INPUT, "%s has no value", t->columns[i]);
	if (!find_target(t, key[0]))
		return fail_at(r, ASC_INPUT,
			       "has the target %s, whose planner the heading does not name",
			       key[0]);
	if (read_answer(r, cells + t->n_columns, &row))
		return r->e->status;
	to = row_of(t, key, &is_new);
	if (!to)
		return asc_err_nomem(r->e);
	if (!is_new && !rows_equal(to, &row))
		return fail_at(r, ASC_INPUT, "is the second answer to the variant of row %zu",
			       (size_t)(to - t->rows) + 1);
	*to = row;
	return ASC_OK;
}

static enum asc_status read_all(struct reader *r)
{
	const struct buf *text = &r->table->text;
	int64_t row_count = -1;
	size_t read = 0;

	/* A part of a line says nothing, and a NUL would end the text before its end. */
	if (text->len == 0 || text->data[text->len - 1] != '\n' || strlen(text->data) != text->len)
		return asc_err_set(r->e, ASC_INPUT,
				   "%s: is torn: it does not end with a line's end", r->path);
	if (read_heading(r, &row_count) || read_columns(r))
		return r->e->status;
	for (char *line; (line = next_line(r)); read++)
		if (read_row(r, line))
			return r->e->status;
	return read == (size_t)row_count
		       ? ASC_OK
		       : asc_err_set(r->e, ASC_INPUT,
				     "%s: is torn: it has %zu rows, and its heading says %lld",
				     r->path, read, (long long)row_count);
}

enum asc_status verdict_table_open(const char *path, struct verdict_table **out, struct asc_err *e)
{
	struct verdict_table *t = calloc(1, sizeof *t);
	struct reader r = {.table = t, .path = path, .e = e};

	if (!t)
		return asc_err_nomem(e);
	enum asc_status s = file_read(path, VERDICT_TABLE_MAX_BYTES, &t->text, e);

	if (s == ASC_OK) {
		r.at = t->text.data;
		s = read_all(&r);
	}
	if (s)
		verdict_table_free(t);
	else
		*out = t;
	return s;
}

/* ---- writing ---- */

struct sorted {
	const struct verdict_table *table;
	size_t row;
};

/* Numbers in the order of their size: tables are read by people. */
static int compare_rows(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	const char *const *left = cells_of(x->table, x->row);
	const char *const *right = cells_of(y->table, y->row);
	int order = 0;

	for (size_t i = 0; i < x->table->n_columns && order == 0; i++)
		order = str_compare_natural(left[i], right[i]);
	return order;
}

static void write_number(struct buf *out, int64_t n)
{
	if (n >= 0)
		buf_print(out, ",%lld", (long long)n);
	else
		buf_add_char(out, ',');
}

static void write_row(const struct verdict_table *t, size_t i, struct buf *out)
{
	const struct verdict_row *row = &t->rows[i];

	for (size_t k = 0; k < t->n_columns; k++)
		buf_print(out, "%s%s", k ? "," : "", cells_of(t, i)[k]);
	buf_print(out, ",%s,%s", row_verdict_names[row->verdict], row->space);
	write_number(out, row->ub_bytes);
	write_number(out, row->l1_bytes);
	write_number(out, row->l0c_bytes);
	write_number(out, row->retries);
	buf_add_char(out, '\n');
}

enum asc_status verdict_table_write(const struct verdict_table *t, const char *path,
				    struct asc_err *e)
{
	const struct verdict_heading *h = &t->heading;
	struct sorted *order = calloc(t->n_rows + 1, sizeof *order);
	struct buf out = {0};

	if (!order)
		return asc_err_nomem(e);
	for (size_t i = 0; i < t->n_rows; i++)
		order[i] = (struct sorted){t, i};
	qsort(order, t->n_rows, sizeof *order, compare_rows);
	buf_print(&out, FORMAT "%d\n" KERNEL_PREFIX "%s %s\n" SOURCE_PREFIX "%s\n", VERSION,
		  h->source, h->entry, h->digest);
	for (size_t i = 0; i < t->n_targets; i++)
		buf_print(&out, PLANNER_PREFIX "%s: %s\n", t->targets[i].name,
			  t->targets[i].planner);
	buf_print(&out, ROWS_PREFIX "%zu\n", t->n_rows);
	for (size_t i = 0; i < t->n_columns; i++)
		buf_print(&out, "%s,", t->columns[i]);
	for (size_t i = 0; i < N_ANSWERS; i++)
		buf_print(&out, "%s%s", answer_columns[i], i + 1 < N_ANSWERS ? "," : "\n");
	for (size_t i = 0; i < t->n_rows; i++)
		write_row(t, order[i].row, &out);
	free(order);
	enum asc_status s = buf_check(&out, e);
	if (s == ASC_OK)
		s = file_write(path, out.data, out.len, e);
	buf_fini(&out);
	return s;
}
