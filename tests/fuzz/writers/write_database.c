/* A database full of foreign names: the report, the CSV file, the trace and the C header made of
 * it. The database is in a file that has no name any more; what is recorded of one input is taken
 * back after it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/exchange/exporter_list.h"
#include "reports/page/page.h"
#include "reports/tables/dispatch.h"
#include "tests/fuzz/writers/csv_check.h"
#include "tests/fuzz/writers/foreign.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/result/result.h"

enum { RUNS = 10, TRIALS = 3 };

static struct asc_err e;

static void must(enum asc_status status)
{
	if (status)
		foreign_fail("database", e.text, "");
}

static struct db *open_once(void)
{
	static struct db *d;
	const char *parent = getenv("TMPDIR");
	char *folder = str_print("%s/fuzz-writers.XXXXXX", parent ? parent : "/tmp"), *path;

	if (d) {
		free(folder);
		return d;
	}
	if (!folder || !mkdtemp(folder) || !(path = str_print("%s/r.db", folder)))
		abort();
	must(db_open(path, DB_WRITE, &d, &e));
	for (const char *const *end = (const char *const[]){"", "-wal", "-shm", NULL}; *end;
	     end++) {
		char *name = str_print("%s%s", path, *end);

		(void)unlink(name);
		free(name);
	}
	(void)rmdir(folder);
	free(path);
	free(folder);
	return d;
}

/* {"NAME": number, "NAME": text}; names that were there are made others. */
static void write_config(const struct foreign *f, size_t i, struct buf *out)
{
	struct json_writer w = {out, false};
	char *other = str_print("%s2", foreign_name(f, i + 1));

	json_write_begin(&w, NULL, '{');
	json_write_int(&w, foreign_name(f, i), (int64_t)i);
	if (other && strcmp(other, foreign_name(f, i)) != 0)
		json_write_string(&w, other, foreign_name(f, i + 2));
	json_write_end(&w, '}');
	free(other);
}

static struct result make_result(const struct foreign *f, size_t run, size_t k)
{
	static int64_t samples[3];
	double ns = run < RUNS - 3 ? 1000.0 : 2000.0;
	struct result r;

	result_init(&r);
	ns += (double)(10 * k + run % 3);
	samples[0] = samples[1] = samples[2] = (int64_t)ns;
	r.status = k < 2 ? RESULT_OK : RESULT_BUILD_FAILED;
	r.phase = k < 2 ? PHASE_MEASURE : PHASE_BUILD;
	r.reason = str_dup(foreign_name(f, k + 2));
	r.log = str_dup(foreign_name(f, k + 3));
	r.launches_per_sample = 1;
	r.begin_ns = 5000;
	r.spent_ns[PHASE_LOAD] = 7;
	r.builds.n = 1;
	r.builds.list[0].begin_ns = 1000;
	r.builds.list[0].end_ns = 2000;
	if (k < 2) {
		r.samples = samples;
		r.n_samples = 3;
		r.time = (struct stats_summary){
			.n = 3, .min = ns, .q1 = ns, .median = ns, .q3 = ns, .max = ns};
		(void)result_add_metric(&r, foreign_name(f, k), foreign_name(f, k + 1), ns,
					foreign_name(f, k + 2), &e);
	}
	return r;
}

static void add_trial(struct db *d, const struct foreign *f, const struct db_implementation *i,
		      int64_t run, size_t n, size_t k)
{
	struct result r = make_result(f, n, k);
	struct buf config = {0};

	write_config(f, k, &config);
	char *key = str_print("%s%zu", foreign_name(f, k + 4), k);
	const struct db_trial t = {.implementation = *i,
				   .config_json = buf_str(&config),
				   .config_key = key ? key : "",
				   .is_default = k == 0,
				   .result = &r};

	must(db_add_trial(d, run, &t, &e));
	free(key);
	buf_fini(&config);
	r.samples = NULL; /* are not the heap's */
	r.n_samples = 0;
	result_fini(&r);
}

static void add_run(struct db *d, const struct foreign *f, size_t n)
{
	const struct db_device device = {.kind = foreign_name(f, 0),
					 .model = foreign_name(f, 1),
					 .arch = foreign_name(f, 2),
					 .driver = foreign_name(f, n < 5 ? 3 : 4),
					 .fingerprint = foreign_name(f, n < 5 ? 5 : 6),
					 .clock = "monotonic"};
	const struct db_problem problem = {.workload = foreign_name(f, 7),
					   .operator_name = foreign_name(f, 8),
					   .workload_hash = "h1",
					   .problem = foreign_name(f, 9),
					   .problem_key = "p1",
					   .dims_json = "{\"dims\":{\"S\":16},\"dtypes\":{}}",
					   .flops = 4096,
					   .bytes = 512};
	const struct db_implementation i = {
		.name = foreign_name(f, 10), .index = 2, .key = foreign_name(f, 11)};
	const struct db_run run = {.version = foreign_name(f, 12),
				   .strategy = foreign_name(f, 13),
				   .policy_json = "{\"warmup\":1}",
				   .budget = foreign_name(f, 14),
				   .cache_policy = "hot",
				   .implementations = &i,
				   .n_implementations = 1};
	const struct db_space_count counts[] = {
		{"all", NULL, NULL, 12},
		{"condition", foreign_name(f, 15), foreign_name(f, 16), 3},
		{"valid", NULL, NULL, 9}};
	int64_t id = 0;

	must(db_begin_run(d, &device, &problem, &run, &id, &e));
	for (size_t k = 0; k < TRIALS; k++)
		add_trial(d, f, &i, id, n, k);
	must(db_add_space(d, id, &i, counts, sizeof counts / sizeof *counts, &e));
	must(db_end_run(d, id, foreign_name(f, 17), &e));
}

static void check_page(struct db *d, const struct foreign *f)
{
	const struct page_request r = {.db = d,
				       .path = foreign_name(f, 18),
				       .file = foreign_name(f, 19),
				       .version = foreign_name(f, 12),
				       .plotter = "/no/such/program"};
	struct buf page = {0};

	must(page_write(&r, &page, &e));
	foreign_check_markup("page", &page, MARKUP_PAGE);
	buf_fini(&page);
}

static void check_csv(struct db *d)
{
	struct buf text = {0};
	int64_t rows = 0;

	must(csv_print(d, false, &text, &rows, &e));
	csv_check(d, buf_str(&text), text.len);
	buf_fini(&text);
}

/* Checks the text of an exporter that reads the database by itself. */
static void check_json(struct db *d, const struct exporter_ops *x)
{
	struct buf text = {0};
	struct sink to = {.text = &text};
	const struct export_request r = {.db = d};
	const char *wrong;

	must(x->write(x, &r, &to, &e));
	const char *at = json_check(buf_str(&text), &wrong);

	if (at || strlen(buf_str(&text)) != text.len)
		foreign_fail(x->name, at ? wrong : "a NUL", at ? at : "");
	sink_fini(&to);
	buf_fini(&text);
}

/* Checks the header; there is none where each result is left out, for a name that is empty. */
static void check_header(struct db *d)
{
	struct dispatch table = {0};
	struct buf text = {0};
	struct sink to = {.text = &text};
	const struct export_request r = {.table = &table};
	const char *wrong;

	must(dispatch_read(&table, d, DISPATCH_IMPLEMENTATIONS, &e));
	const enum asc_status written = c_header_exporter.write(&c_header_exporter, &r, &to, &e);
	if (written != ASC_NOTFOUND)
		must(written);
	const char *at = written ? NULL : c_check(buf_str(&text), &wrong);
	if (at)
		foreign_fail("C header", wrong, at);
	sink_fini(&to);
	buf_fini(&text);
	dispatch_fini(&table);
}

void foreign_write_database(const struct foreign *f)
{
	struct db *d = open_once();

	must(db_begin_batch(d, &e));
	for (size_t i = 0; i < RUNS; i++)
		add_run(d, f, i);
	check_page(d, f);
	check_csv(d);
	check_json(d, &trace_exporter);
	check_header(d);
	(void)db_end_batch(d, ASC_INPUT, &e);
}
