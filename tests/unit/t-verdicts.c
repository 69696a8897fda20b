/* Pruning is sound: beside the verdicts of the real memory planner (limits/ub_verdicts.json; more
 * of them in limits/more_verdicts.json), no configuration that it accepts is left out, and of those
 * that it refuses at least nine in ten are, in each family of kernels. The families are stated as
 * workloads: limits/FAMILY.json. */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/model/binding.h"
#include "tuner/model/limits.h"
#include "tuner/model/space.h"

#define FOLDER TEST_DATA "/limits/"

enum { MAX_FAMILIES = 32 };

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
	tap_int(n, 158, "rows");
	json_close(doc);
	report("ub_verdicts.json");
}

int main(void)
{
	test_rows();
	return tap_done();
}
