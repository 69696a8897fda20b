/* The cost of asking a dispatch table, beside a prepared statement of SQLite with the same key.
 *
 *     lookup_times FOLDER ROWS
 *
 * makes tables of ROWS rows in FOLDER, prints each figure beside its limit, and ends with 1 where
 * one is missed. Allocations are counted: the program is linked with --wrap.
 */
#include <cjson/cJSON.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/tables/lookup/asctune.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"

enum { QUESTIONS = 100000, OPS = 20, MODELS = 5, SIZES = 3, TEXT = 64, BEST_OF = 10, OPENINGS = 5 };

struct row {
	char op[TEXT], model[TEXT];
	int64_t sizes[SIZES], index;
};

static const char *const names[SIZES] = {"m", "n", "k"};
static const int64_t active[] = {0, 1, 2};
static const struct asctune_type type = {NULL, "float16"};
static struct asc_err e;
static struct row *rows;
static size_t n_rows;
static bool missed;

/* ---- allocations ---- */

static atomic_long allocations;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	allocations++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

/* ---- tables ---- */

static void make_rows(size_t n)
{
	struct rng r;

	rng_init(&r, 7);
	rows = calloc(n, sizeof *rows);
	n_rows = rows ? n : 0;
	for (size_t i = 0; i < n_rows; i++) {
		struct row *x = &rows[i];

		(void)snprintf(x->op, sizeof x->op, "op_%d", (int)rng_below(&r, OPS));
		(void)snprintf(x->model, sizeof x->model, "NVIDIA H%d00",
			       1 + (int)rng_below(&r, MODELS));
		for (size_t k = 0; k < SIZES; k++)
			x->sizes[k] = 1 + (int64_t)rng_below(&r, 8192);
		x->index = (int64_t)rng_below(&r, 3);
	}
}

static void print_rule(struct buf *out, const struct row *x)
{
	buf_print(out,
		  "{\"op\": \"%s\", \"device\": \"nvidia\", \"device_name\": \"%s\", \"dtype\": "
		  "\"float16\", \"match\": {\"m\": %lld, \"n\": %lld, \"k\": %lld}, "
		  "\"implementation_index\": %lld, \"time_us\": 6.25}",
		  x->op, x->model, (long long)x->sizes[0], (long long)x->sizes[1],
		  (long long)x->sizes[2], (long long)x->index);
}

static void print_result(struct buf *out, const struct row *x)
{
	buf_print(out,
		  "{\"operator\":\"%s\",\"problem_values\":{\"dims\":{\"m\":%lld,\"n\":%lld,\"k\":%"
		  "lld},"
		  "\"dtypes\":{\"T\":\"f16\"}},\"device_kind\":\"cuda\",\"device_model\":\"%s\","
		  "\"cache_policy\":\"cold\",\"implementation\":\"tiled\",\"implementation_index\":"
		  "%lld,"
		  "\"config\":{\"BLOCK\":128},\"median_ns\":6250}",
		  x->op, (long long)x->sizes[0], (long long)x->sizes[1], (long long)x->sizes[2],
		  x->model, (long long)x->index);
}

struct format {
	const char *name, *format, *list;
	void (*print)(struct buf *out, const struct row *x);
};

static const struct format formats[] = {
	{"rules", "asctune-infiniops-rules", "rules", print_rule},
	{"results", "asctune-best", "configurations", print_result},
};

static char *write_table(const char *folder, const struct format *f)
{
	char *path = path_join(folder, f->name);
	struct buf text = {0};

	buf_print(&text, "{\"format\": \"%s\", \"version\": 1, \"%s\": [\n", f->format, f->list);
	for (size_t i = 0; i < n_rows; i++) {
		buf_add_str(&text, i ? ",\n" : "");
		f->print(&text, &rows[i]);
	}
	buf_add_str(&text, "]}\n");
	if (!path || file_write(path, text.data, text.len, &e))
		exit(2);
	buf_fini(&text);
	return path;
}

/* ---- questions ---- */

struct asked { /* a question with what it refers to */
	struct asctune_size sizes[SIZES];
	struct asctune_question question;
};

static void set_question(struct asked *a, const struct row *x)
{
	for (size_t i = 0; i < SIZES; i++)
		a->sizes[i] = (struct asctune_size){names[i], x->sizes[i]};
	a->question = (struct asctune_question){x->op,    "nvidia", x->model, &type, 1,
						a->sizes, SIZES,    active,   3};
}

/* A row's question; every second one is of sizes that no row has. */
static void draw_question(struct asked *a, struct rng *r, bool *known)
{
	set_question(a, &rows[rng_below(r, n_rows)]);
	*known = rng_below(r, 2);
	if (!*known)
		a->sizes[0].value += 10000;
}

static void report(const char *what, double have, double limit, bool at_least, const char *unit)
{
	const bool met = at_least ? have >= limit : have <= limit;

	printf("%-52s %10.4g %-3s %s %g%s\n", what, have, unit, at_least ? "at least" : "at most",
	       limit, met ? "" : "   MISSED");
	missed |= !met;
}

static double time_repeated(struct asctune_table *t, const struct asked *a)
{
	struct asctune_answer answer;
	double best = 1e18;

	for (int k = 0; k < BEST_OF; k++) {
		const int64_t start = clock_now_ns();

		for (int i = 0; i < QUESTIONS; i++)
			(void)asctune_ask(t, &a->question, &answer);
		const double each = (double)(clock_now_ns() - start) / QUESTIONS;
		best = each < best ? each : best;
	}
	return best;
}

static int compare_times(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* 99th percentile over questions that were not asked before, ns. */
static double time_new(struct asctune_table *t, bool nearest)
{
	static int64_t times[QUESTIONS];
	struct asctune_answer answer;
	struct rng r;
	struct asked a;
	bool known;

	rng_init(&r, 3);
	for (int i = 0; i < QUESTIONS; i++) {
		draw_question(&a, &r, &known);
		const int64_t start = clock_now_ns();
		const enum asctune_found found = asctune_ask(t, &a.question, &answer);

		times[i] = clock_now_ns() - start;
		if ((found == ASCTUNE_EXACT) != known ||
		    (found == ASCTUNE_NEAREST) != (!known && nearest))
			exit(2);
	}
	qsort(times, QUESTIONS, sizeof *times, compare_times);
	return (double)times[QUESTIONS / 100 * 99];
}

/* ---- SQLite ---- */

static void check(int code, sqlite3 *d)
{
	if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	fprintf(stderr, "%s\n", sqlite3_errmsg(d));
	exit(2);
}

static void bind_row(sqlite3_stmt *s, const struct row *x)
{
	sqlite3_bind_text(s, 1, x->op, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, x->model, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, "f16", -1, SQLITE_STATIC);
	for (int k = 0; k < SIZES; k++)
		sqlite3_bind_int64(s, 4 + k, x->sizes[k]);
}

static sqlite3 *make_db(void)
{
	sqlite3_stmt *s;
	sqlite3 *d;

	check(sqlite3_open(":memory:", &d), d);
	check(sqlite3_exec(d,
			   "CREATE TABLE best(op TEXT, model TEXT, type TEXT, m INT, n INT, k INT,"
			   " idx INT, PRIMARY KEY(op, model, type, m, n, k)) WITHOUT ROWID; BEGIN",
			   NULL, NULL, NULL),
	      d);
	check(sqlite3_prepare_v2(d, "INSERT OR IGNORE INTO best VALUES(?,?,?,?,?,?,?)", -1, &s,
				 NULL),
	      d);
	for (size_t i = 0; i < n_rows; i++) {
		bind_row(s, &rows[i]);
		sqlite3_bind_int64(s, 7, rows[i].index);
		check(sqlite3_step(s), d);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	check(sqlite3_exec(d, "COMMIT", NULL, NULL, NULL), d);
	return d;
}

/* The same question again, ns. */
static double time_sqlite(void)
{
	sqlite3 *d = make_db();
	sqlite3_stmt *s;
	double best = 1e18;

	check(sqlite3_prepare_v2(d,
				 "SELECT idx FROM best WHERE op = ? AND model = ? AND type = ? AND "
				 "m = ? AND n = ? AND k = ?",
				 -1, &s, NULL),
	      d);
	for (int k = 0; k < BEST_OF; k++) {
		const int64_t start = clock_now_ns();

		for (int i = 0; i < QUESTIONS / 10; i++) {
			bind_row(s, &rows[0]);
			if (sqlite3_step(s) != SQLITE_ROW ||
			    sqlite3_column_int64(s, 0) != rows[0].index)
				exit(2);
			sqlite3_reset(s);
		}
		const double each = (double)(clock_now_ns() - start) / (QUESTIONS / 10.0);
		best = each < best ? each : best;
	}
	sqlite3_finalize(s);
	sqlite3_close(d);
	return best;
}

/* ---- threads ---- */

struct asker {
	struct asctune_table *table;
	const struct asked *asked;
};

static void *ask_many(void *user)
{
	const struct asker *a = user;
	struct asctune_answer answer;

	for (int i = 0; i < 10 * QUESTIONS; i++)
		(void)asctune_ask(a->table, &a->asked->question, &answer);
	return NULL;
}

/* Questions a second of n threads. */
static double rate(struct asctune_table *t, const struct asked *a, int n)
{
	struct asker asker = {t, a};
	pthread_t list[2];
	const int64_t start = clock_now_ns();

	for (int i = 0; i < n; i++)
		if (pthread_create(&list[i], NULL, ask_many, &asker) != 0)
			exit(2);
	for (int i = 0; i < n; i++)
		(void)pthread_join(list[i], NULL);
	return n * 10.0 * QUESTIONS / (double)(clock_now_ns() - start);
}

static double find_speedup(struct asctune_table *t, const struct asked *a)
{
	double best = 0;

	for (int k = 0; k < BEST_OF; k++) {
		const double one = rate(t, a, 1), ratio = rate(t, a, 2) / one;

		best = ratio > best ? ratio : best;
	}
	return best;
}

/* ---- all figures ---- */

static double processor_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Opens a table several times; *ms is the least processor time. */
static struct asctune_table *open_table(const char *path, double *ms)
{
	struct asctune_table *t = NULL;
	char error[256];

	*ms = 1e18;
	for (int i = 0; i < OPENINGS; i++) {
		asctune_close(t);
		const double start = processor_ms();

		if (asctune_open(path, ASCTUNE_KEEP, &t, error, sizeof error)) {
			fprintf(stderr, "%s\n", error);
			exit(2);
		}
		const double own = processor_ms() - start;

		*ms = own < *ms ? own : *ms;
	}
	return t;
}

/* The least processor time of the parser alone, which is given one row after the other: opening
 * takes no less. */
static double time_parser(const char *path)
{
	struct buf text = {0};
	double best = 1e18;

	if (file_read(path, 0, &text, &e))
		exit(2);
	for (int i = 0; i < OPENINGS; i++) {
		const double start = processor_ms();
		const char *row = strchr(buf_str(&text), '\n') + 1;

		for (const char *end; *row == '{'; row = end + 1) {
			end = strchr(row, '\n');
			cJSON_Delete(cJSON_ParseWithLength(row, (size_t)(end - row)));
		}
		const double own = processor_ms() - start;

		best = own < best ? own : best;
	}
	buf_fini(&text);
	return best;
}

static void measure(const char *folder, const struct format *f, double sqlite)
{
	char *path = write_table(folder, f), text[100];
	double open_ms;
	struct asctune_table *t = open_table(path, &open_ms);
	struct asked known, other;
	const bool nearest = strcmp(f->name, "results") == 0;

	printf("%s: %zu rows\n", f->name, n_rows);
	report("  opening, processor time", open_ms, 100, false, "ms");
	printf("%-52s %10.4g ms\n", "  of which the JSON library alone", time_parser(path));
	const long before = allocations;
	set_question(&known, &rows[0]);
	other = known;
	other.question.sizes = other.sizes;
	other.sizes[0].value += 10000;
	const double repeated = time_repeated(t, &known);
	report("  a question again, exact", repeated, 200, false, "ns");
	(void)snprintf(text, sizeof text, "  a question again, %s",
		       nearest ? "nearest" : "not set");
	report(text, time_repeated(t, &other), 200, false, "ns");
	report("  a new question, 99th percentile", time_new(t, nearest), 5000, false, "ns");
	report("  beside a prepared statement of SQLite", sqlite / repeated, 10, true, "x");
	report("  allocations of all questions", (double)(allocations - before), 0, false, "");
	report("  two threads, beside one", find_speedup(t, &known), 1.6, true, "x");
	asctune_close(t);
	free(path);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	make_rows((size_t)strtoull(argv[2], NULL, 10));
	if (n_rows == 0)
		return 2;
	const double sqlite = time_sqlite();

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		measure(argv[1], &formats[i], sqlite);
	free(rows);
	return missed;
}
