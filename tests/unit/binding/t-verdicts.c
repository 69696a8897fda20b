/* Pruning is sound: beside the verdicts of the real memory planner (limits/ub_verdicts.json; more
 * of them in limits/more_verdicts.json), no configuration that it accepts is left out, and of those
 * that it refuses at least nine in ten are, in each family of kernels. The families are stated as
 * workloads: limits/FAMILY.json. The verdicts are recorded ones: this keeps what is known of these
 * kernels from being lost, and says nothing of others.
 * covers: memory_plan.c limits_ascend.c placement.c */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

#define FOLDER TEST_DATA "/limits/"

enum { MAX_FAMILIES = 32, N_ROWS = 158, N_MORE = 1788 };

/* A workload kept open with the spaces asked for last: rows come in runs. */
struct family {
	char name[32];
	struct workload *workload;
	int accepted, lost;    /* what the planner accepts; what of it is left out */
	int refused, foreseen; /* what it refuses; what of it is left out */
};

static struct family families[MAX_FAMILIES];
static size_t n_families;

struct verdict {
	const char *family, *dtype, *target;
	const struct json_node *params;
	bool multibuffer, fits, fits_single; /* with multibuffer=false */
};

static struct family *find_family(const char *name)
{
	char path[256];
	struct asc_err e;

	for (size_t i = 0; i < n_families; i++)
		if (strcmp(families[i].name, name) == 0)
			return &families[i];
	struct family *f = &families[n_families++];
	snprintf(f->name, sizeof f->name, "%s", name);
	snprintf(path, sizeof path, FOLDER "%s.json", name);
	if (!tap_ok(workload_open(path, &f->workload, &e) == ASC_OK, "%s is a workload", name))
		tap_note("%s", e.text);
	return f;
}

/* The configuration of a row: its parameters and multibuffer. */
static bool make_config(const struct space *s, const struct verdict *v, struct config *c)
{
	struct buf text = {0};
	struct asc_err e;

	for (const struct json_node *p = json_first(v->params); p; p = json_next(p)) {
		int64_t i = 0;
		json_get_int(p, &i, &e);
		buf_print(&text, "%s=%lld,", json_key(p), (long long)i);
	}
	buf_print(&text, "multibuffer=%d", v->multibuffer);
	const bool ok =
		config_parse(buf_str(&text), space_names(s), space_params(s), c, &e) == ASC_OK;
	tap_ok(ok, "%s: %s is a configuration", v->family, buf_str(&text));
	buf_fini(&text);
	for (size_t i = 0; ok && i < c->n; i++) {
		const struct space_param *p = space_param(s, i);
		size_t k = 0;
		while (k < p->n && !value_equal(p->values[k], c->values[i]))
			k++;
		if (!tap_ok(k < p->n, "%s: %s has the value of the row", v->family, p->name))
			return false;
	}
	return ok;
}

/* Does the space leave the row out? -1: it could not be made. */
static int is_pruned(const struct family *f, const struct verdict *v)
{
	struct binding b;
	struct limits l;
	struct space *s = NULL;
	struct config c;
	struct asc_err e;
	char reason[256];
	bool covers = false;
	uint64_t index;
	int pruned = -1;

	if (!f->workload || !limits_find(v->target, &l) ||
	    binding_init(&b, f->workload, workload_find_problem(f->workload, v->dtype), "npu",
			 &l.facts, &e))
		return -1;
	b.limits = &l;
	const struct implementation *i = f->workload->implementations;
	if (binding_covers(&b, i, &covers, reason, sizeof reason, &e) == ASC_OK && !covers)
		pruned = 1;
	else if (binding_space(&b, i, &s, &e) == ASC_OK && make_config(s, v, &c))
		pruned = !space_find(s, &c, &index);
	space_free(s);
	binding_fini(&b);
	return pruned;
}

static void judge(const struct verdict *v)
{
	struct family *f = find_family(v->family);
	const int pruned = is_pruned(f, v);
	/* The compiler of 910B falls back to multibuffer=false, and 950's does not. */
	const bool counts = !v->fits && !(v->multibuffer && v->fits_single &&
					  strncmp(v->target, "Ascend910B", 10) == 0);

	if (!tap_ok(pruned >= 0, "%s %s on %s is judged", v->family, v->dtype, v->target))
		return;
	f->accepted += v->fits;
	f->lost += v->fits && pruned;
	f->refused += counts;
	f->foreseen += counts && pruned;
	if (v->fits && pruned)
		tap_note("left out although it fits: %s %s on %s", v->family, v->dtype, v->target);
}

static void report(const char *file)
{
	for (size_t i = 0; i < n_families; i++) {
		struct family *f = &families[i];

		tap_int(f->lost, 0, "%s: %s: of %d that the planner accepts none is left out", file,
			f->name, f->accepted);
		tap_ok(10 * f->foreseen >= 9 * f->refused, "%s: %s: of %d that it refuses %d are",
		       file, f->name, f->refused, f->foreseen);
		workload_close(f->workload);
		*f = (struct family){0};
	}
	n_families = 0;
}

/* ---- one row an object ---- */

static const char *text_of(const struct json_node *row, const char *name)
{
	const char *text = "";
	struct asc_err e;

	json_get_string(json_find(row, name), &text, &e);
	return text;
}

static bool truth_of(const struct json_node *row, const char *name)
{
	struct value v = {0};
	struct asc_err e;

	return json_get_value(json_find(row, name), &v, &e) == ASC_OK && value_truth(v);
}

static bool row_fits(const struct json_node *row)
{
	return strcmp(text_of(row, "verdict"), "fits") == 0;
}

/* Rows come in pairs: multibuffer=false, then true. */
static void test_rows(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	bool single = false;
	size_t n = 0;

	if (!tap_ok(json_open_file(FOLDER "ub_verdicts.json", &doc, &e) == ASC_OK, "the verdicts"))
		return;
	const struct json_node *rows = json_find(json_root(doc), "verdicts");
	for (const struct json_node *r = json_first(rows); r; r = json_next(r), n++) {
		const bool multibuffer = truth_of(r, "multibuffer");

		single = multibuffer ? single : row_fits(r);
		judge(&(struct verdict){text_of(r, "family"), text_of(r, "dtype"),
					text_of(r, "target"), json_find(r, "params"), multibuffer,
					row_fits(r), single});
	}
	tap_int(n, N_ROWS, "rows");
	json_close(doc);
	report("ub_verdicts.json");
}

/* ---- many rows in two words: a letter for each list of values; F and f fit, f only without the
 * multibuffer that was asked for ---- */

static bool letter_fits(char c)
{
	return c == 'F' || c == 'f';
}

/* The parameters of one row as an object: {"BLOCK": 1024}. */
static struct json_doc *make_params(const struct json_node *names, const struct json_node *values)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};
	struct json_doc *doc = NULL;
	const struct json_node *v = json_first(values);
	struct asc_err e;

	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = json_first(names); n && v; n = json_next(n)) {
		const char *name = "";
		json_get_string(n, &name, &e);
		json_write_node(&w, name, v);
		v = json_next(v);
	}
	json_write_end(&w, '}');
	json_open_text("a row", buf_str(&text), text.len, &doc, &e);
	buf_fini(&text);
	return doc;
}

static size_t judge_line(const struct json_node *line)
{
	const char *single = text_of(line, "single"), *multibuffer = text_of(line, "multibuffer");
	const struct json_node *values = json_find(line, "values");
	size_t n = 0;

	if (!tap_ok(strlen(single) == json_count(values) &&
			    strlen(multibuffer) == json_count(values),
		    "a letter for each of %zu", json_count(values)))
		return 0;
	for (const struct json_node *v = json_first(values); v; v = json_next(v), n++) {
		struct json_doc *params = make_params(json_find(line, "parameters"), v);
		struct verdict row = {text_of(line, "family"),
				      text_of(line, "dtype"),
				      text_of(line, "target"),
				      params ? json_root(params) : NULL,
				      false,
				      letter_fits(single[n]),
				      letter_fits(single[n])};

		judge(&row);
		row.multibuffer = true;
		row.fits = letter_fits(multibuffer[n]);
		judge(&row);
		json_close(params);
	}
	return 2 * n;
}

static void test_lines(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	size_t n = 0;

	if (!tap_ok(json_open_file(FOLDER "more_verdicts.json", &doc, &e) == ASC_OK, "more"))
		return;
	const struct json_node *lines = json_find(json_root(doc), "verdicts");
	for (const struct json_node *l = json_first(lines); l; l = json_next(l))
		n += judge_line(l);
	tap_int(n, N_MORE, "rows");
	json_close(doc);
	report("more_verdicts.json");
}

int main(void)
{
	test_rows();
	test_lines();
	return tap_done();
}
