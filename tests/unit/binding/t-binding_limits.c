/* Limits as conditions of spaces: launches of GPUs and NPUs, memory spaces, multibuffer, what is
 * refused whole. Counts are worked out by hand from limits/launches.json.
 * covers: binding_limits.c limit_conditions.c memory_plan.c */
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/workload_open.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

#define LAUNCHES TEST_DATA "/limits/launches.json"

static struct workload *workload;
static struct limits limits; /* of the binding that is open */

static bool bind(struct binding *b, const char *target)
{
	struct asc_err e;

	return tap_ok(limits_find(target, &limits), "%s is known", target) &&
	       tap_ok(binding_init(b, workload, workload->problems, limits.device, &limits.facts,
				   &e) == ASC_OK,
		      "the problem binds") &&
	       (b->limits = &limits) != NULL;
}

static long count_of(const struct binding *b, const char *implementation,
		     enum asc_status (*make)(const struct binding *, const struct implementation *,
					     struct space **, struct asc_err *))
{
	struct space *s = NULL;
	struct asc_err e;
	long n = -1;

	if (make(b, workload_find_implementation(workload, implementation), &s, &e) == ASC_OK)
		n = (long)space_count(s);
	else
		tap_note("%s", e.text);
	space_free(s);
	return n;
}

static long count(const struct binding *b, const char *implementation)
{
	return count_of(b, implementation, binding_space);
}

/* "REASON: N; ..." of what limits do, warnings with a `!`. */
static const char *effects(const struct binding *b, const char *implementation)
{
	static char text[512];
	struct limit_effect *all = NULL;
	struct asc_err e;
	size_t n = 0, used = 0;

	text[0] = '\0';
	if (binding_limit_effects(b, workload_find_implementation(workload, implementation), &all,
				  &n, &e))
		return e.text[0] ? "an error" : "";
	for (size_t i = 0; i < n && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s: %llu",
					 i ? "; " : "", all[i].warns ? "!" : "", all[i].reason,
					 (unsigned long long)all[i].configurations);
	limit_effects_free(all, n);
	return text;
}

static const char *explain(const struct binding *b, const char *implementation, int64_t first,
			   int64_t second, bool *fits)
{
	static char text[1024];
	const struct config c = {2, {value_int(first), value_int(second)}};
	struct buf out = {0};
	struct asc_err e;

	if (binding_explain_limits(b, workload_find_implementation(workload, implementation), &c,
				   fits, &out, &e))
		buf_print(&out, "an error: %s", e.text);
	snprintf(text, sizeof text, "%s", buf_str(&out));
	buf_fini(&out);
	return text;
}

/* X in 32, 1024, 2048 threads by Y in 1, 2: 2048 x 1, 2048 x 2 and 1024 x 2 are too many. Shared
 * memory X * 64 is within 96 KiB and 227 KiB for all that is left, grid N // X within 2^31 - 1. */
static void test_cuda(void)
{
	struct binding b;
	bool fits = true;

	if (!bind(&b, "sm_90"))
		return;
	tap_int(count(&b, "gpu"), 3, "blocks of at most 1024 threads");
	tap_str(effects(&b, "gpu"), "launch.block[0] of sm_90: 2; threads of a block of sm_90: 3",
		"the reason");
	tap_str(explain(&b, "gpu", 1024, 1, &fits),
		"shared of sm_90: 65536 of 232448 B\n"
		"occupancy on sm_90: 2 blocks of 1024 threads, 64 of 64 warps, bound by threads; "
		"registers are not known before it is built\n",
		"how many fit");
	tap_ok(fits, "the configuration is valid");
	binding_fini(&b);
	if (!bind(&b, "sm_75"))
		return;
	tap_int(count(&b, "gpu"), 3, "64 KiB of shared memory are just enough for 1024 threads");
	tap_has(explain(&b, "gpu", 1024, 1, &fits), "1 blocks of 1024 threads", "once");
	binding_fini(&b);
}

/* N = 2^20: N // BLOCK programs, BLOCK in 8, 16, 32, 64. */
static void test_grid(void)
{
	struct binding b;

	if (!bind(&b, "Ascend910B3"))
		return;
	tap_int(count(&b, "flat"), 2, "65536 programs are one too many, 32768 are not");
	tap_str(effects(&b, "flat"), "grid of Ascend910B3: 2", "the reason");
	tap_int(count(&b, "folded"), 4, "a grid that is folded has no such limit");
	binding_fini(&b);
}

/* BLOCK * 4 bytes, twice with multibuffer, in 196608 (910B) and 253952 bytes (950): BLOCK 32768
 * fits once, 65536 not at all. */
static void test_multibuffer(void)
{
	struct binding b;
	bool fits = true;

	if (!bind(&b, "Ascend910B3"))
		return;
	tap_int(count(&b, "triton"), 4, "910B: the compiler falls back");
	tap_str(effects(&b, "triton"), "memory.ub of Ascend910B3: 2; !memory.ub of Ascend910B3: 1",
		"which is a warning");
	tap_str(explain(&b, "triton", 32768, 1, &fits),
		"ub of Ascend910B3: 262144 of 196608 B: the compiler drops multibuffer, and code "
		"motion with it\n",
		"of the configuration, too");
	tap_int(count_of(&b, "triton", binding_space_unpruned), 6,
		"what memory leaves out is there");
	tap_int(count_of(&b, "flat", binding_space_unpruned), count(&b, "flat"),
		"what a launch does not allow is not");
	tap_int(count(&b, "ascendc"), 3, "a kernel that does it by itself does not fall back");
	binding_fini(&b);
	if (!bind(&b, "Ascend950PR_9579"))
		return;
	tap_int(count(&b, "triton"), 3, "950: it is refused");
	tap_str(effects(&b, "triton"), "memory.ub of Ascend950PR_9579: 3", "nothing warned");
	binding_fini(&b);
}

/* X in 256, 1024, 4096, and WIDE is X >= 1024: without it 200000 bytes do not fit. N is the
 * problem's and not the constant's: 2^20 // 1024 programs, while 7 // 1024 were none. */
static void test_constants(void)
{
	struct binding b;

	if (!bind(&b, "Ascend910B3"))
		return;
	tap_int(count(&b, "constants"), 2, "constants are written out in formulas");
	tap_str(effects(&b, "constants"), "memory.ub of Ascend910B3: 1", "by the memory");
	binding_fini(&b);
}

static bool refused(const struct binding *b, const char *implementation, char *reason, size_t size)
{
	bool is = false;
	struct asc_err e;

	return binding_refused(b, workload_find_implementation(workload, implementation), &is,
			       reason, size, &e) == ASC_OK &&
	       is;
}

static void test_refused(void)
{
	struct binding b;
	char reason[512] = "";

	if (!bind(&b, "Ascend910B3"))
		return;
	tap_ok(refused(&b, "double", reason, sizeof reason), "f64 in Triton");
	tap_str(reason, "Triton refuses f64, the type of d, for Ascend910B3", "the reason");
	tap_ok(!refused(&b, "triton", reason, sizeof reason), "f32 is not");
	tap_ok(refused(&b, "huge", reason, sizeof reason), "tiles that no parameter makes smaller");
	tap_str(reason,
		"ub of Ascend910B3: the tiles alive at step 1 need 262144 B, there are 196608 B: "
		"left, right",
		"the reason");
	b.limits = NULL;
	tap_ok(!refused(&b, "double", reason, sizeof reason) &&
		       !refused(&b, "huge", reason, sizeof reason),
	       "nothing is refused where no limits are known");
	tap_int(count(&b, "triton"), 6, "nothing is left out");
	binding_fini(&b);
}

int main(void)
{
	struct asc_err e;

	if (tap_ok(workload_open(LAUNCHES, &workload, &e) == ASC_OK, "%s", LAUNCHES)) {
		test_cuda();
		test_grid();
		test_multibuffer();
		test_constants();
		test_refused();
	} else {
		tap_note("%s", e.text);
	}
	workload_close(workload);
	return tap_done();
}
