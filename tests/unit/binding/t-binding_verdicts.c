/* Verdict tables of a workload's kernel: columns and cells of a configuration, several SoCs.
 * covers: binding_verdicts.c verdict_cells.c verdict_view.c */
#include "tuner/workload/binding/binding_verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/space/space.h"

static struct asc_err e;
static char *folder, *path;
static char *file; /* of the workload with a table */
static struct workload *rows;
static struct limits limits;

static const char planner[] = "triton-ascend 3.2.0, bishengir-compile 1.2.0";
static const char later[] = "triton-ascend 3.2.0, bishengir-compile 1.3.0";

static bool bind(const char *problem, const char *soc, struct binding *b)
{
	const bool ok = limits_find(soc, &limits) &&
			binding_init(b, rows, workload_find_problem(rows, problem), "npu",
				     &limits.facts, &e) == ASC_OK;

	b->limits = &limits;
	return tap_ok(ok, "%s on %s", problem, soc);
}

/* ---- writing ---- */

static void add(struct verdict_table *t, const char *problem, const char *soc, int64_t block_n,
		const struct verdict_row *row)
{
	const struct config c = {4,
				 {value_int(2), value_int(block_n), value_int(0), value_int(20)}};
	struct binding b;

	if (!bind(problem, soc, &b))
		return;
	if (!tap_int(binding_verdicts_add(t, &b, rows->implementations, 0, &c, row, &e), ASC_OK,
		     "%s, BLOCK_N=%lld", problem, (long long)block_n))
		tap_note("%s", e.text);
	binding_fini(&b);
}

static const struct verdict_row fits = {ROW_FITS, "", 16384, -1, -1, 0};
static const struct verdict_row refused = {ROW_REFUSED, "ub", -1, -1, -1, -1};

/* Cells by hand: rows of 1000 are whole in 1024 columns, and 2^32 is no 32-bit number. PROGRAMS is
 * of the launch and no column. */
static struct verdict_table *begin(const char *target, const char *versions)
{
	const struct verdict_target of = {target, versions};
	struct verdict_table *t = NULL;

	if (!tap_int(binding_verdicts_begin(rows, rows->implementations, 0, &of, path, &t, &e),
		     ASC_OK, "a table for %s by %s", target, versions))
		tap_note("%s", e.text);
	return t;
}

static void test_cells(void)
{
	struct buf text = {0};
	struct verdict_table *t = begin("Ascend910B3", planner);

	tap_int(verdict_table_rows(t), 0, "nothing is kept where there is no file");
	add(t, "short", "Ascend910B3", 1024, &fits);
	add(t, "long", "Ascend910B3", 4096, &refused);
	add(t, "huge", "Ascend910B3", 256, &fits);
	tap_int(verdict_table_write(t, path, &e), ASC_OK, "written");
	verdict_table_free(t);
	tap_ok(file_read(path, 0, &text, &e) == ASC_OK, "read");
	const char *body = strstr(buf_str(&text), "# planner: ");

	tap_ok(strncmp(buf_str(&text),
		       "# asctune verdicts 1\n# kernel: rows.py rows\n# source: ", 54) == 0,
	       "kernel");
	tap_str(body ? body : "",
		"# planner: Ascend910B3: triton-ascend 3.2.0, bishengir-compile 1.2.0\n# rows: 3\n"
		"target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,WALK,verdict,space,ub,"
		"l1,l0c,retries\n"
		"Ascend910B3,f16,*f16 *f16 i64 i32 f32 i1 i32,2,256,0,false,f16,null,true,fits,,"
		"16384,,,0\n"
		"Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,2,1024,0,true,f32,null,true,fits,,"
		"16384,,,0\n"
		"Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,2,4096,0,false,f32,null,true,refused,"
		"ub,,,,\n",
		"cells");
	buf_fini(&text);
}

static size_t rows_kept(const char *target, const char *versions)
{
	struct verdict_table *t = begin(target, versions);
	const size_t kept = verdict_table_rows(t);

	verdict_table_free(t);
	return kept;
}

static void test_kept(void)
{
	const struct verdict_target first = {"Ascend910B3", planner};
	struct verdict_table *t;

	tap_int(rows_kept("Ascend910B3", planner), 3, "the same compilers");
	tap_int(rows_kept("Ascend910B3", later), 0, "others");
	t = begin("Ascend950PR_9579", later);
	add(t, "short", "Ascend950PR_9579", 1024, &fits);
	tap_int(verdict_table_rows(t), 4, "another SoC beside the first");
	tap_int(verdict_table_write(t, path, &e), ASC_OK, "written");
	verdict_table_free(t);
	tap_int(rows_kept("Ascend950PR_9579", planner), 3, "those of the other SoC are kept");
	tap_ok(file_write(path, "mine", 4, &e) == ASC_OK, "a file that is no table");
	tap_int(binding_verdicts_begin(rows, rows->implementations, 0, &first, path, &t, &e),
		ASC_INPUT, "is not overwritten");
	tap_has(e.text, path, "the line names it");
}

/* ---- using ---- */

static char said[2048]; /* warnings since the last try */

static void hear(void *user, enum log_level level, const char *text)
{
	(void)user;
	if (level == LOG_WARN)
		(void)snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

/* Writes the workload of the tests with a table to the folder, and its kernel. */
static char *copy_workload(void)
{
	struct buf text = {0}, out = {0};
	static const char entry[] = "\"entry\": \"rows\",";
	char *to = path_join(folder, "rows.json"), *kernel = path_join(folder, "rows.py");
	char *reference = path_join(folder, "reference.c");

	tap_ok(to && kernel && reference &&
		       file_read(TEST_DATA "/limits/table/rows.json", 0, &text, &e) == ASC_OK,
	       "the workload's text");
	const char *at = strstr(buf_str(&text), entry);

	buf_add(&out, text.data, at ? (size_t)(at - text.data) : 0);
	buf_print(&out, "\"verdicts\": \"t.csv\", %s", at ? at : "");
	tap_ok(file_write(to, out.data, out.len, &e) == ASC_OK &&
		       file_write(kernel, "a kernel\n", 9, &e) == ASC_OK &&
		       file_write(reference, "\n", 1, &e) == ASC_OK,
	       "a workload with a table");
	buf_fini(&text);
	buf_fini(&out);
	free(kernel);
	free(reference);
	return to;
}

/* XXH3-128 of the kernel's text as the sources' key, taken from a table that was written. */
static void digest_of_kernel(const struct workload *w, char digest[40])
{
	struct verdict_table *t = NULL;
	const struct verdict_target target = {"Ascend910B3", planner};

	digest[0] = '\0';
	if (tap_int(binding_verdicts_begin(w, w->implementations, 0, &target, NULL, &t, &e), ASC_OK,
		    "a table of the kernel"))
		(void)snprintf(digest, 40, "%s", verdict_table_heading(t)->digest);
	verdict_table_free(t);
}

#define COLUMNS                                                                                    \
	"target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,WALK,verdict,space,ub,l1,l0c,"   \
	"retries"
#define F32       "*f32 *f32 i32 i32 f32 i1 i32"
#define ROW(m, n) "Ascend910B3,f32," F32 "," #m "," #n ",0,true,f32,null,true,"

/* By hand: a whole row of f32 takes 8 BLOCK_M BLOCK_N of 196,608 B by the expression. So the first
 * three would fit, and the next two would not; BLOCK_M has no value 3; the last four are of longer
 * rows, other types, other arguments and another SoC. */
static const char *const table_rows[] = {
	ROW(1, 1024) "refused,ub,,,,",
	ROW(2, 1024) "refused,l0c,,,,",
	ROW(4, 1024) "unsupported,,,,,",
	ROW(4, 16384) "fits,,131072,,,0",
	ROW(2, 16384) "fits,,131072,,,2",
	ROW(3, 1024) "refused,ub,,,,",
	"Ascend910B3,f32," F32 ",4,4096,0,false,f32,null,true,refused,ub,,,,",
	"Ascend910B3,f16," F32 ",4,4096,0,true,f32,null,true,refused,ub,,,,",
	"Ascend910B3,f32,*f32,4,4096,0,true,f32,null,true,refused,ub,,,,",
	"Ascend950PR_9579,f32," F32 ",4,4096,0,true,f32,null,true,refused,ub,,,,",
	NULL};
static const char *const fits_row[] = {ROW(4, 16384) "fits,,,,,", NULL};
static const char *const other_row[] = {ROW(4, 1024) "fits,,,,,", NULL};
static const char *const no_rows[] = {NULL};
static const char *const turned_row[] = {
	"Ascend910B3,true,null,f32,true,0,1024,1," F32 ",f32,refused,ub,,,,", NULL};

static void write_table(const char *kernel, const char *digest, const char *targets,
			const char *columns, const char *const *all)
{
	struct buf text = {0};
	int n = 0;

	while (all[n])
		n++;
	buf_print(&text, "# asctune verdicts 1\n# kernel: %s\n# source: %s\n%s# rows: %d\n%s\n",
		  kernel, digest, targets, n, columns);
	for (int i = 0; i < n; i++)
		buf_print(&text, "%s\n", all[i]);
	tap_ok(!text.failed && file_write(path, text.data, text.len, &e) == ASC_OK, "a table");
	buf_fini(&text);
}

#define TARGETS                                                                                    \
	"# planner: Ascend910B3: triton-ascend 3.2.0, bishengir-compile 1.2.0\n"                   \
	"# planner: Ascend950PR_9579: triton-ascend 3.2.0, bishengir-compile-a5 1.2.0\n"

static bool has(const struct space *s, int64_t m, int64_t n, int64_t order, int64_t programs)
{
	const struct config c = {
		4, {value_int(m), value_int(n), value_int(order), value_int(programs)}};
	uint64_t index;

	return space_find(s, &c, &index);
}

/* Opens the workload for an SoC; *key is that of the space of a problem, *count its size. */
static struct space *open_space(const char *soc, const char *versions, struct workload **w)
{
	struct space *s = NULL;
	struct limits l;
	struct binding b = {0};

	*w = NULL;
	said[0] = '\0';
	if (!tap_ok(workload_open(file, w, &e) == ASC_OK && limits_find(soc, &l) &&
			    workload_use_verdicts(*w, &l, versions, &e) == ASC_OK &&
			    binding_init(&b, *w, (*w)->problems, "npu", &l.facts, &e) == ASC_OK,
		    "short rows on %s", soc)) {
		tap_note("%s", e.text);
		return NULL;
	}
	b.limits = &l;
	if (!tap_int(binding_space(&b, (*w)->implementations, &s, &e), ASC_OK, "its space"))
		tap_note("%s", e.text);
	binding_fini(&b);
	return s;
}

static void test_space(const char *digest)
{
	struct workload *w;

	write_table("rows.py rows", digest, TARGETS, COLUMNS, table_rows);
	struct space *s = open_space("Ascend910B3", planner, &w);

	tap_str(said, "", "no warning");
	if (s) {
		tap_ok(!has(s, 1, 1024, 0, 20), "refused in UB: left out");
		tap_ok(!has(s, 2, 1024, 0, 20), "refused in L0C: left out");
		tap_ok(!has(s, 4, 1024, 0, 20), "unsupported: left out");
		tap_ok(has(s, 4, 16384, 0, 20), "fits: stays, although the expression is above");
		tap_ok(has(s, 2, 16384, 0, 20), "fits without multibuffer: stays");
		tap_ok(has(s, 1, 1024, 1, 20), "no row for ORDER=1: the expression");
		tap_ok(!has(s, 4, 16384, 1, 20), "there, too");
		tap_ok(has(s, 1, 1024, 0, 0), "no row without WALK: the expression");
		tap_ok(has(s, 4, 4096, 0, 20), "rows of others: the expression");
	}
	space_free(s);
	workload_close(w);
}

static void test_effects(void)
{
	struct limit_effect *effects = NULL;
	struct workload *w;
	struct limits l;
	struct binding b = {0};
	struct buf text = {0};
	size_t n = 0;
	struct space *s = open_space("Ascend910B3", NULL, &w);

	space_free(s);
	if (!tap_ok(limits_find("Ascend910B3", &l) &&
			    binding_init(&b, w, w->problems, "npu", &l.facts, &e) == ASC_OK,
		    "bound"))
		return;
	b.limits = &l;
	tap_int(binding_limit_effects(&b, w->implementations, &effects, &n, &e), ASC_OK, "effects");
	for (size_t i = 0; i < n; i++)
		buf_print(&text, "%s: %d%s\n", effects[i].reason, (int)effects[i].configurations,
			  effects[i].warns ? ", stay" : "");
	/* The expression: 8 x 4 x 16384 with two of ORDER and of PROGRAMS each, less the row that
	 * says that one fits; the same for 2 rows. */
	tap_str(buf_str(&text),
		"ub of Ascend910B3, by t.csv: 1\nl0c of Ascend910B3, by t.csv: 1\n"
		"compiler of Ascend910B3, by t.csv: 1\nmemory.ub of Ascend910B3: 6\n"
		"multibuffer of Ascend910B3, by t.csv: 1, stay\n",
		"what each leaves out");
	buf_fini(&text);
	limit_effects_free(effects, n);
	binding_fini(&b);
	workload_close(w);
}

static enum asc_status take_key(void *user, const struct space_spec *spec, struct asc_err *out)
{
	return space_key(spec, user, out);
}

static void key_of(char key[HASH_TEXT_SIZE])
{
	struct workload *w;
	struct limits l;
	struct binding b = {0};

	key[0] = '\0';
	tap_ok(workload_open(file, &w, &e) == ASC_OK && limits_find("Ascend910B3", &l) &&
		       workload_use_verdicts(w, &l, NULL, &e) == ASC_OK &&
		       binding_init(&b, w, w->problems, "npu", &l.facts, &e) == ASC_OK,
	       "bound");
	b.limits = &l;
	tap_int(binding_visit_spec(&b, w->implementations, take_key, key, &e), ASC_OK, "a key");
	binding_fini(&b);
	workload_close(w);
}

/* One answer of the table is another one: so is the space's key. */
static void test_key(const char *digest)
{
	char key[HASH_TEXT_SIZE], again[HASH_TEXT_SIZE], other[HASH_TEXT_SIZE];

	write_table("rows.py rows", digest, TARGETS, COLUMNS, fits_row);
	key_of(key);
	key_of(again);
	tap_str(again, key, "the same table, the same key");
	write_table("rows.py rows", digest, TARGETS, COLUMNS, other_row);
	key_of(other);
	tap_ok(strcmp(key, other) != 0, "another row, another key");
	tap_str(said, "", "sound tables");
}

static const struct stale {
	const char *what, *kernel, *digest, *targets, *soc, *planner, *said;
} stale[] = {
	{"another text of the kernel", "rows.py rows", "00", TARGETS, "Ascend910B3", planner,
	 "t.csv: rows.py has changed since; it is not used: the expressions of \"memory\" "
	 "decide\n"},
	{"another planner", "rows.py rows", NULL, TARGETS, "Ascend910B3", later,
	 "t.csv: is of triton-ascend 3.2.0, bishengir-compile 1.2.0, and here is triton-ascend "
	 "3.2.0, bishengir-compile 1.3.0; it is not used: the expressions of \"memory\" decide\n"},
	{"another SoC", "rows.py rows", NULL, TARGETS, "Ascend910B4", NULL,
	 "t.csv: has no row for Ascend910B4, only for Ascend910B3, Ascend950PR_9579; it is not "
	 "used: the expressions of \"memory\" decide\n"},
	{"another kernel", "other.py rows", NULL, TARGETS, "Ascend910B3", planner,
	 "/t.csv: is of the kernel rows in other.py, not of rows in rows.py; it is not used: the "
	 "expressions of \"memory\" decide\n"},
	{"another function", "rows.py columns", NULL, TARGETS, "Ascend910B3", planner,
	 "/t.csv: is of the kernel columns in rows.py, not of rows in rows.py; it is not used"},
	{"a target that is none", "rows.py rows", NULL,
	 TARGETS "# planner: Ascend999: triton-ascend 3.2.0\n", "Ascend910B3", planner,
	 "/t.csv: has the target Ascend999, which is no SoC; it is not used"},
};

static void test_stale(const char *digest)
{
	struct workload *w;

	for (size_t i = 0; i < sizeof stale / sizeof *stale; i++) {
		const struct stale *x = &stale[i];

		write_table(x->kernel, x->digest ? x->digest : digest, x->targets, COLUMNS,
			    table_rows);
		struct space *s = open_space(x->soc, x->planner, &w);

		tap_has(said, x->said, "%s", x->what);
		tap_ok(strchr(said, '\n') == said + strlen(said) - 1, "%s: one line", x->what);
		tap_ok(s && has(s, 1, 1024, 0, 20) && !has(s, 4, 16384, 0, 20),
		       "%s: the expressions decide", x->what);
		space_free(s);
		workload_close(w);
	}
}

static void test_bad_columns(const char *digest)
{
	static const char lacks[] =
		"target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,verdict,space,ub,l1,l0c,"
		"retries";
	static const char more[] =
		"target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,WALK,STAGES,verdict,"
		"space,ub,l1,l0c,retries";
	static const char turned[] =
		"target,WALK,BIAS,KIND,WHOLE,ORDER,BLOCK_N,BLOCK_M,arguments,T,verdict,space,ub,l1,"
		"l0c,retries";
	struct workload *w;

	write_table("rows.py rows", digest, TARGETS, lacks, no_rows);
	space_free(open_space("Ascend910B3", planner, &w));
	tap_has(said, "/t.csv: lacks a column WALK; it is not used", "a column is missing");
	tap_int(workload_check_verdicts(w, w->implementations, 0, &e), ASC_INPUT, "it is refused");
	tap_has(e.text, "implementations[0].verdicts", "with its key");
	tap_has(e.text, "lacks a column WALK", "and why");
	workload_close(w);
	write_table("rows.py rows", digest, TARGETS, more, no_rows);
	space_free(open_space("Ascend910B3", planner, &w));
	tap_has(said,
		"/t.csv: has a column STAGES, which is no type, parameter or constant of the "
		"kernel; it is not used",
		"a column too many");
	workload_close(w);
	write_table("rows.py rows", digest, TARGETS, turned, turned_row);
	struct space *s = open_space("Ascend910B3", planner, &w);
	tap_str(said, "", "columns in another order");
	tap_ok(s && !has(s, 1, 1024, 0, 20) && has(s, 2, 1024, 0, 20), "mean the same");
	tap_int(workload_check_verdicts(w, w->implementations, 0, &e), ASC_OK, "it is sound");
	space_free(s);
	workload_close(w);
}

static enum asc_status use_and_count(struct asc_err *out)
{
	struct workload *w = NULL;
	struct limits l;
	struct binding b = {0};
	struct space *s = NULL;
	char count[24];

	(void)limits_find("Ascend910B3", &l);
	enum asc_status status = workload_open(file, &w, out);
	if (status == ASC_OK)
		status = workload_use_verdicts(w, &l, planner, out);
	if (status == ASC_OK)
		status = binding_init(&b, w, w->problems, "npu", &l.facts, out);
	b.limits = &l;
	if (status == ASC_OK)
		status = binding_space(&b, w->implementations, &s, out);
	if (status == ASC_OK) {
		(void)snprintf(count, sizeof count, "%d", (int)space_count(s));
		nomem_give(count);
	}
	space_free(s);
	binding_fini(&b);
	workload_close(w);
	return status;
}

int main(void)
{
	char digest[40];

	if (!tap_ok(dir_make_scratch("verdicts", &folder, &e) == ASC_OK &&
			    (path = path_join(folder, "t.csv")) &&
			    workload_open(TEST_DATA "/limits/table/rows.json", &rows, &e) == ASC_OK,
		    "a workload")) {
		tap_note("%s", e.text);
		return tap_done();
	}
	test_cells();
	test_kept();
	workload_close(rows);

	struct workload *w = NULL;

	log_set_sink(hear, NULL);
	file = copy_workload();
	if (tap_ok(file && workload_open(file, &w, &e) == ASC_OK, "a workload with a table")) {
		digest_of_kernel(w, digest);
		workload_close(w);
		test_space(digest);
		test_effects();
		test_key(digest);
		test_stale(digest);
		test_bad_columns(digest);
		write_table("rows.py rows", digest, TARGETS, COLUMNS, table_rows);
		nomem_exhaust("a space by a table", use_and_count);
	} else {
		tap_note("%s", e.text);
	}
	dir_remove(folder);
	free(file);
	free(path);
	free(folder);
	return tap_done();
}
