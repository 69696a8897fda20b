/* Orders of kernels: that in which they are said (gate_sort()), and that in which they are
 * measured, those that take the most time first, so that what the budget does not reach matters
 * least. A file tells their times (--weights):
 *
 * - JSON: {"NAME": TIME, ...}; or records, in best.json, or one a line as `profile --json` and
 *   `best --json` print them: workload, problem, implementation and time_ns or median_ns.
 * - CSV: lines NAME,TIME; or a table with these columns, as trials.csv is one.
 *
 * NAME is as acceptances have it (acceptance.h). Of several times of one kernel the least counts.
 * Kernels that no file names follow, by their median on record, then those without one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/csv.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/gate/gate.h"

enum { FILE_BYTES = 64 << 20, COLUMNS = 256 };

/* Columns, or members, of a record; the time is the first of the last two. */
enum { WORKLOAD, PROBLEM, IMPLEMENTATION, TIME, MEDIAN, MEMBERS };
static const char *const members[MEMBERS] = {"workload", "problem", "implementation", "time_ns",
					     "median_ns"};

struct weight {
	char *name; /* heap */
	double time;
};

struct weights {
	const char *path;
	struct weight *list;
	size_t n, room;
};

/* Adds a time; takes the name, which may be NULL out of memory. */
static enum asc_status add(struct weights *w, char *name, double time, struct asc_err *e)
{
	if (!name || !array_room(&w->list, w->n, &w->room, sizeof *w->list)) {
		free(name);
		return asc_err_nomem(e);
	}
	w->list[w->n++] = (struct weight){name, time};
	return ASC_OK;
}

static enum asc_status add_record(struct weights *w, const char *const texts[TIME], double time,
				  struct asc_err *e)
{
	return add(w, str_print("%s/%s %s", texts[WORKLOAD], texts[PROBLEM], texts[IMPLEMENTATION]),
		   time, e);
}

static bool is_time(double time)
{
	return time > 0 && isfinite(time);
}

/* ---- JSON ---- */

static enum asc_status read_member(struct weights *w, const struct json_node *n, struct asc_err *e)
{
	struct value v;

	if (json_get_value(n, &v, e))
		return e->status;
	return is_time(value_as_real(v)) ? add(w, str_dup(json_key(n)), value_as_real(v), e)
					 : json_fail(n, e, "expected a time above 0");
}

struct record {
	const char *texts[TIME];
	double time, median; /* NaN: it has none */
};

static enum asc_status read_record(struct weights *w, const struct json_node *n, struct asc_err *e)
{
#define TEXT(i) JSON_AS_STRING, true, offsetof(struct record, texts[i]), NULL, NULL
	static const struct json_field fields[] = {
		{"workload", TEXT(WORKLOAD)},
		{"problem", TEXT(PROBLEM)},
		{"implementation", TEXT(IMPLEMENTATION)},
		{"time_ns", JSON_AS_REAL, false, offsetof(struct record, time), NULL, NULL},
		{"median_ns", JSON_AS_REAL, false, offsetof(struct record, median), NULL, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
#undef TEXT
	static const struct json_spec spec = {"record", fields};
	struct record r = {.time = NAN, .median = NAN};

	if (json_read_object(n, &spec, &r, e))
		return e->status;
	const double time = isnan(r.time) ? r.median : r.time;

	if (isnan(time)) /* of a kernel that fails */
		return ASC_OK;
	return is_time(time) ? add_record(w, r.texts, time, e)
			     : json_fail(n, e, "expected a time above 0, not %g", time);
}

static enum asc_status read_document(struct weights *w, const struct json_node *root,
				     struct asc_err *e)
{
	const struct json_node *list = json_find(root, "configurations");
	enum asc_status status = json_expect(root, JSON_OBJECT, e);

	if (status == ASC_OK && json_find(root, members[WORKLOAD]))
		return read_record(w, root, e);
	if (status == ASC_OK && json_type(list) == JSON_ARRAY)
		for (const struct json_node *n = json_first(list); n && !status; n = json_next(n))
			status = read_record(w, n, e);
	else
		for (const struct json_node *n = json_first(root); n && !status; n = json_next(n))
			status = read_member(w, n, e);
	return status;
}

static enum asc_status read_json_text(struct weights *w, const char *name, const char *text,
				      size_t n, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text(name, text, n, &doc, e);

	if (status == ASC_OK)
		status = read_document(w, json_root(doc), e);
	json_close(doc);
	return status;
}

/* Reads one document, or one on each line: then the first line is one by itself. */
static enum asc_status read_json(struct weights *w, const char *text, struct asc_err *e)
{
	const size_t first = strcspn(text, "\n");
	struct json_doc *doc = NULL;
	enum asc_status status = ASC_OK;
	size_t line = 0;

	if (!text[first] || json_open_text(w->path, text, first, &doc, e))
		return read_json_text(w, w->path, text, strlen(text), e);
	json_close(doc);
	for (; *text && status == ASC_OK; text += *text == '\n') {
		const size_t n = strcspn(text, "\n");
		char *name = str_print("%s:%zu", w->path, ++line);

		status = name ? ASC_OK : asc_err_nomem(e);
		if (status == ASC_OK && strspn(text, " \t\r") < n)
			status = read_json_text(w, name, text, n, e);
		free(name);
		text += n;
	}
	return status;
}

/* ---- CSV ---- */

struct table {
	size_t columns[MEMBERS]; /* from 1; 0: there is none */
	bool known;              /* the first line was read */
};

/* Reads a first line: names of columns, or two columns without names. */
static enum asc_status find_columns(const struct weights *w, struct table *t, char *const *fields,
				    size_t n, struct asc_err *e)
{
	t->known = true;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < MEMBERS; k++)
			if (strcmp(fields[i], members[k]) == 0)
				t->columns[k] = i + 1;
	if (!t->columns[TIME])
		t->columns[TIME] = t->columns[MEDIAN];
	for (size_t k = 0; t->columns[WORKLOAD] && k <= TIME; k++)
		if (!t->columns[k])
			return asc_err_set(e, ASC_INPUT, "%s: a table has no column %s", w->path,
					   k == TIME ? "time_ns or median_ns" : members[k]);
	return ASC_OK;
}

static enum asc_status read_row(struct weights *w, const struct table *t, char *const *fields,
				size_t n, size_t line, struct asc_err *e)
{
	const bool record = t->columns[WORKLOAD] > 0;
	const char *texts[TIME], *text;
	char *end;

	for (size_t k = 0; record && k <= TIME; k++)
		if (t->columns[k] > n)
			return asc_err_set(e, ASC_INPUT, "%s:%zu: too few columns", w->path, line);
	text = record ? fields[t->columns[TIME] - 1] : n == 2 ? fields[1] : "";
	if (record && !*text) /* of a kernel that fails */
		return ASC_OK;
	const double time = strtod(text, &end);

	if (end == text || *end || !is_time(time))
		return asc_err_set(e, ASC_INPUT,
				   "%s:%zu: expected NAME,TIME with a time above 0, not \"%.100s\"",
				   w->path, line, n == 2 || record ? text : fields[0]);
	for (size_t k = 0; record && k < TIME; k++)
		texts[k] = fields[t->columns[k] - 1];
	return record ? add_record(w, texts, time, e) : add(w, str_dup(fields[0]), time, e);
}

static enum asc_status read_csv(struct weights *w, char *text, struct asc_err *e)
{
	const size_t first = strcspn(text, "\n");
	const char separator = *(memchr(text, '\t', first)  ? "\t"
				 : memchr(text, ';', first) ? ";"
							    : ",");
	struct table t = {.known = false};
	enum asc_status status = ASC_OK;
	size_t line = 0;

	for (char *next; text && status == ASC_OK; text = next) {
		char *fields[COLUMNS];

		next = csv_end_line(text, separator);
		line++;
		if (!text[strspn(text, " \t\r")])
			continue;
		const size_t n = csv_split(text, separator, fields, COLUMNS);
		const bool header = !t.known;

		if (header)
			status = find_columns(w, &t, fields, n, e);
		if (status == ASC_OK && !(header && t.columns[WORKLOAD]))
			status = read_row(w, &t, fields, n, line, e);
	}
	return status;
}

/* ---- both ---- */

static int by_name(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x->time > y->time) - (x->time < y->time);
}

/* The least time of that name; 0: none. */
static double find_time(const struct weights *w, const char *name)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(w->list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->n && strcmp(w->list[low].name, name) == 0 ? w->list[low].time : 0;
}

/* Sets the weight of each kernel that the file names, the whole name before that of its problem. */
static enum asc_status apply(struct gate *g, const struct weights *w, struct asc_err *e)
{
	size_t named = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct gate_kernel *k = &g->list[i];
		char *name = str_print("%s/%s %s", k->workload, k->problem, k->implementation);

		if (!name)
			return asc_err_nomem(e);
		k->weight = find_time(w, name);
		*strchr(name, ' ') = '\0';
		if (!(k->weight > 0))
			k->weight = find_time(w, name);
		named += k->weight > 0;
		free(name);
	}
	if (named == 0 && g->n > 0)
		log_print(LOG_WARN, "%s: names none of the kernels, as \"%s/%s %s\"", w->path,
			  g->list->workload, g->list->problem, g->list->implementation);
	return ASC_OK;
}

/* Reads the text of --weights, or takes what standard input had before. */
static enum asc_status read_text(const char *path, struct buf *typed, struct buf *out,
				 struct asc_err *e)
{
	if (strcmp(path, "-") != 0)
		return file_read_any(path, FILE_BYTES, out, e);
	if (typed->len == 0 && file_read_any(path, FILE_BYTES, typed, e))
		return e->status;
	/* A copy: who reads a table writes into it. */
	buf_add(out, buf_str(typed), typed->len);
	return buf_check(out, e);
}

enum asc_status gate_weigh(struct gate *g, const char *path, struct buf *typed, struct asc_err *e)
{
	struct weights w = {.path = path};
	struct buf text = {0};
	enum asc_status status = read_text(path, typed, &text, e);

	if (status == ASC_OK && text.len > 0 && memchr(text.data, '\0', text.len))
		status = asc_err_set(e, ASC_INPUT, "%s: not a text file", path);
	if (status == ASC_OK && text.len > 0)
		status = buf_str(&text)[strspn(buf_str(&text), " \t\r\n")] == '{'
				 ? read_json(&w, buf_str(&text), e)
				 : read_csv(&w, text.data, e);
	if (status == ASC_OK) {
		if (w.n > 0)
			qsort(w.list, w.n, sizeof *w.list, by_name);
		status = apply(g, &w, e);
	}
	for (size_t i = 0; i < w.n; i++)
		free(w.list[i].name);
	free(w.list);
	buf_fini(&text);
	return status;
}

static int by_importance(const void *a, const void *b)
{
	const struct gate_kernel *x = *(struct gate_kernel *const *)a,
				 *y = *(struct gate_kernel *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->recorded_ns != y->recorded_ns)
		return x->recorded_ns > y->recorded_ns ? -1 : 1;
	return (x > y) - (x < y); /* of one list */
}

void gate_sort_by_importance(struct gate_kernel **list, size_t n)
{
	qsort(list, n, sizeof(struct gate_kernel *), by_importance);
}

/* ---- what is said first ---- */

/* The worst first: by verdict, then by the ratio where there is one. */
static int by_verdict(const void *a, const void *b)
{
	const struct gate_kernel *x = a, *y = b;
	const double rx = x->ratio.ratio, ry = y->ratio.ratio;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (!x->accepted != !y->accepted)
		return x->accepted ? 1 : -1;
	if (rx != ry)
		return rx > ry ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void gate_sort(struct gate *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->list[i].order = i;
	qsort(g->list, g->n, sizeof *g->list, by_verdict);
}
