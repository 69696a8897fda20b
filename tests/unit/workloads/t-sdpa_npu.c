/* sdpa on Ascend NPUs: the least memory that the workload states for its Triton kernel, beside the
 * verdicts of the real memory planner (limits/sdpa_verdicts.csv), and its rewrites on a model.
 * covers: workloads/sdpa.json memory_plan.c */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

static struct workload *sdpa;
static struct asc_err e;

/* ---- verdicts ---- */

/* One model and element type: of the space without constraints and rewrites, what the planner
 * accepts, and what it refuses. */
struct group {
	char target[32], dtype[8];
	struct limits limits;
	struct binding binding;
	struct space *space;
	int accepted, lost, refused, foreseen;
};

static const char *problem_of(const char *dtype)
{
	return strcmp(dtype, "f32") == 0   ? "tiny-causal"
	       : strcmp(dtype, "f16") == 0 ? "bert-384-f16"
					   : "bert-384-bf16";
}

static void begin(struct group *g, const char *target, const char *dtype)
{
	struct implementation i = *workload_find_implementation(sdpa, "triton");
	*g = (struct group){0};
	snprintf(g->target, sizeof g->target, "%s", target);
	snprintf(g->dtype, sizeof g->dtype, "%s", dtype);
	i.n_constraints = i.n_rewrites = 0;
	if (!tap_ok(limits_find(target, &g->limits), "%s is known", target) ||
	    !tap_ok(binding_init(&g->binding, sdpa, workload_find_problem(sdpa, problem_of(dtype)),
				 "npu", &g->limits.facts, &e) == ASC_OK,
		    "a problem of %s", dtype))
		return;
	g->binding.limits = &g->limits;
	tap_ok(binding_space(&g->binding, &i, &g->space, &e) == ASC_OK, "its space");
}

static void end(struct group *g)
{
	if (!g->space)
		return;
	tap_int(g->lost, 0, "%s %s: of %d that the planner accepts none is left out", g->target,
		g->dtype, g->accepted);
	tap_ok(10 * g->foreseen >= 9 * g->refused, "of %d that it refuses %d are", g->refused,
	       g->foreseen);
	space_free(g->space);
	binding_fini(&g->binding);
}

static void judge(struct group *g, int64_t block_n, int64_t sub, int64_t head, bool fits)
{
	const struct config c = {
		4, {value_int(256), value_int(block_n), value_int(sub), value_int(head)}};
	uint64_t index;
	const bool kept = g->space && space_find(g->space, &c, &index);
	g->accepted += fits;
	g->lost += fits && !kept;
	g->refused += !fits;
	g->foreseen += !fits && !kept;
}

/* Rows are sorted by model and element type. */
static int judge_rows(const char *text)
{
	struct group g = {0};
	int rows = 0;
	while ((text = strchr(text, '\n')) && *++text) {
		char target[32], dtype[8], verdict[8];
		int block_n, sub, head;
		if (sscanf(text, "%31[^,],%7[^,],%d,%d,%d,%7s", target, dtype, &block_n, &sub,
			   &head, verdict) != 6)
			break;
		if (strcmp(target, g.target) != 0 || strcmp(dtype, g.dtype) != 0) {
			end(&g);
			begin(&g, target, dtype);
		}
		judge(&g, block_n, sub, head, strcmp(verdict, "fits") == 0);
		rows++;
	}
	end(&g);
	return rows;
}

static void test_verdicts(void)
{
	struct buf text = {0};
	if (tap_int(file_read(TEST_DATA "/limits/sdpa_verdicts.csv", 0, &text, &e), ASC_OK,
		    "the verdicts"))
		tap_int(judge_rows(buf_str(&text)), 368, "rows");
	buf_fini(&text);
}

/* ---- rewrites ---- */

static uint64_t count(const struct binding *bound, unsigned off)
{
	struct binding b = *bound;
	struct space *s = NULL;
	uint64_t n = 0;
	b.rewrites_off = off;
	if (tap_ok(binding_space(&b, workload_find_implementation(sdpa, "triton"), &s, &e) ==
			   ASC_OK,
		   "a space"))
		n = space_count(s);
	space_free(s);
	return n;
}

/* Windowed attention: 49 queries of 32768 heads, D = 32. By hand, for BLOCK_M = 16 .. 256: at most
 * 65535 blocks with BLOCK_M >= 64. A sub-block of S rows against N keys is refused in L0C where
 * 4 S max(N, 32) > 131072 and in UB where 7 S (N + 32) > 196608: 256 x 128, 256 x 256, 128 x 256.
 */
static void test_rewrites(void)
{
	const unsigned square = rewrite_bit(rewrite_find("square-block"));
	const unsigned sub = rewrite_bit(rewrite_find("sub-block"));
	const unsigned axis = rewrite_bit(rewrite_find("axis-limit"));
	struct limits l;
	struct binding b;
	if (!tap_ok(limits_find("Ascend910B3", &l), "a model") ||
	    !tap_ok(binding_init(&b, sdpa, workload_find_problem(sdpa, "swin-b-windows"), "npu",
				 &l.facts, &e) == ASC_OK,
		    "windows of 49 queries"))
		return;
	b.limits = &l;
	tap_int(count(&b, square | sub | axis), 2, "squares of 64 and 128");
	tap_int(count(&b, sub | axis), 2 + 1, "with 64 x 128");
	tap_int(count(&b, square | axis), 3 + 4 + 3, "in sub-blocks: 256 x 256 too, of 16 to 64");
	tap_int(count(&b, square | sub), 4, "folded: squares of 16 and 32 too");
	tap_int(count(&b, 0), 2 * 1 + 2 * 2 + 2 * 3 + (4 + 3) + (3 + 4), "all of them");
	binding_fini(&b);
}

int main(void)
{
	const enum asc_status s = workload_open(PROJECT_ROOT "/workloads/sdpa.json", &sdpa, &e);
	if (tap_int(s, ASC_OK, "sdpa.json: %s", s ? e.text : "opens")) {
		test_verdicts();
		test_rewrites();
	}
	workload_close(sdpa);
	return tap_done();
}
