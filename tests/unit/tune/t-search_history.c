/* Earlier results as the history of a search: which sources are most alike, and which of their
 * results count.
 * covers: search_history.c */
#include "tuner/tune/search_history.h"

#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

enum { VALUES = 8 };

static struct asc_err e;

/* ---- a space of A=1 .. 8 with B=1, and what is tuned in it ---- */

static struct space *make_space(void)
{
	static struct value values[VALUES];
	struct space_param params[] = {{"A", VALUES, values, {0}}, {"B", 1, values, {0}}};
	struct space *space = NULL;

	for (int i = 0; i < VALUES; i++)
		values[i] = value_int(i + 1);
	params[0].default_value = params[1].default_value = values[0];
	tap_int(space_new(&(struct space_spec){params, 2, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of %d", VALUES);
	return space;
}

static struct dimension dims[] = {{.name = "M", .value = {VALUE_INT, {1024}}},
				  {.name = "N", .value = {VALUE_INT, {64}}}};
static struct dtype_variable dtypes[] = {{.name = "T", .dtype = DTYPE_F32}};
static const struct problem problem = {
	.name = "p", .dims = dims, .n_dims = 2, .dtypes = dtypes, .n_dtypes = 1};
static const struct workload workload = {.name = "w", .operator_name = "op"};
static const struct implementation implementation = {.name = "k"};
static struct device_info info = {.model = "here"};
static struct session session;

static enum asc_status find(struct db *d, const struct space *space, struct search_history *out)
{
	const struct loop_options o = {
		.workload = &workload, .problem = &problem, .session = &session};

	session = (struct session){.target = {.device = device_find("cpu"), .info = &info}};
	session.policy.cache = CACHE_HOT;
	return search_history_find(out, &o, &implementation, space, d, &e);
}

/* ---- what is recorded ---- */

struct source {
	const char *problem, *dims_json, *kind, *model, *cache, *key;
	int n; /* configurations A=1 .. n, which take 100 - A ns */
};

static const char SAME[] = "{\"dims\":{\"M\":1024,\"N\":64},\"dtypes\":{\"T\":\"f32\"}}";
static const char TWICE[] = "{\"dims\":{\"M\":2048,\"N\":64},\"dtypes\":{\"T\":\"f32\"}}";
static const char EIGHT_TIMES[] = "{\"dims\":{\"M\":512,\"N\":256},\"dtypes\":{\"T\":\"f32\"}}";
static const char LOWER[] = "{\"dims\":{\"m\":1024,\"n\":64},\"dtypes\":{\"T\":\"f32\"}}";
static const char HALF[] = "{\"dims\":{\"M\":1024,\"N\":64},\"dtypes\":{\"T\":\"f16\"}}";

static void record(struct db *d, const struct source *s)
{
	const struct db_device device = {
		.kind = s->kind, .model = s->model, .fingerprint = s->model};
	const struct db_problem p = {.workload = "w",
				     .operator_name = "op",
				     .problem = s->problem,
				     .problem_key = s->problem,
				     .dims_json = s->dims_json};
	const struct db_implementation i = {.name = "k", .key = s->key};
	const struct db_run run = {.strategy = "random",
				   .cache_policy = s->cache,
				   .implementations = &i,
				   .n_implementations = 1};
	int64_t id = 0;

	if (db_begin_run(d, &device, &p, &run, &id, &e))
		tap_ok(false, "%s", e.text);
	for (int a = 1; a <= s->n; a++) {
		char config[32];
		struct result r = rows_result(100 - a, 100 - a, 100 - a);
		struct db_trial t = rows_trial(config, &r);

		snprintf(config, sizeof config, "{\"A\":%d,\"B\":1}", a);
		t.implementation = i;
		t.config_json = config;
		if (db_add_trial(d, id, &t, &e))
			tap_ok(false, "%s", e.text);
	}
}

/* Records the sources and checks what is said of those that are found. */
static void check(const char *name, const struct space *space, const struct source *list, size_t n,
		  const char *expected)
{
	struct impl_search search = {.implementation = &implementation};
	const struct impl_searches searches = {.list = &search, .n = 1};
	struct db *d = NULL;
	struct buf text = {0};

	if (!tap_int(db_open(rows_path(name), DB_WRITE, &d, &e), ASC_OK, "%s", name))
		return;
	for (size_t i = 0; i < n; i++)
		record(d, &list[i]);
	tap_int(find(d, space, &search.history), ASC_OK, "%s: %s", name, e.text);
	search_history_print(&searches, &text);
	tap_str(buf_str(&text), expected, "%s", name);
	for (size_t i = 0, k = 0; i < search.history.n_sources; i++)
		for (size_t end = k + search.history.sources[i].n; k < end; k++)
			if (search.history.list[k].source != search.history.sources[i].name)
				tap_ok(false, "result %zu is not of its source", k);
	buf_fini(&text);
	search_history_fini(&search.history);
	db_close(d);
}

static void test_likeness(const struct space *space)
{
	const struct source devices[] = {{"p", SAME, "cpu", "there", "hot", "v", 6},
					 {"p", SAME, "cuda", "gpu", "hot", "v", 6},
					 {"q", TWICE, "cpu", "here", "hot", "v", 6},
					 {"r", EIGHT_TIMES, "cpu", "here", "hot", "v", 6},
					 {"p", SAME, "cpu", "here", "hot", "v", 6}};
	const struct source others[] = {{"none", NULL, "cpu", "here", "hot", "v", 6},
					{"bad", "{", "cpu", "here", "hot", "v", 6},
					{"half", HALF, "cpu", "there", "hot", "v", 6},
					{"cold", SAME, "cpu", "there", "cold", "v", 6},
					{"p", SAME, "cpu", "there", "hot", "v", 6}};
	const struct source letters[] = {{"lower", LOWER, "cpu", "there", "hot", "v", 6},
					 {"twice", TWICE, "cpu", "there", "hot", "v", 6}};

	check("devices.db", space, devices, 5,
	      "24 results: w/p on cpu: here (6), w/q on cpu: here (6), w/r on cpu: here (6),"
	      " w/p on cpu: there (6)");
	/* Of two at one distance the newer comes first. */
	check("others.db", space, others, 5,
	      "24 results: w/p on cpu: there (6), w/cold on cpu: there (6), w/half on cpu: there "
	      "(6),"
	      " w/bad on cpu: here (6)");
	check("letters.db", space, letters, 2,
	      "12 results: w/lower on cpu: there (6), w/twice on cpu: there (6)");
	check("none.db", space, NULL, 0, "");
}

static void test_versions(const struct space *space)
{
	const struct source newer[] = {{"p", SAME, "cpu", "here", "hot", "v1", 8},
				       {"p", SAME, "cpu", "here", "hot", "v2", 6}};
	const struct source few[] = {{"p", SAME, "cpu", "here", "hot", "v1", 8},
				     {"p", SAME, "cpu", "here", "hot", "v2", 4}};
	const struct source outside[] = {{"p", SAME, "cpu", "here", "hot", "v1", 30}};

	check("newer.db", space, newer, 2, "6 results: w/p on cpu: here (6)");
	check("few.db", space, few, 2, "8 results: w/p on cpu: here (8)");
	check("outside.db", space, outside, 1, "8 results: w/p on cpu: here (8)");
	check("only few.db", space, &few[1], 1, "");
}

/* Two implementations that begin with one source have its results once between them. */
static void test_shared(const struct space *space)
{
	static const struct source source = {"p", SAME, "cpu", "there", "hot", "v", 6};
	struct impl_search list[2] = {{.implementation = &implementation},
				      {.implementation = &implementation}};
	const struct impl_searches searches = {.list = list, .n = 2};
	struct buf text = {0}, json = {0};
	struct db *d = NULL;

	if (!tap_int(db_open(rows_path("shared.db"), DB_WRITE, &d, &e), ASC_OK, "shared.db"))
		return;
	record(d, &source);
	for (int i = 0; i < 2; i++)
		tap_int(find(d, space, &list[i].history), ASC_OK, "search %d", i);
	search_history_print(&searches, &text);
	tap_str(buf_str(&text), "6 results: w/p on cpu: there (6)", "counted once");
	search_history_write_json(&searches, &json);
	tap_has(buf_str(&json), "{\"results\":6,", "in JSON, too");
	for (int i = 0; i < 2; i++)
		search_history_fini(&list[i].history);
	buf_fini(&text);
	buf_fini(&json);
	db_close(d);
}

/* ---- without memory ---- */

static struct space *nomem_space;
static struct db *nomem_db;

/* Finds all of the history, or says that memory ran out: nothing else leaves a result out. */
static enum asc_status job_find(struct asc_err *err)
{
	struct search_history h;
	enum asc_status status = find(nomem_db, nomem_space, &h);

	*err = e;
	if (status == ASC_OK && h.n != VALUES)
		status = asc_err_set(err, ASC_INTERNAL, "%zu results", h.n);
	search_history_fini(&h);
	return status;
}

static void test_nomem(struct space *space)
{
	static const struct source source = {"p", SAME, "cpu", "here", "hot", "v", VALUES};

	nomem_space = space;
	if (!tap_int(db_open(rows_path("nomem.db"), DB_WRITE, &nomem_db, &e), ASC_OK, "nomem.db"))
		return;
	record(nomem_db, &source);
	nomem_exhaust("a history", job_find);
	db_close(nomem_db);
}

int main(void)
{
	struct space *space = make_space();

	rows_enter();
	test_likeness(space);
	test_versions(space);
	test_shared(space);
	test_nomem(space);
	rows_leave();
	space_free(space);
	return tap_done();
}
