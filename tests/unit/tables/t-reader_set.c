/* Tables of readers made of results: whatever was measured, a row that holds the library's default
 * serves no size that has another default, by the reader's own rule.
 * covers: reader_set.c reader_result.c reader_proof.c */
#include "reports/tables/reader_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "reports/tables/readers/size_rows.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

enum { LAST = 8192, EXPERTS = 8, MAX_ROWS = 18 };

static struct asc_err e;

static const char names[] = "{\"vllm\":{\"operator\":\"moe\",\"types\":{\"dtype\":\"T\"}}}";
static const char compiler[] = "{\"toolchain\":\"Python 3.12.1, Triton 3.6.0, ptxas 13.0\"}";

/* Returns what vLLM takes without a file at a size. */
static struct reader_config default_at(int64_t m)
{
	const struct rule_size sizes[] = {{"M", m, m}, {"E", EXPERTS, EXPERTS}, {"N", 64, 64}};
	const struct asctune_type type = {"dtype", "bf16"};
	const struct reader_problem p = {
		.device = "H200", .sizes = sizes, .n_sizes = 3, .types = &type, .n_types = 1};
	struct reader_config c = {0};

	(void)vllm_moe_reader.find_default(&p, &c);
	return c;
}

/* Adds the best of one size: `own` is the library's default there. */
static enum asc_status add(struct dispatch *t, int64_t m, bool own, struct asc_err *err)
{
	const struct reader_config c = own ? default_at(m) : size_rows_config(16, 32, 32, 1, 2, 2);
	char dims[128], config[256], key[256], problem[32];
	size_t n = 0;

	snprintf(dims, sizeof dims,
		 "{\"dims\":{\"M\":%" PRId64 ",\"E\":%d,\"N\":64},\"dtypes\":{\"T\":\"bf16\"}}", m,
		 EXPERTS);
	snprintf(problem, sizeof problem, "n.M%" PRId64, m);
	for (size_t i = 0; i < c.n; i++)
		n += (size_t)snprintf(config + n, sizeof config - n, "%c\"%s\":%" PRId64,
				      i ? ',' : '{', c.list[i].name, c.list[i].value.i);
	snprintf(config + n, sizeof config - n, "}");
	n = 0;
	for (size_t i = 0; i < c.n; i++)
		n += (size_t)snprintf(key + n, sizeof key - n, "%s%s=%" PRId64, i ? "," : "",
				      c.list[i].name, c.list[i].value.i);
	const struct best_row r = {.workload = "moe",
				   .operator_name = "moe",
				   .problem = problem,
				   .dims_json = dims,
				   .device_kind = "cuda",
				   .device_model = "H200",
				   .device_arch = "sm_90",
				   .cache_policy = "cold",
				   .implementation = "triton",
				   .implementation_index = -1,
				   .config_json = config,
				   .config_key = key,
				   .recorded_at = "2026-01-01T00:00:00Z",
				   .provenance_json = compiler,
				   .median_ns = 1000,
				   .export_json = names};

	return dispatch_add(t, &r, false, err);
}

/* Sizes that a table serves with the default of another size. */
static int count_wrong(const struct reader_file *f)
{
	struct reader_table table = {0};
	char key[32];
	int wrong = 0;

	for (size_t i = 0; i < f->n; i++)
		(void)reader_table_add(&table, f->lines[i].key, &f->lines[i].config, &e);
	for (int64_t m = 1; m <= LAST; m++) {
		snprintf(key, sizeof key, "%" PRId64, m);
		const struct reader_row *row = &table.rows[f->ops->find(&table, key)];
		const struct reader_config here = default_at(m), there = default_at(row->size);

		wrong += reader_same_config(&row->config, &there) &&
			 !reader_same_config(&row->config, &here);
	}
	reader_table_fini(&table);
	return wrong;
}

static void test_any(uint64_t seed)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};
	struct rng rng;
	int measured = 0;

	rng_init(&rng, seed);
	for (size_t i = 0; size_rows_ladder[i]; i++)
		if (rng_below(&rng, 3) == 0) {
			const bool own = measured > 0 && rng_below(&rng, 2) == 0;

			tap_int(add(r.table, size_rows_ladder[i] + (int64_t)rng_below(&rng, 2), own,
				    &e),
				ASC_OK, "a result");
			measured++;
		}
	if (measured > 0 && tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "a table")) {
		tap_int((long)s.n, 1, "one file");
		tap_int(count_wrong(&s.files[0]), 0, "of %d results, %zu rows, seed %d", measured,
			s.files[0].n, (int)seed);
	}
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* What has to be measured of answers that serve sizes between rows, up to the largest that is
 * proved; a result of a larger size asks for nothing beside its own. */
static void test_asking(void)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_ASKING};
	struct reader_set s = {0};
	int between = 0, at_rows = 0;

	tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
	tap_int(add(r.table, 131072, false, &e), ASC_OK, "one of a size that nothing serves");
	if (tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "are asked for")) {
		for (size_t i = 0; i < s.n_needs; i++) {
			const struct reader_need *n = &s.needs[i];

			at_rows += n->size == 0;
			between += n->size == 57 || n->size == 65 || n->size == 80;
			tap_ok(strcmp(n->answer, n->rival) != 0, "size %" PRId64 ": %s beside %s",
			       n->size, n->answer, n->rival);
		}
		tap_int(at_rows, 2, "both results, on their own problems");
		tap_int(between, 3, "the first, at the ends of what it serves and behind its row");
		tap_int(count_wrong(&s.files[0]), 0, "no size has another one's default");
	}
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* A result of an earlier text of the kernel is left out, faster than the default or slower. */
static void test_older(void)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};

	for (int64_t m = 64; m <= 256; m *= 2)
		tap_int(add(r.table, m, false, &e), ASC_OK, "a result");
	for (size_t i = 0; i < 3; i++)
		r.table->rows[i].result.source_digest = i < 2 ? "first" : "second";
	r.table->rows[0].result.default_ns = 900;
	r.table->rows[2].result.recorded_at = "2026-01-02T00:00:00Z";
	if (tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "two older, one newer")) {
		for (size_t i = 0; i < s.files[0].n; i++)
			tap_ok(s.files[0].lines[i].result == SIZE_MAX ||
				       s.files[0].lines[i].result == 2,
			       "row %s", s.files[0].lines[i].key);
		for (size_t i = 0; i < 2; i++)
			tap_has(r.table->rows[i].left_out, "another text of the kernel",
				"the reason");
	}
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* Of several kernels and GPUs, mixed up, each has its own newest result; one of the same time is
 * not older. */
static void test_older_of_several(void)
{
	static const struct {
		const char *workload, *implementation, *device, *day, *text;
		bool older;
	} rows[] = {
		{"a", "x", "H200", "02", "1", false}, {"b", "x", "H200", "01", "7", false},
		{"a", "x", "H200", "01", "2", true},  {"a", "y", "H200", "03", "3", false},
		{"a", "x", "H100", "01", "2", false}, {"a", "x", "H200", "01", "1", false},
		{"b", "x", "H200", "01", "8", false}, {"a", "y", "H200", "02", "4", true},
		{"a", "y", "H200", "01", "3", false},
	};
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};
	char days[sizeof rows / sizeof *rows][32];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		tap_int(add(r.table, 64 + (int64_t)i, false, &e), ASC_OK, "a result");
		struct best_row *b = &r.table->rows[i].result;

		(void)snprintf(days[i], sizeof days[i], "2026-01-%sT00:00:00Z", rows[i].day);
		b->workload = rows[i].workload;
		b->implementation = rows[i].implementation;
		b->device_model = rows[i].device;
		b->recorded_at = days[i];
		b->source_digest = rows[i].text;
	}
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "results of several kernels");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why = r.table->rows[i].left_out;

		tap_ok(rows[i].older == (why && strstr(why, "another text of the kernel")),
		       "%zu: %s", i, why ? why : "is taken");
	}
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* Results of two layers that the names of files do not tell apart. */
static void test_same_row(void)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};

	tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
	tap_int(add(r.table, 64, true, &e), ASC_OK, "another of the same sizes");
	r.table->rows[1].result.implementation = "other";
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_INPUT, "are refused");
	tap_has(e.text,
		"moe/n.M64 (triton, H200) and moe/n.M64 (other, H200) are both the row 64 of "
		"E=8,N=64,",
		"with their names");
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* Two GPUs for which vLLM asks for one file: the user says which. */
static void test_devices(void)
{
	struct export_setting device = {"device", "H200 NVL"};
	struct export_request r = {
		.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED, .settings = &device};
	struct reader_set s = {0};

	for (r.n_settings = 0; r.n_settings < 2; r.n_settings++) {
		tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
		tap_int(add(r.table, 64, true, &e), ASC_OK, "that of another GPU");
		r.table->rows[0].result.device_model = "H200 NVL";
		tap_int(reader_set_make(&s, &r, "vllm", &e), r.n_settings ? ASC_OK : ASC_INPUT,
			"two results of one row");
		if (r.n_settings > 0)
			tap_ok(s.n == 1 && str_is_same(s.files[0].problem.device, "H200 NVL"),
			       "one is asked for");
		else
			tap_has(e.text, "--set device=MODEL takes one", "are refused");
		reader_set_fini(&s);
		dispatch_fini(r.table);
	}
	device.value = "B200";
	r.n_settings = 1;
	tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_NOTFOUND, "no such device");
	tap_has(e.text, "device=B200: no result is of this model; there are some of H200", "said");
	reader_set_fini(&s);
	dispatch_fini(r.table);
}

/* A table of defaults alone says nothing, and is none. */
static void test_defaults_alone(void)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};

	tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
	r.table->rows[0].result.default_ns = 900;
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "slower than the default");
	tap_ok(s.n == 1 && s.files[0].idle && s.files[0].n == 1, "makes no file");
	reader_set_fini(&s);
	dispatch_fini(r.table);
	tap_int(add(r.table, 64, false, &e), ASC_OK, "a result");
	r.table->rows[0].rival = "cublas";
	r.table->rows[0].rival_ns = 900;
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_OK, "slower than a vendor's library");
	tap_int((long)s.n, 1, "makes one: vLLM runs the kernel itself");
	reader_set_fini(&s);
	dispatch_fini(r.table);
	tap_int(reader_set_make(&s, &r, "vllm", &e), ASC_NOTFOUND, "nothing measured: %s", e.text);
}

static enum asc_status job(struct asc_err *err)
{
	const struct export_request r = {.table = &(struct dispatch){0}, .proof = EXPORT_UNPROVED};
	struct reader_set s = {0};
	struct buf text = {0};
	enum asc_status status = add(r.table, 4000, false, err);

	if (status == ASC_OK)
		status = reader_set_make(&s, &r, "vllm", err);
	for (size_t i = 0; i < s.n && status == ASC_OK; i++)
		status = reader_file_write(&s.files[i], &text, err);
	if (status == ASC_OK)
		nomem_give(buf_str(&text));
	buf_fini(&text);
	reader_set_fini(&s);
	dispatch_fini(r.table);
	return status;
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 25; seed++)
		test_any(seed);
	test_asking();
	test_older();
	test_older_of_several();
	test_same_row();
	test_devices();
	test_defaults_alone();
	nomem_sample("a table is made", job, 7);
	return tap_done();
}
