/* Verdict tables of a workload's kernel: columns and cells of a configuration, several SoCs.
 * covers: binding_verdicts.c */
#include "tuner/workload/binding/binding_verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/verdict_table.h"

static struct asc_err e;
static char *folder, *path;
static struct workload *rows;
static struct limits limits;

static const struct verdict_compilers compilers = {"triton-ascend 3.2.0",
						   "bishengir-compile 1.2.0"};

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

/* Cells by hand: 64 rows of 1000 are whole in 1024 columns, 2^32 rows are no 32-bit number, nor is
 * half of them, the number of blocks. PROGRAMS is of the launch and no column. */
static void test_cells(void)
{
	struct verdict_table *t = NULL;
	struct buf text = {0};
	size_t kept = 0;

	if (!tap_int(binding_verdicts_begin(rows, rows->implementations, 0, &compilers, path, &t,
					    &kept, &e),
		     ASC_OK, "a table where there is no file"))
		return;
	tap_int(kept, 0, "nothing is kept");
	add(t, "short", "Ascend910B3", 1024, &fits);
	add(t, "long", "Ascend910B3", 4096, &refused);
	add(t, "huge", "Ascend910B3", 256, &fits);
	tap_int(verdict_table_write(t, path, &e), ASC_OK, "written");
	verdict_table_free(t);
	tap_ok(file_read(path, 0, &text, &e) == ASC_OK, "read");
	const char *body = strstr(buf_str(&text), "# triton: ");

	tap_ok(strncmp(buf_str(&text),
		       "# asctune verdicts 1\n# kernel: rows.py rows\n# source: ", 54) == 0,
	       "kernel");
	tap_str(body ? body : "",
		"# triton: triton-ascend 3.2.0\n# planner: bishengir-compile 1.2.0\n# rows: 3\n"
		"target,T,arguments,BLOCK_M,BLOCK_N,ORDER,WHOLE,KIND,BIAS,WALK,verdict,space,ub,"
		"l1,l0c,retries\n"
		"Ascend910B3,f16,*f16 *f16 i64 i32 f32 i1 i64,2,256,0,false,f16,null,true,fits,,"
		"16384,,,0\n"
		"Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,2,1024,0,true,f32,null,true,fits,,"
		"16384,,,0\n"
		"Ascend910B3,f32,*f32 *f32 i32 i32 f32 i1 i32,2,4096,0,false,f32,null,true,refused,"
		"ub,,,,\n",
		"cells");
	buf_fini(&text);
}

static size_t rows_kept(const struct verdict_compilers *c)
{
	struct verdict_table *t = NULL;
	size_t kept = 0;

	if (tap_int(binding_verdicts_begin(rows, rows->implementations, 0, c, path, &t, &kept, &e),
		    ASC_OK, "a table beside the one that is there"))
		tap_int(verdict_table_rows(t), kept, "all that it has was kept");
	verdict_table_free(t);
	return kept;
}

static void test_kept(void)
{
	const struct verdict_compilers other = {"triton-ascend 3.2.0", "bishengir-compile 1.3.0"};
	struct verdict_table *t = NULL;
	size_t kept = 0;

	tap_int(rows_kept(&compilers), 3, "the same compilers");
	tap_int(rows_kept(&other), 0, "another planner");
	tap_int(binding_verdicts_begin(rows, rows->implementations, 0, &compilers, path, &t, &kept,
				       &e),
		ASC_OK, "another SoC");
	add(t, "short", "Ascend950PR_9579", 1024, &fits);
	tap_int(verdict_table_rows(t), 4, "beside the first");
	verdict_table_free(t);
	tap_ok(file_write(path, "mine", 4, &e) == ASC_OK, "a file that is no table");
	tap_int(binding_verdicts_begin(rows, rows->implementations, 0, &compilers, path, &t, &kept,
				       &e),
		ASC_INPUT, "is not overwritten");
	tap_has(e.text, path, "the line names it");
}

int main(void)
{
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
	dir_remove(folder);
	free(path);
	free(folder);
	return tap_done();
}
