#include "reports/exchange/formats/catlass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/t4_record.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/dtype.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"

enum { FIELDS = 64 /* of a line; what follows is not read */, N_PARAMETERS = 8 };

/* Longest time, as in T4 files: 2^53 ns, up to which a double has each nanosecond. */
static const double MAX_US = 9007199254740.992;

static const char *const parameters[N_PARAMETERS] = {
	"L1_M", "L1_N", "L1_K", "L0_M", "L0_N", "L0_K", "SWIZZLE_OFFSET", "SWIZZLE_DIRECTION"};

/* The columns that are read, in the order of their fields; the last ones may be missing. */
enum column { DESCRIPTION, DURATION, M, N, K, OPERATION, DEVICE, A, B, C, N_COLUMNS };
enum { N_REQUIRED = K + 1 };
static const char *const columns[N_COLUMNS] = {"description", "task_duration(us)", "m", "n", "k",
					       "operation",   "device_id",         "A", "B", "C"};

struct row {
	size_t line;                   /* line of the file, from 1 */
	const char *fields[N_COLUMNS]; /* "": not in the file */
	char *kernel;                  /* description without the tiles */
	char *subject;                 /* all that rows of one group share */
	int64_t values[N_PARAMETERS];
	double ns;
};

struct group {
	struct t4_subject subject;
	struct buf problem, values;
	char problem_key[HASH_TEXT_SIZE];
	size_t first, n; /* rows */
};

struct catlass {
	const char *path;
	struct buf text;
	int places[N_COLUMNS]; /* fields of a line; -1: none */
	struct row *rows;
	size_t n_rows, rows_room;
	struct group *groups;
	size_t n_groups, groups_room;
};

/* ---- a line ---- */

/* Parses an integer without sign, of at most nine digits. */
static bool parse_integer(const char **text, int64_t *out)
{
	const size_t n = strspn(*text, "0123456789");

	*out = n > 0 && n < 10 ? strtoll(*text, NULL, 10) : -1;
	*text += n;
	return *out >= 0;
}

static bool skip(const char **text, const char *part)
{
	const size_t n = strlen(part);
	const bool there = strncmp(*text, part, n) == 0;

	*text += there ? n : 0;
	return there;
}

/* Finds the `count`th '_' from the end of text[0..n); NULL: there are fewer. */
static const char *find_part(const char *text, size_t n, int count)
{
	const char *at = text + n;

	while (count > 0 && at > text)
		count -= *--at == '_';
	return count == 0 ? at : NULL;
}

/* Parses the end of a description, _AxBxC_AxBxC_swizzleAxB. */
static bool parse_tiles(const char *text, struct row *out)
{
	static const char *const before[N_PARAMETERS] = {"_", "x", "x",        "_",
							 "x", "x", "_swizzle", "x"};
	/* From the end: a kernel's own name may have such parts, too. */
	const char *at = find_part(text, strlen(text), 3);
	const size_t kernel = at ? (size_t)(at - text) : 0;

	for (size_t i = 0; i < N_PARAMETERS; i++)
		if (!at || !skip(&at, before[i]) || !parse_integer(&at, &out->values[i]))
			return false;
	out->kernel = str_print("%.*s", (int)kernel, text);
	return !*at && kernel > 0;
}

static enum asc_status refuse(const struct catlass *c, const struct row *r, enum column column,
			      const char *expected, struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT, "%s:%zu: %s: expected %s, found \"%.200s\"", c->path,
			   r->line, columns[column], expected, r->fields[column]);
}

static enum asc_status parse_row(const struct catlass *c, struct row *r, struct asc_err *e)
{
	char *end = NULL;
	const double us = strtod(r->fields[DURATION], &end);
	int64_t size;

	if (!*r->fields[DURATION] || *end || !(us > 0 && us <= MAX_US))
		return refuse(c, r, DURATION, "microseconds", e);
	for (enum column i = M; i <= K; i++) {
		const char *text = r->fields[i];

		if (!parse_integer(&text, &size) || *text)
			return refuse(c, r, i, "a size", e);
	}
	r->ns = us * 1e3;
	if (!parse_tiles(r->fields[DESCRIPTION], r))
		return refuse(c, r, DESCRIPTION,
			      "a kernel that ends in ..._128x256x256_128x256x64_swizzle3x0", e);
	/* Rows of one problem, device, layout and kernel differ in their tiles alone. */
	r->subject = str_print("%s|%s|%s|%s|%s|%s|%s|%s|%s", r->fields[OPERATION],
			       r->fields[DEVICE], r->fields[M], r->fields[N], r->fields[K],
			       r->fields[A], r->fields[B], r->fields[C], r->kernel);
	return r->kernel && r->subject ? ASC_OK : asc_err_nomem(e);
}

/* ---- the file ---- */

static enum asc_status read_header(struct catlass *c, char *line, struct asc_err *e)
{
	char *fields[FIELDS];
	const size_t n = csv_split(line, ',', fields, FIELDS);

	for (int i = 0; i < N_COLUMNS; i++) {
		c->places[i] = -1;
		for (size_t k = 0; k < n; k++)
			if (strcmp(fields[k], columns[i]) == 0)
				c->places[i] = (int)k;
		if (c->places[i] < 0 && i < N_REQUIRED)
			return asc_err_set(e, ASC_INPUT, "%s:1: no column \"%s\"", c->path,
					   columns[i]);
	}
	return ASC_OK;
}

static enum asc_status add_row(struct catlass *c, char *line, size_t number, struct asc_err *e)
{
	char *fields[FIELDS];
	const size_t n = csv_split(line, ',', fields, FIELDS);

	if (!array_room(&c->rows, c->n_rows, &c->rows_room, sizeof *c->rows))
		return asc_err_nomem(e);
	struct row *r = &c->rows[c->n_rows++];

	*r = (struct row){.line = number};
	for (int i = 0; i < N_COLUMNS; i++)
		r->fields[i] =
			c->places[i] >= 0 && (size_t)c->places[i] < n ? fields[c->places[i]] : "";
	return parse_row(c, r, e);
}

static enum asc_status read_rows(struct catlass *c, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t number = 1;

	for (char *line = c->text.data, *next; line && status == ASC_OK; line = next) {
		next = csv_end_line(line, ',');
		/* A field in quotes may have ends of lines: messages name the file's lines. */
		size_t lines = 1;

		for (const char *at = line; *at; at++)
			lines += *at == '\n';

		if (line == c->text.data)
			status = read_header(c, line, e);
		else if (line[strspn(line, " \t\r")])
			status = add_row(c, line, number, e);
		number += lines;
	}
	if (status == ASC_OK && c->n_rows == 0)
		status = asc_err_set(e, ASC_INPUT, "%s: expected at least one result", c->path);
	return status;
}

/* ---- groups ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const int order = strcmp(x->subject, y->subject);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Writes the type of a matrix, the part of `fp16:row` before the colon, where it is known. */
static void write_type(struct json_writer *w, const char *name, const char *field)
{
	char *text = str_print("%.*s", (int)strcspn(field, ":"), field);
	enum dtype known;

	if (text && (dtype_parse(text, &known) || dtype_means(text)))
		json_write_string(w, name, dtype_means(text) ? dtype_means(text) : text);
	w->out->failed |= !text;
	free(text);
}

static void write_problem(const struct row *r, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "dims", '{');
	for (enum column i = M; i <= K; i++)
		json_write_int(&w, columns[i], strtoll(r->fields[i], NULL, 10));
	json_write_end(&w, '}');
	json_write_begin(&w, "dtypes", '{');
	for (enum column i = A; i <= C; i++)
		write_type(&w, columns[i], r->fields[i]);
	json_write_end(&w, '}');
	json_write_end(&w, '}');
}

/* Sets what the rows from `first` on are results of. Layouts are in the problem's key alone. */
static enum asc_status set_subject(struct group *g, const struct row *first, struct asc_err *e)
{
	struct hash h;

	buf_print(&g->problem, "m%s.n%s.k%s", first->fields[M], first->fields[N], first->fields[K]);
	write_problem(first, &g->values);
	hash_init(&h);
	/* The device is the machine's number of it: no part of a problem. */
	for (enum column i = M; i <= C; i++)
		if (i != DEVICE)
			hash_add_str(&h, first->fields[i]);
	if (hash_end(&h, g->problem_key, e) || buf_check(&g->problem, e) ||
	    buf_check(&g->values, e))
		return e->status;
	g->subject = (struct t4_subject){.operator_name = first->fields[OPERATION],
					 .problem = buf_str(&g->problem),
					 .problem_key = g->problem_key,
					 .problem_json = buf_str(&g->values),
					 .device_kind = "npu",
					 .implementation_key = first->kernel};
	return ASC_OK;
}

static enum asc_status make_groups(struct catlass *c, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	/* The tuner writes kernel by kernel, over all problems: those of one group lie apart. */
	qsort(c->rows, c->n_rows, sizeof *c->rows, compare_rows);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct row *r = &c->rows[i];

		if (i == 0 || strcmp(r->subject, r[-1].subject) != 0) {
			if (!array_room(&c->groups, c->n_groups, &c->groups_room,
					sizeof *c->groups))
				return asc_err_nomem(e);
			c->groups[c->n_groups++] = (struct group){.first = i};
		}
		c->groups[c->n_groups - 1].n++;
	}
	/* Subjects refer to parts of their groups, which lie where they stay. */
	for (size_t i = 0; i < c->n_groups && status == ASC_OK; i++)
		status = set_subject(&c->groups[i], &c->rows[c->groups[i].first], e);
	return status;
}

/* ---- the document ---- */

bool catlass_recognise(const char *text)
{
	const size_t n = strcspn(text, "\n");
	const char *at = strstr(text, columns[DURATION]);

	return at && (size_t)(at - text) < n;
}

enum asc_status catlass_open(const char *path, const char *text, size_t len, struct catlass **out,
			     struct asc_err *e)
{
	struct catlass *c = calloc(1, sizeof *c);

	if (!c)
		return asc_err_nomem(e);
	c->path = path;
	buf_add(&c->text, text, len);
	enum asc_status status = buf_check(&c->text, e);

	/* Texts end at a NUL: what follows it would be lost without a word. */
	if (status == ASC_OK && memchr(text, 0, len))
		status = asc_err_set(e, ASC_INPUT, "%s: not a text file", path);
	if (status == ASC_OK)
		status = read_rows(c, e);
	if (status == ASC_OK)
		status = make_groups(c, e);
	if (status == ASC_OK)
		*out = c;
	else
		catlass_close(c);
	return status;
}

void catlass_close(struct catlass *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_rows; i++) {
		free(c->rows[i].kernel);
		free(c->rows[i].subject);
	}
	for (size_t i = 0; i < c->n_groups; i++) {
		buf_fini(&c->groups[i].problem);
		buf_fini(&c->groups[i].values);
	}
	free(c->rows);
	free(c->groups);
	buf_fini(&c->text);
	free(c);
}

size_t catlass_count(const struct catlass *c)
{
	return c->n_groups;
}

const struct t4_subject *catlass_get_subject(const struct catlass *c, size_t group)
{
	return &c->groups[group].subject;
}

static enum asc_status visit_row(const struct row *row, t4_visit_fn *visit, void *user,
				 struct asc_err *e)
{
	struct t4_record r = {
		.names = parameters, .config = {.n = N_PARAMETERS}, .spent_ns = row->ns};

	for (size_t i = 0; i < N_PARAMETERS; i++)
		r.config.values[i] = value_int(row->values[i]);
	result_init(&r.result);
	t4_invalidity_parse("correct", &r.result.status, &r.result.phase);
	enum asc_status status = t4_settle_time(NULL, row->ns, &r, e);

	if (status == ASC_OK)
		status = visit(user, &r, e);
	result_fini(&r.result);
	return status;
}

enum asc_status catlass_each(const struct catlass *c, size_t group, t4_visit_fn *visit, void *user,
			     struct asc_err *e)
{
	const struct group *g = &c->groups[group];
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < g->n && status == ASC_OK; i++)
		status = visit_row(&c->rows[g->first + i], visit, user, e);
	return status;
}
