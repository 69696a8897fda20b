/* covers: triton.c triton_python.c verdict.c
 * Triton kernels planned for NPUs: verdicts of the real compilers beside those that
 * tests/limits/planner has on record, what a plan says, and what is no verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/pool_build.h"
#include "tuner/build/triton_python.h"
#include "tuner/build/verdict.h"
#include "tuner/process/sandbox.h"

static struct pool *pool;

static bool reopen(void)
{
	struct asc_err e = {0};

	pool_close(pool);
	return tap_int(pool_open(in_folder(""), 2, INT64_C(120000000000), &pool, &e), ASC_OK,
		       "there is a pool: %s", e.text);
}

/* Asks; false without an answer. */
static bool ask(struct build_request *r, struct verdict *out)
{
	struct asc_err e = {0};
	struct pool_done done;

	if (!tap_int(pool_submit(pool, 1, &builder_triton_npu, r, &e), ASC_OK, "it is asked: %s",
		     e.text) ||
	    !pool_take(pool, -1, &done))
		return false;
	verdict_take(&done, out);
	pool_done_fini(&done);
	return true;
}

/* ---- recorded rows ---- */

/* Arguments of the shipped kernels: T a tensor of the row's type, i an i32, l an i64, f a float. */
static const struct {
	const char *kernel, *arguments;
} kernels[] = {{"sdpa", "TTTTiifi"},        {"gemm", "TTTiiii"},      {"gated_mlp", "TTTTiiii"},
	       {"rms_norm", "TTTllllllfl"}, {"softmax", "TTlllllll"}, {"geglu", "TTTllllll"}};

static void begin(struct build_request *r, size_t kernel, const char *model, enum dtype type,
		  int64_t size)
{
	const char *name = kernels[kernel].kernel;
	char path[512];

	(void)snprintf(path, sizeof path, "%s/../workloads/%s/kernel.py", TEST_DATA, name);
	build_request_init(r, path, name, model, "/proc/self/exe");
	for (const char *a = kernels[kernel].arguments; *a; a++) {
		struct build_argument argument = {.kind = BUILD_SCALAR, .number = size};

		argument.type = *a == 'i' ? DTYPE_I32 : *a == 'l' ? DTYPE_I64 : DTYPE_F32;
		if (*a == 'T')
			argument = (struct build_argument){.kind = BUILD_TENSOR, .type = type};
		build_request_add(r, &argument);
	}
}

/* Splits a line of CSV in place; returns the number of its fields. */
static size_t split(char *line, char **fields, size_t most)
{
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *at = line; at && n < most; n++) {
		fields[n] = at;
		at = strchr(at, ',');
		if (at)
			*at++ = '\0';
	}
	return n;
}

static const char *truth(const char *name, const char *value)
{
	static const char *const names[] = {
		"WHOLE",   "WALK",      "CAUSAL", "TAIL",        "EVEN_K",
		"REVERSE", "FULL_HEAD", "FLAT",   "multibuffer", "enable_auto_bind_sub_block",
		NULL};

	return !str_is_in(name, names) ? value : *value == '1' ? "true" : "false";
}

/* Holds one row to the compiler. */
static void check_row(size_t kernel, char **names, char **fields, size_t n)
{
	const char *model = strcmp(fields[0], "950") == 0 ? "Ascend950PR_9579" : "Ascend910B3";
	struct verdict v = {0};
	struct build_request r;
	enum dtype type = DTYPE_F32;
	const char *wanted = "";

	(void)dtype_parse(fields[1], &type);
	begin(&r, kernel, model, type, 1000);
	for (size_t i = 2; i < n; i++)
		if (strcmp(names[i], "verdict") == 0)
			wanted = fields[i];
		else
			build_request_define(&r, names[i], truth(names[i], fields[i]));
	if (!ask(&r, &v))
		return;
	static const struct {
		const char *verdict;
		enum verdict_space space;
	} spaces[] = {{"ub_overflow", VERDICT_UB},
		      {"cbuf_overflow", VERDICT_L1},
		      {"cc_overflow", VERDICT_L0C}};
	enum verdict_space space = VERDICT_SPACES;

	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (strcmp(spaces[i].verdict, wanted) == 0)
			space = spaces[i].space;
	const enum verdict_kind kind = strcmp(wanted, "fits") == 0 ? VERDICT_FITS : VERDICT_REFUSED;

	tap_ok(v.kind == kind && v.space == space, "%s %s %s: %s, as recorded (%s)",
	       kernels[kernel].kernel, fields[0], fields[1], verdict_name(v.kind),
	       v.reason ? v.reason : "it fits");
	if (kind == VERDICT_REFUSED)
		tap_ok(v.reason && strstr(v.reason, " overflow, requires ") &&
			       strstr(v.reason, ", kernel.py:"),
		       "the reason has the compiler's words and the kernel's place");
	verdict_fini(&v);
}

/* Every STEP-th row, so that each kernel, model and verdict is among them. */
static void check_rows(size_t kernel)
{
	enum { MOST = 32, STEP = 307 };
	char path[512], head[1000], line[1000], *names[MOST], *fields[MOST];

	(void)snprintf(path, sizeof path, "%s/limits/planner/%s.csv", TEST_DATA,
		       kernels[kernel].kernel);
	FILE *f = fopen(path, "r");
	if (!tap_ok(f && fgets(head, sizeof head, f), "%s is there", path))
		return;
	const size_t n = split(head, names, MOST);

	for (size_t at = 0; fgets(line, sizeof line, f); at++)
		if (at % STEP == STEP / 2 && split(line, fields, MOST) == n)
			check_row(kernel, names, fields, n);
	fclose(f);
}

int main(void)
{
	char reason[600];
	struct asc_err e;

	if (!builder_is_usable(&builder_triton_npu, reason, sizeof reason)) {
		tap_skip("%s", reason);
		return tap_done();
	}
	/* Kernels import what they share from there. */
	if (!tap_int(sandbox_grant(TEST_DATA "/../workloads", false, &e), ASC_OK,
		     "workloads are read"))
		return tap_done();
	if (!folder_init("triton_npu") || !reopen())
		return tap_done();
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		check_rows(k);
	pool_close(pool);
	folder_fini();
	return tap_done();
}
