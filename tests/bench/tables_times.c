/* How long values by table take beside formulas that say the same: `tables_times ROWS`; see
 * tests/bench/value_tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

/* The limit is that of the requirement: 10,000 rows in 20 ms. */
enum { REPEATS = 9, PROBLEMS = 4, SIDE_A = 25, SIDE_B = 20, LIMIT_MS = 20 };

struct times { /* ms */
	double open, bind, space;
	double valid; /* configurations */
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const struct asc_err *e)
{
	fprintf(stderr, "tables_times: %s\n", e->text);
	exit(EXIT_FAILURE);
}

/* ---- the workload, in two forms of the same values ---- */

static void print_list(struct buf *out, const char *name, size_t n)
{
	buf_print(out, "\"%s\": [", name);
	for (size_t i = 0; i < n; i++)
		buf_print(out, "%s%zu", i ? ", " : "", i + 1);
	buf_add_str(out, "]");
}

/* Prints a table over all combinations; `value` of problem p and its parameters. */
static void print_table(struct buf *out, const char *name, size_t side_c, const char *end,
			size_t (*value)(size_t p, size_t a, size_t b, size_t c), bool truth)
{
	const char *comma = "";

	buf_print(out, "\"%s\": {\"by\": [\"problem\", \"A\", \"B\", \"C\"], \"rows\": [", name);
	for (size_t p = 0; p < PROBLEMS; p++)
		for (size_t i = 0; i < side_c * SIDE_A * SIDE_B; i++) {
			const size_t a = i / SIDE_B / side_c + 1, b = i / side_c % SIDE_B + 1;
			const size_t c = i % side_c + 1, v = value(p, a, b, c);

			buf_print(out, "%s[\"p%zu\",%zu,%zu,%zu,", comma, p, a, b, c);
			if (truth)
				buf_add_str(out, v ? "true]" : "false]");
			else
				buf_print(out, "%zu]", v);
			comma = ",";
		}
	buf_print(out, "]%s}", end);
}

static size_t grid_of(size_t p, size_t a, size_t b, size_t c)
{
	return (4096 * (p + 1) + a * b - 1) / (a * b) * c;
}

static size_t constant_of(size_t p, size_t a, size_t b, size_t c)
{
	return a * 3 + b * c + p;
}

static size_t listed_of(size_t p, size_t a, size_t b, size_t c)
{
	return (a * 7 + b * 5 + c * 3 + p) % 4 != 0;
}

static void print_workload(struct buf *out, size_t side_c, bool tables)
{
	buf_add_str(out, "{\"asctune\": 1, \"name\": \"t\", \"problems\": [");
	for (size_t p = 0; p < PROBLEMS; p++)
		buf_print(out, "%s{\"name\": \"p%zu\", \"dims\": {\"P\": %zu, \"N\": %zu}}",
			  p ? ", " : "", p, p, 4096 * (p + 1));
	buf_add_str(out, "], \"tensors\": {\"x\": {\"shape\": [\"N\"], \"dtype\": \"f32\", "
			 "\"role\": \"out\", \"verify\": {\"kind\": \"exact\"}}}, \"reference\": "
			 "{\"source\": \"axpy/reference.c\", \"entry\": \"f\", \"arguments\": "
			 "[{\"tensor\": \"x\"}]}, \"implementations\": [{\"name\": \"k\", "
			 "\"source\": \"axpy/kernel.c\", \"entry\": \"k\", \"parameters\": {");
	print_list(out, "A", SIDE_A);
	buf_add_str(out, ", ");
	print_list(out, "B", SIDE_B);
	buf_add_str(out, ", ");
	print_list(out, "C", side_c);
	if (tables) {
		buf_add_str(out, "}, \"tables\": {");
		print_table(out, "blocks", side_c, "", grid_of, false);
		buf_add_str(out, ", ");
		print_table(out, "width", side_c, "", constant_of, false);
		buf_add_str(out, ", ");
		print_table(out, "listed", side_c, "", listed_of, true);
		buf_add_str(out, "}, \"constraints\": [\"listed\"], \"launch\": {\"grid\": "
				 "[\"blocks\"]}, \"constants\": {\"WIDTH\": {\"table\": "
				 "\"width\"}}");
	} else {
		buf_add_str(out, "}, \"constraints\": [\"(A * 7 + B * 5 + C * 3 + P) % 4 != 0\"], "
				 "\"launch\": {\"grid\": [\"ceil_div(N, A * B) * C\"]}, "
				 "\"constants\": {\"WIDTH\": \"A * 3 + B * C + P\"}");
	}
	buf_add_str(out, ", \"arguments\": [{\"tensor\": \"x\"}]}]}");
}

/* ---- times ---- */

static void least(double *to, double ms)
{
	*to = fmin(*to, ms);
}

static struct times measure(size_t side_c, bool tables)
{
	static const struct facts none;
	struct times t = {INFINITY, INFINITY, INFINITY, 0};
	struct buf text = {0};
	struct asc_err e;

	print_workload(&text, side_c, tables);
	for (int i = 0; i < REPEATS; i++) {
		struct workload *w;
		struct binding b;
		struct space *s;
		double start = now_ms();

		if (workload_open_text(TEST_DATA "/cli/workloads/axpy.json", buf_str(&text),
				       text.len, &w, &e))
			die(&e);
		least(&t.open, now_ms() - start);
		start = now_ms();
		if (binding_init(&b, w, &w->problems[PROBLEMS - 1], "cpu", &none, &e))
			die(&e);
		least(&t.bind, now_ms() - start);
		start = now_ms();
		if (binding_space(&b, w->implementations, &s, &e))
			die(&e);
		least(&t.space, now_ms() - start);
		t.valid = (double)space_count(s);
		space_free(s);
		binding_fini(&b);
		workload_close(w);
	}
	buf_fini(&text);
	return t;
}

static void print(const char *name, const struct times *t)
{
	printf("%-10s %9.2f %9.2f %9.2f %9.0f\n", name, t->open, t->bind, t->space, t->valid);
}

int main(int argc, char **argv)
{
	const size_t side_c = (argc > 1 ? strtoul(argv[1], NULL, 10) : 10000) / SIDE_A / SIDE_B;

	if (side_c < 1)
		return EXIT_FAILURE;
	const struct times tables = measure(side_c, true), formulas = measure(side_c, false);

	printf("%zu rows of each of three tables for each of %d problems; ms\n",
	       side_c * SIDE_A * SIDE_B, PROBLEMS);
	printf("%-10s %9s %9s %9s %9s\n", "", "open", "bind", "space", "valid");
	print("tables", &tables);
	print("formulas", &formulas);
	printf("binding and building by table: %.2f ms, at most %d\n", tables.bind + tables.space,
	       LIMIT_MS);
	return tables.valid == formulas.valid && tables.bind + tables.space <= LIMIT_MS
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
