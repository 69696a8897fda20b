/* The rules of one table, asked through libasctune, its Python file, the C header and by hand: 10^5
 * random questions, the same answers.
 * covers: c_header_export.c infiniops_export.c rule.c libasctune.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/exporter_list.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/lookup/asctune.h"
#include "tests/tap.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/stats/rng.h"
#include "tuner/process/proc.h"

enum { QUESTIONS = 100000, TRIES = 900, MOST = 40, NONE = -1, LIMIT_S = 300 };

static struct asc_err e;
static struct rng rng;
static char *folder;

static size_t below(size_t n)
{
	return (size_t)rng_below(&rng, n);
}

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* ---- the table ---- */

static const char *const ops[] = {"Gemm", "rms_norm"};
static const char *const kinds[] = {"cuda", "npu"};
static const char *const models[] = {"NVIDIA H200", "Ascend \"910\"?"};
static const char *const types[] = {"{\"T\":\"f16\"}", "{\"T\":\"f32\",\"U\":\"f32\"}",
				    "{\"T\":\"f16\",\"U\":\"bf16\"}", "{}"};
static const char *const axes[] = {"K", "M", "N"};
enum { N_AXES = sizeof axes / sizeof *axes };

static bool touch(const struct rule *x, const struct rule *y)
{
	for (size_t i = 0; i < x->n_sizes; i++)
		for (size_t k = 0; k < y->n_sizes; k++)
			if (strcmp(x->sizes[i].name, y->sizes[k].name) == 0 &&
			    (x->sizes[i].high < y->sizes[k].low ||
			     y->sizes[k].high < x->sizes[i].low))
				return false;
	return true;
}

static bool is_one_type(const struct dispatch_row *row)
{
	return row->n_types > 0 &&
	       strcmp(row->types[0].type, row->types[row->n_types - 1].type) == 0;
}

static bool is_same_subject(const struct dispatch_row *x, const struct dispatch_row *y)
{
	const bool same = is_one_type(x) && is_one_type(y)
				  ? strcmp(x->types[0].type, y->types[0].type) == 0
				  : strcmp(x->result.dims_json, y->result.dims_json) == 0;

	return same && strcmp(x->op, y->op) == 0 &&
	       strcmp(x->result.device_model, y->result.device_model) == 0 &&
	       x->result.implementation_index == y->result.implementation_index;
}

static void make_rule(struct rule *rule)
{
	for (size_t i = 0; i < N_AXES; i++) {
		const int64_t low = (int64_t)below(MOST),
			      length = (int64_t)below(4) * (int64_t)below(8);

		if (below(4) > 0)
			rule->sizes[rule->n_sizes++] =
				(struct rule_size){axes[i], low, low + length};
	}
}

/* Adds a row with a rule; its number is in its configuration. */
static void add_rule(struct dispatch *t)
{
	char dims[128], config[64];
	const size_t device = below(2);

	snprintf(dims, sizeof dims, "{\"dims\":{},\"dtypes\":%s}", PICK(types));
	snprintf(config, sizeof config, "{\"R\":%zu,\"num_warps\":4}", t->n_rows);
	const struct best_row r = {.workload = "w",
				   .operator_name = PICK(ops),
				   .problem = "p */ \"q\"",
				   .dims_json = dims,
				   .device_kind = kinds[device],
				   .device_model = models[device],
				   .implementation = "i",
				   .implementation_index = (int64_t)below(3),
				   .config_json = config,
				   .recorded_at = "2026",
				   .median_ns = 1000.0 * (double)(1 + below(20))};
	struct rule rule = {.row = t->n_rows};

	make_rule(&rule);
	if (dispatch_add(t, &r, false, &e) ||
	    !array_room(&t->rules, t->n_rules, &t->rules_room, sizeof *t->rules)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	const struct dispatch_row *row = &t->rows[rule.row];

	rule.op = row->op;
	rule.device = row->result.device_kind;
	rule.device_model = row->result.device_model;
	memcpy(rule.types, row->types, sizeof rule.types);
	rule.n_types = row->n_types;
	rule.index = row->result.implementation_index;
	rule.default_index = row->rival_index;
	rule.implementation = row->result.implementation;
	rule.config = row->result.config_json;
	rule.time_ns = row->result.median_ns;
	for (size_t i = 0; i < t->n_rules; i++)
		if (is_same_subject(&t->rows[t->rules[i].row], row) && touch(&t->rules[i], &rule))
			return; /* the row stays without a rule */
	t->rules[t->n_rules++] = rule;
}

/* ---- questions ---- */

struct question {
	const char *op, *device, *model;
	struct asctune_type types[2];
	size_t n_types;
	struct asctune_size sizes[N_AXES];
	size_t n_sizes;
	int64_t active[3];
	size_t n_active;
};

static struct question make_question(void)
{
	static const char *const asked_ops[] = {"Gemm", "Gemm", "rms_norm", "rms_norm", "gemm"};
	static const char *const devices[] = {"cuda", "nvidia", "npu", "ascend", "cpu"};
	static const char *const asked_models[] = {
		"NVIDIA H200", "NVIDIA H200", "Ascend \"910\"?", "Ascend \"910\"?", NULL, "B200"};
	static const char *const spellings[] = {"f16",   "half", "float16",  "fp16",  "f32",
						"float", "bf16", "bfloat16", "posit8"};
	static const char *const names[] = {"T", "U"};
	struct question q = {
		.op = PICK(asked_ops), .device = PICK(devices), .model = PICK(asked_models)};

	q.n_types = below(3);
	for (size_t i = 0; i < q.n_types; i++)
		q.types[i] = (struct asctune_type){names[i], PICK(spellings)};
	if (q.n_types == 1 && below(2))
		q.types[0].name = NULL;
	for (size_t i = N_AXES; i-- > 0;)
		if (below(12) > 0)
			q.sizes[q.n_sizes++] = (struct asctune_size){
				axes[i], below(30) ? (int64_t)below(MOST + 20) : -1};
	for (size_t i = 0; i < 3; i++)
		if (below(3) > 0)
			q.active[q.n_active++] = (int64_t)i;
	return q;
}

/* Makes a question that a rule, drawn at random, has an answer to unless its index is not active.
 */
static struct question make_fitting(const struct dispatch *t)
{
	const struct rule *rule = &t->rules[below(t->n_rules)];
	const struct dispatch_row *row = &t->rows[rule->row];
	struct question q = make_question();

	q.op = row->op;
	q.device = row->result.device_kind;
	q.model = row->result.device_model;
	q.n_types = row->n_types;
	for (size_t i = 0; i < q.n_types; i++)
		q.types[i] = (struct asctune_type){row->types[i].name, row->types[i].type};
	q.n_sizes = N_AXES;
	for (size_t i = 0; i < N_AXES; i++)
		q.sizes[i] = (struct asctune_size){axes[i], (int64_t)below(MOST)};
	for (size_t i = 0; i < rule->n_sizes; i++)
		for (size_t k = 0; k < N_AXES; k++)
			if (strcmp(axes[k], rule->sizes[i].name) == 0)
				q.sizes[k].value = rule->sizes[i].low +
						   (int64_t)below((size_t)(rule->sizes[i].high -
									   rule->sizes[i].low + 1));
	return q;
}

/* Writes one as a line of words, "-" for none. */
static void print_question(const struct question *q, struct buf *out)
{
	buf_print(out, "%s\t%s\t%s\t%zu", q->op, q->device, q->model ? q->model : "-", q->n_types);
	for (size_t i = 0; i < q->n_types; i++)
		buf_print(out, "\t%s\t%s", q->types[i].name ? q->types[i].name : "-",
			  q->types[i].type);
	buf_print(out, "\t%zu", q->n_sizes);
	for (size_t i = 0; i < q->n_sizes; i++)
		buf_print(out, "\t%s\t%lld", q->sizes[i].name, (long long)q->sizes[i].value);
	buf_print(out, "\t%zu", q->n_active);
	for (size_t i = 0; i < q->n_active; i++)
		buf_print(out, "\t%lld", (long long)q->active[i]);
	buf_add_char(out, '\n');
}

/* ---- by hand ---- */

static const char *mean(const char *type)
{
	static const char *const pairs[][2] = {{"half", "f16"},
					       {"float16", "f16"},
					       {"fp16", "f16"},
					       {"float", "f32"},
					       {"bfloat16", "bf16"}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (strcmp(pairs[i][0], type) == 0)
			return pairs[i][1];
	return type;
}

static bool has_types(const struct dispatch_row *row, const struct question *q)
{
	if (row->n_types == 0)
		return true;
	if (q->n_types == 0)
		return false;
	const char *first = mean(q->types[0].type), *last = mean(q->types[q->n_types - 1].type);

	if (strcmp(first, last) == 0)
		return is_one_type(row) && strcmp(row->types[0].type, first) == 0;
	return !is_one_type(row) && row->n_types == 2 && strcmp(row->types[0].type, first) == 0 &&
	       strcmp(row->types[1].type, last) == 0;
}

static bool has_sizes(const struct rule *rule, const struct question *q)
{
	for (size_t k = 0; k < q->n_sizes; k++)
		if (q->sizes[k].value < 0)
			return false;
	for (size_t i = 0; i < rule->n_sizes; i++) {
		bool inside = false;

		for (size_t k = 0; k < q->n_sizes; k++)
			inside |= strcmp(q->sizes[k].name, rule->sizes[i].name) == 0 &&
				  q->sizes[k].value >= rule->sizes[i].low &&
				  q->sizes[k].value <= rule->sizes[i].high;
		if (!inside)
			return false;
	}
	return true;
}

static bool fits(const struct dispatch *t, const struct rule *rule, const struct question *q)
{
	const struct dispatch_row *row = &t->rows[rule->row];
	const bool cuda = strcmp(q->device, "cuda") == 0 || strcmp(q->device, "nvidia") == 0;
	const bool npu = strcmp(q->device, "npu") == 0 || strcmp(q->device, "ascend") == 0;
	bool active = false;

	for (size_t i = 0; i < q->n_active; i++)
		active |= q->active[i] == row->result.implementation_index;
	return active && strcmp(row->op, q->op) == 0 && q->model &&
	       strcmp(row->result.device_model, q->model) == 0 &&
	       (strcmp(row->result.device_kind, "cuda") == 0 ? cuda : npu) && has_types(row, q) &&
	       has_sizes(rule, q);
}

static double volume(const struct rule *rule)
{
	double v = 1;

	for (size_t i = 0; i < rule->n_sizes; i++)
		v *= (double)(rule->sizes[i].high - rule->sizes[i].low + 1);
	return v;
}

/* Exact before ranges, more sizes, narrower, named types, shorter time; the earlier one. */
static bool is_before(const struct dispatch *t, const struct rule *x, const struct rule *y)
{
	const struct dispatch_row *p = &t->rows[x->row], *q = &t->rows[y->row];
	const bool x_exact = x->n_sizes > 0 && volume(x) < 1.5;
	const bool y_exact = y->n_sizes > 0 && volume(y) < 1.5;
	const double differences[] = {
		(double)y_exact - (double)x_exact, (double)y->n_sizes - (double)x->n_sizes,
		volume(x) - volume(y), (double)(q->n_types > 0) - (double)(p->n_types > 0),
		p->result.median_ns - q->result.median_ns};

	for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
		if (fabs(differences[i]) > 0)
			return differences[i] < 0;
	return x < y;
}

static int answer_by_hand(const struct dispatch *t, const struct question *q)
{
	const struct rule *best = NULL;

	for (size_t i = 0; i < t->n_rules; i++)
		if (fits(t, &t->rules[i], q) && (!best || is_before(t, &t->rules[i], best)))
			best = &t->rules[i];
	return best ? (int)best->row : NONE;
}

/* ---- through the library, Python and the header ---- */

/* The number of a rule in its configuration. */
static int number_of(const char *config)
{
	const char *at = strstr(config, "\"R\":");

	return at ? atoi(at + 4) : NONE;
}

static int answer_of_library(struct asctune_table *t, const struct question *q)
{
	const struct asctune_question asked = {q->op,      q->device,  q->model,
					       q->types,   q->n_types, q->sizes,
					       q->n_sizes, q->active,  q->n_active};
	struct asctune_answer a;

	return asctune_ask(t, &asked, &a) == ASCTUNE_NOT_SET ? NONE : number_of(a.config);
}

static char *in_folder(const char *name)
{
	return path_join(folder, name);
}

static bool run(const char *const *argv, struct buf *out)
{
	int status = 0;

	buf_clear(out);
	return tap_ok(proc_run(argv, NULL, (int64_t)LIMIT_S * 1000000000, 1 << 24, out, &status,
			       &e) == ASC_OK &&
			      status == 0,
		      "%s: %.2000s", argv[0], status ? buf_str(out) : "");
}

/* Compares the lines of a program's output with the answers. */
static void compare(const char *who, const struct buf *lines, const int *answers)
{
	const char *at = buf_str(lines);
	int wrong = 0, n = 0;

	for (; *at && n < QUESTIONS; n++) {
		wrong += atoi(at) != answers[n];
		at = strchr(at, '\n');
		at = at ? at + 1 : "";
	}
	tap_int(n, QUESTIONS, "%s answers all questions", who);
	tap_int(wrong, 0, "%s: the same answers", who);
}

static void ask_header(const char *compiler, const char *language, const char *standard,
		       const char *questions, const int *answers)
{
	char *program = in_folder("ask"), *include = str_print("-I%s", folder);
	const char *const compile[] = {
		compiler,       language,  standard,     "-O1",
		"-Wall",        "-Wextra", "-Wpedantic", "-Wshadow",
		"-Wconversion", "-Werror", include,      TEST_DATA "/unit/tables/ask_header.c",
		"-o",           program,   NULL};
	const char *const ask[] = {program, questions, NULL};
	char *found = proc_find(compiler);
	struct buf out = {0};

	if (!found)
		tap_skip("no %s", compiler);
	else if (run(compile, &out) && run(ask, &out))
		compare(compiler, &out, answers);
	buf_fini(&out);
	free(found);
	free(include);
	free(program);
}

static void ask_python(const char *table, const char *questions, const int *answers)
{
	const char *const ask[] = {"python3",
				   "-B",
				   TEST_DATA "/unit/tables/ask_table.py",
				   LIBRARY,
				   PROJECT_ROOT "/tuner/python",
				   table,
				   questions,
				   NULL};
	char *found = proc_find("python3");
	struct buf out = {0};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	tap_skip("the library has a sanitizer, which an interpreter without one cannot load");
#else
	if (!found)
		tap_skip("no python3");
	else if (!tap_skip_emulated("python3 is the machine's own") && run(ask, &out))
		compare("Python", &out, answers);
#endif
	(void)ask, (void)answers;
	buf_fini(&out);
	free(found);
}

static void ask_library(const char *table, const struct question *questions, const int *answers)
{
	struct asctune_table *t = NULL;
	char error[256];
	int wrong = 0;

	if (!tap_ok(!asctune_open(table, 0, &t, error, sizeof error), "the table opens: %s", error))
		return;
	for (int i = 0; i < QUESTIONS; i++)
		wrong += answer_of_library(t, &questions[i]) != answers[i];
	tap_int(wrong, 0, "libasctune: the same answers");
	asctune_close(t);
}

/* Writes the table in both forms. */
static void export_table(struct dispatch *t)
{
	const struct export_setting settings[] = {{"prefix", "rules"}};
	const struct export_request r = {
		.table = t, .database = "a.db", .settings = settings, .n_settings = 1};
	struct sink to = {.folder = folder};

	tap_ok(!infiniops_exporter.write(&infiniops_exporter, &r, &to, &e) &&
		       !c_header_exporter.write(&c_header_exporter, &r, &to, &e) &&
		       !sink_place(&to, &e),
	       "exported");
	sink_fini(&to);
}

/* Exports a table, asks it in all ways, and compares with the answers by hand. */
static void test_table(struct dispatch *t)
{
	struct question *questions = calloc(QUESTIONS, sizeof *questions);
	int *answers = calloc(QUESTIONS, sizeof *answers);
	struct buf text = {0};
	int set = 0;

	tap_int(dir_make_scratch("t-same", &folder, &e), ASC_OK, "a folder");
	export_table(t);
	for (int i = 0; i < QUESTIONS; i++) {
		questions[i] = below(2) ? make_question() : make_fitting(t);
		answers[i] = answer_by_hand(t, &questions[i]);
		set += answers[i] != NONE;
		print_question(&questions[i], &text);
	}
	tap_ok(set > QUESTIONS / 4 && set < QUESTIONS * 3 / 4, "%d of %d questions have an answer",
	       set, QUESTIONS);
	char *table = in_folder("implementation_index.json"), *file = in_folder("questions");

	tap_int(file_write(file, text.data, text.len, &e), ASC_OK, "questions");
	ask_library(table, questions, answers);
	ask_python(table, file, answers);
	ask_header("gcc", "-xc", "-std=c99", file, answers);
	ask_header("g++", "-xc++", "-std=c++11", file, answers);
	free(table);
	free(file);
	free(questions);
	free(answers);
	buf_fini(&text);
	dir_remove(folder);
	free(folder);
}

static void test_random(void)
{
	const struct rule *pair[2];
	struct dispatch t = {0};

	for (int i = 0; i < TRIES; i++)
		add_rule(&t);
	tap_ok(rule_find_overlap(t.rules, t.n_rules, pair, &e) == ASC_OK && !pair[0],
	       "%zu rules, none of which overlap", t.n_rules);
	test_table(&t);
	dispatch_fini(&t);
}

/* ---- a table of covers ---- */

/* Adds a measured problem of a kernel, which has one of two configurations. */
static void add_covered(struct dispatch *t, const char *op, int64_t index, size_t m, size_t n)
{
	static const char *const keys[] = {"A=1", "A=2"};
	char dims[128], config[64], implementation[16];

	snprintf(dims, sizeof dims,
		 "{\"dims\":{\"M\":%zu,\"N\":%zu,\"K\":8},\"dtypes\":{\"T\":\"f16\"}}", m, n);
	snprintf(config, sizeof config, "{\"R\":%zu,\"num_warps\":4}", t->n_rows);
	snprintf(implementation, sizeof implementation, "i%d", (int)index);
	const struct best_row r = {.workload = op,
				   .operator_name = op,
				   .problem = dims,
				   .dims_json = dims,
				   .kinds_json = "{\"M\":\"size\",\"N\":\"size\",\"K\":\"size\"}",
				   .device_kind = kinds[0],
				   .device_model = models[0],
				   .implementation = implementation,
				   .implementation_index = index,
				   .config_json = config,
				   .config_key = keys[m > n],
				   .recorded_at = "2026",
				   .median_ns = 1000.0 * (double)(1 + below(20))};

	tap_int(dispatch_add(t, &r, false, &e), ASC_OK, "problem %zu of %s", t->n_rows, op);
	if (!t->covers)
		t->covers = calloc(1, sizeof *t->covers);
	t->n_covers = t->covers != NULL;
	t->rows[t->n_rows - 1].cover = 1;
}

/* Covers of one kernel, whose ranges are joined, and of three, where times decide. */
static void test_covers(void)
{
	struct dispatch t = {0};

	for (size_t m = 1; m <= MOST; m *= 2)
		for (size_t n = 4; n <= MOST; n *= 3) {
			add_covered(&t, ops[0], 1, m, n);
			for (int64_t i = 0; i < 3; i++)
				if (below(4) > 0)
					add_covered(&t, ops[1], i, m, n);
		}
	tap_int(dispatch_add_rules(&t, &(struct dispatch_terms){0}, &e), ASC_OK, "rules of covers");
	tap_ok(t.n_rules < t.n_rows, "%zu rules of %zu problems", t.n_rules, t.n_rows);
	test_table(&t);
	dispatch_fini(&t);
}

/* ---- configurations that are too long ---- */

static char said[512]; /* the last message */

static void keep_said(void *user, enum log_level level, const char *text)
{
	(void)user;
	(void)level;
	(void)snprintf(said, sizeof said, "%s", text);
}

/* Checks that the exporter warns of a rule where libasctune leaves it out, and only there; `bytes`:
 * of its configuration as the table has it. */
static void check_length(size_t bytes, bool fits)
{
	const int digits = (int)(bytes - strlen("{\"num_warps\":4,\"constexprs\":{\"\":1}}"));
	char *config = str_print("{\"num_warps\":4,\"%0*d\":1}", digits, 0);
	char error[512] = "";
	struct asctune_table *table = NULL;
	struct dispatch t = {0};

	add_covered(&t, ops[0], 1, 4, 4);
	t.rows[0].result.config_json = config;
	tap_int(dispatch_add_rules(&t, &(struct dispatch_terms){0}, &e), ASC_OK, "a rule");
	tap_int(dir_make_scratch("t-same", &folder, &e), ASC_OK, "a folder");
	*said = '\0';
	log_set_sink(keep_said, NULL);
	export_table(&t);
	log_set_sink(NULL, NULL);
	char *path = in_folder("implementation_index.json");
	const bool opened = asctune_open(path, 0, &table, error, sizeof error) == ASCTUNE_OK;

	tap_ok(opened == fits, "%zu bytes: %s", bytes, error);
	tap_ok((strstr(said, "longer than 1023 bytes") == NULL) == fits, "it is said: %s", said);
	if (opened)
		asctune_close(table);
	dir_remove(folder);
	free(path);
	free(folder);
	free(config);
	dispatch_fini(&t);
}

int main(void)
{
	rng_init(&rng, 17);
	check_length(ASCTUNE_CONFIG_BYTES - 1, true);
	check_length(ASCTUNE_CONFIG_BYTES, false);
	test_random();
	test_covers();
	return tap_done();
}
