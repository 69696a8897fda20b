/* Problems bound to devices: sizes, names, spaces and launches, worked out by hand from
 * data/workload/full.json.
 * covers: binding.c binding_check.c binding_key.c binding_kinds.c binding_plan.c
 * rewrite_state.c binding_scope.c binding_space.c workload_open.c */
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/space/space.h"

#define FULL TEST_DATA "/data/workload/full.json"

static struct workload *full;

static const struct bound_tensor *bound(const struct binding *b, const char *name)
{
	for (size_t i = 0; i < full->n_tensors; i++)
		if (strcmp(full->tensors[i].name, name) == 0)
			return &b->tensors[i];
	return NULL;
}

static bool bind(struct binding *b, const char *problem, const char *device, int64_t threads)
{
	struct asc_err e;
	struct facts facts = {0};
	facts_set(&facts, FACT_THREADS, threads);
	enum asc_status s =
		binding_init(b, full, workload_find_problem(full, problem), device, &facts, &e);
	return tap_int(s, ASC_OK, "%s on %s: %s", problem, device, s ? e.text : "binds");
}

static void test_sizes(void)
{
	enum dtype element = DTYPE_BOOL;
	struct binding b;
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	tap_int(bound(&b, "x")->shape[0], 64, "shape");
	tap_int(bound(&b, "x")->count, 64 * 40, "elements");
	tap_int(bound(&b, "x")->bytes, 64 * 40 * 4, "bytes");
	tap_int(bound(&b, "gain")->count, 1, "a tensor without dimensions has one element");
	tap_int(bound(&b, "lengths")->shape[0], 25, "a shape may be a formula");
	tap_ok(bound(&b, "bias")->present, "an optional tensor is there");
	tap_ok(!bound(&b, "mask")->present, "an input of NPUs is not on a CPU");
	tap_real(bound(&b, "total")->atol, 1e-6 * 4.584962500721156, 1e-18, "1e-6 * log2(24)");
	tap_real(bound(&b, "total")->rtol, 1e-5, 0, "rtol");
	tap_ok(binding_element(&b, &element) && element == DTYPE_F32,
	       "it computes in f32, whatever its integers are");
	tap_real(b.flops, 2 * 24 * 40, 0, "flops");
	tap_real(b.bytes, 64 * 40 * 4 + 24 * 4 + 2 * 40 * 4, 0, "bytes from sizeof()");
	binding_fini(&b);
	if (!bind(&b, "tiny", "npu", 4))
		return;
	tap_ok(bound(&b, "mask")->present && bound(&b, "mask")->count == 24,
	       "an input of NPUs is on an NPU");
	binding_fini(&b);
}

static void test_kinds(void)
{
	struct buf kinds = {0};
	struct binding b;
	struct asc_err e;

	if (!bind(&b, "tiny", "cpu", 4))
		return;
	tap_int(binding_write_kinds(&b, &(struct json_writer){&kinds, false}, &e), ASC_OK,
		"kinds of dimensions");
	tap_str(buf_str(&kinds),
		"{\"ROWS\":\"size\",\"COLS\":\"size\",\"BLOCKS\":\"size\",\"SCALE\":\"real\","
		"\"BIASED\":\"truth\"}",
		"a dimension is a size where a shape names it");
	buf_fini(&kinds);
	binding_fini(&b);
}

static void test_other_problem(void)
{
	enum dtype element = DTYPE_BOOL;
	struct binding b;
	if (!bind(&b, "large-half", "cuda", 0))
		return;
	tap_ok(binding_element(&b, &element) && element == DTYPE_BF16,
	       "it computes in the narrowest floating type");
	tap_int(bound(&b, "x")->dtype, DTYPE_BF16, "a dtype variable");
	tap_int(bound(&b, "x")->bytes, 8192 * 1024 * 2, "size of the tensor");
	tap_ok(!bound(&b, "bias")->present, "an absent tensor");
	tap_int(bound(&b, "bias")->bytes, 0, "takes no memory");
	tap_real(bound(&b, "total")->rtol, 1.0 / 128, 0, "tolerance of that dtype");
	binding_fini(&b);
}

static void test_formulas(void)
{
	struct binding b;
	struct asc_err e;
	int64_t i = 0;
	double r = 0;
	struct formula number = {.text = "SCALE * 4", .node = full->flops.node};
	struct formula unknown = {.text = "device.l2_bytes", .node = full->flops.node};
	struct formula typo = {.text = "device.thread", .node = full->flops.node};
	struct formula zero = {.text = "ROWS // (COLS - 40)", .node = full->flops.node};
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	tap_int(binding_int(&b, &full->flops, &i, &e), ASC_OK, "an integer");
	tap_int(i, 1920, "value");
	tap_int(binding_real(&b, &number, &r, &e), ASC_OK, "a real");
	tap_real(r, 2, 0, "value");
	tap_int(binding_int(&b, &number, &i, &e), ASC_INPUT, "a real is no integer");
	tap_has(e.text, "full.json: flops: is the real number 2", "is named with its place");
	tap_int(binding_int(&b, &unknown, &i, &e), ASC_ABSENT, "an unknown fact");
	tap_has(e.text, "device.l2_bytes", "is named");
	tap_int(binding_int(&b, &typo, &i, &e), ASC_INPUT, "a fact that does not exist");
	tap_has(e.text, "device.threads", "brings a suggestion");
	tap_int(binding_int(&b, &zero, &i, &e), ASC_INPUT, "division by zero");
	tap_has(e.text, "divides by zero", "says so");
	binding_fini(&b);
}

static void test_covers(void)
{
	struct binding b;
	struct asc_err e;
	char reason[128] = "";
	bool covers = false;
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	const struct implementation *plain = workload_find_implementation(full, "plain");
	struct implementation other = *plain;
	tap_int(binding_covers(&b, plain, &covers, reason, sizeof reason, &e), ASC_OK, "plain");
	tap_ok(covers, "covers tiny");
	binding_covers(&b, workload_find_implementation(full, "tma"), &covers, reason,
		       sizeof reason, &e);
	tap_ok(!covers, "tma does not run here");
	tap_str(reason, "it is not for cpu", "the reason");
	other.when.text = "ROWS > 100";
	binding_covers(&b, &other, &covers, reason, sizeof reason, &e);
	tap_ok(!covers, "`when` excludes");
	tap_str(reason, "\"ROWS > 100\" does not hold for tiny", "the reason");
	other.when.text = "device.l2_bytes > 100";
	binding_covers(&b, &other, &covers, reason, sizeof reason, &e);
	tap_ok(covers, "what is unknown does not exclude");
	other.calls[0].entry.list[0].device = "cuda";
	binding_covers(&b, &other, &covers, reason, sizeof reason, &e);
	tap_str(reason, "it has no entry for cpu", "an entry for another device");
	binding_fini(&b);
}

/* BLOCK {8,16,32} <= 40 with every UNROLL {1,2,4}, THREADS {1,2,4} <= 4, STAGES {1}, PACKED 2:
 * 3 * 3 * 3 * 1 * 2. */
static void test_space(void)
{
	struct binding b;
	struct asc_err e;
	struct space *s = NULL;
	struct config c;
	uint64_t index = 0;
	const struct implementation *plain = workload_find_implementation(full, "plain");
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	if (tap_int(binding_space(&b, plain, &s, &e), ASC_OK, "the space of plain")) {
		tap_int(space_count(s), 54, "configurations");
		tap_str(space_names(s)[4], "PACKED", "names in the file's order");
		tap_int(space_param(s, 3)->n, 1, "a parameter of other devices has one value");
		tap_ok(space_default(s, &index), "has a default");
		space_get(s, index, &c);
		tap_int(c.values[1].i, 2, "made of the default values");
		tap_int(c.values[3].i, 1, "of `otherwise`");
	}
	space_free(s);
	struct parameter_choice own = {.name = plain->parameters[1].name, .value = value_int(4)};
	struct problem with_default = *b.problem;
	with_default.defaults = &own;
	with_default.n_defaults = 1;
	b.problem = &with_default;
	if (tap_int(binding_space(&b, plain, &s, &e), ASC_OK, "a problem with a default") &&
	    tap_ok(space_default(s, &index), "has it")) {
		space_get(s, index, &c);
		tap_int(c.values[1].i, 4, "the problem's value goes before the parameter's");
		tap_int(c.values[0].i, 8, "other parameters keep theirs");
	}
	space_free(s);
	binding_fini(&b);
	if (!bind(&b, "tiny", "cpu", 0))
		return;
	if (tap_int(binding_space(&b, plain, &s, &e), ASC_OK, "threads unknown"))
		tap_int(space_count(s), 72, "an unknown limit does not prune");
	space_free(s);
	binding_fini(&b);
}

static void test_grid_condition(void)
{
	struct binding b;
	struct asc_err e;
	struct space *s = NULL;
	struct implementation i = *workload_find_implementation(full, "plain");
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	i.n_constraints = 0;
	if (tap_int(binding_space(&b, &i, &s, &e), ASC_OK, "without constraints"))
		tap_int(space_count(s), 3 * 3 * 4 * 2,
			"BLOCK 64 still goes: 40 // 64 blocks are none");
	space_free(s);
	binding_fini(&b);
}

static const struct config tiny_config = {.n = 5,
					  .values = {{VALUE_INT, {16}},
						     {VALUE_INT, {2}},
						     {VALUE_INT, {4}},
						     {VALUE_INT, {1}},
						     {VALUE_BOOL, {1}}}};

static void test_plan(void)
{
	struct binding b;
	struct asc_err e;
	struct plan p;
	const struct implementation *plain = workload_find_implementation(full, "plain");
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	tap_int(binding_plan(&b, plain, 0, &tiny_config, &p, &e), ASC_OK, "a launch");
	tap_int(p.grid[0], 2, "40 // 16 blocks");
	tap_int(p.grid[2], 1, "an absent axis is 1");
	tap_int(p.block[0], 1, "an absent block is 1");
	tap_int(p.threads, 4, "threads by a parameter");
	tap_int(p.shared_bytes, 0, "no shared memory");
	tap_int(p.n_arguments, 14, "arguments");
	tap_int(p.arguments[5].tensor, 9, "a tensor");
	tap_int(p.arguments[8].scalar.i, 24, "an integer scalar");
	tap_int(p.arguments[9].scalar.kind, VALUE_REAL, "a real scalar");
	tap_real(p.arguments[9].scalar.r, 0.5, 0, "value");
	tap_int(p.arguments[10].bytes, 4 * 16 * 4, "scratch of a formula");
	tap_int(p.arguments[13].builtin, BUILTIN_THREADS, "a builtin");
	tap_int(binding_plan(&b, NULL, 0, NULL, &p, &e), ASC_OK, "the reference's launch");
	tap_int(p.arguments[10].bytes, 320, "bytes of scratch");
	binding_fini(&b);
}

static void check_named(const struct plan *p, size_t i, const char *name, enum argument_kind kind)
{
	tap_str(p->arguments[i].name, name, "keyword of argument %zu", i);
	tap_int(p->arguments[i].kind, kind, "kind of %s", name);
}

static bool plan_of(const struct workload *w, const char *name, struct binding *b, struct plan *p)
{
	const struct implementation *i = workload_find_implementation(w, name);
	struct config c = {.n = i->n_parameters};
	struct asc_err e;

	for (size_t k = 0; k < c.n; k++)
		c.values[k] = i->parameters[k].values[1];
	return tap_int(binding_plan(b, i, 0, &c, p, &e), ASC_OK, "a call of Python");
}

static void digest(const struct plan *p, char out[HASH_TEXT_SIZE])
{
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	plan_hash(p, &h);
	tap_int(hash_end(&h, out, &e), ASC_OK, "the plan's digest");
}

/* Arguments of the file, then constants and parameters by their names; every part of a call of
 * Python is in the plan's digest. */
static void test_python(void)
{
	char first[HASH_TEXT_SIZE], second[HASH_TEXT_SIZE];
	const struct facts facts = {0};
	struct workload *w = NULL;
	struct binding b = {0};
	struct asc_err e;
	struct plan p;

	if (!tap_int(workload_open(TEST_DATA "/data/workload/python.json", &w, &e), ASC_OK,
		     "functions of Python"))
		return;
	if (tap_int(binding_init(&b, w, &w->problems[0], "cpu", &facts, &e), ASC_OK, "bound") &&
	    plan_of(w, "file", &b, &p) &&
	    tap_int(p.n_arguments, 13, "five, constants, parameters, one that comes back")) {
		tap_ok(p.python && !p.python->make && !p.python->torch, "it is launched itself");
		tap_int(p.threads, 2, "its threads");
		tap_ok(!p.arguments[2].name && p.arguments[2].scalar.kind == VALUE_REAL,
		       "the third is passed by place");
		tap_int(p.arguments[1].rank, 0, "an absent tensor");
		check_named(&p, 3, "out", ARG_TENSOR);
		check_named(&p, 4, "queue", ARG_BUILTIN);
		check_named(&p, 5, "dtype", ARG_TEXT);
		tap_str(p.arguments[5].text, "f32", "a type's name");
		check_named(&p, 6, "bias", ARG_NULL);
		check_named(&p, 7, "exact", ARG_SCALAR);
		tap_int(p.arguments[7].scalar.kind, VALUE_BOOL, "a truth value");
		check_named(&p, 8, "half", ARG_SCALAR);
		tap_int(p.arguments[8].scalar.i, 16, "a constant of a parameter");
		tap_real(p.arguments[9].scalar.r, 0.5, 0, "a real one");
		check_named(&p, 10, "block", ARG_SCALAR);
		tap_int(p.arguments[10].scalar.i, 32, "a parameter");
		check_named(&p, 11, "mode", ARG_TEXT);
		tap_str(p.arguments[11].text, "column", "its text");
		tap_ok(!p.arguments[11].returned, "which is passed");
		check_named(&p, 12, "y", ARG_TENSOR);
		tap_ok(p.arguments[12].returned && p.arguments[12].tensor == 2,
		       "and y, which is not");
		tap_int(p.python->n_returns, 1, "one tensor comes back");
		tap_int(p.python->returns[0], 2, "y");
		tap_ok(*p.python->available == '/', "a file by its path");
		tap_int(w->implementations[0].parameters[0].stage, STAGE_LAUNCH,
			"a parameter of the launch");
		struct python_use use = *p.python;

		digest(&p, first);
		p.python = &use;
		use.make = true;
		digest(&p, second);
		tap_ok(strcmp(first, second) != 0, "a plan that makes its launch is another one");
		use.make = false;
		p.arguments[3].name = "y";
		digest(&p, second);
		tap_ok(strcmp(first, second) != 0, "so is one with another keyword");
	}
	if (plan_of(w, "module", &b, &p) && tap_int(p.n_arguments, 7, "no parameters")) {
		tap_ok(p.python->make && p.python->torch && !p.python->available, "its keys");
		tap_int(p.python->returns[0], 3, "z comes first");
		check_named(&p, 3, "lambda_", ARG_SCALAR);
		tap_int(p.arguments[3].scalar.kind, VALUE_BOOL, "a scalar of type bool");
		tap_str(callable_entry(&w->implementations[1].calls[0], "npu"), "ops.aten.norm",
			"the entry is a member");
	}
	binding_fini(&b);
	workload_close(w);
}

static void check_tensor(const struct plan *p, size_t i, enum dtype type, size_t rank,
			 const int64_t *shape, const char *name)
{
	const struct bound_argument *a = &p->arguments[i];

	tap_int(a->kind, ARG_TENSOR, "argument %zu, %s, is a tensor", i, name);
	tap_str(dtype_name(a->type), dtype_name(type), "type of %s", name);
	if (tap_int(a->rank, rank, "rank of %s", name))
		for (size_t k = 0; k < rank; k++)
			tap_int(a->shape[k], shape[k], "dimension %zu of %s", k, name);
}

static void test_plan_tensors(void)
{
	struct binding b;
	struct asc_err e;
	struct plan p;
	const struct implementation *plain = workload_find_implementation(full, "plain");

	if (!bind(&b, "tiny", "cpu", 4))
		return;
	tap_int(binding_plan(&b, plain, 0, &tiny_config, &p, &e), ASC_OK, "a launch of `tiny`");
	check_tensor(&p, 0, DTYPE_F32, 2, (int64_t[]){64, 40}, "x");
	check_tensor(&p, 1, DTYPE_F32, 1, (int64_t[]){40}, "bias");
	check_tensor(&p, 2, DTYPE_F32, 0, NULL, "gain, which is one number");
	check_tensor(&p, 3, DTYPE_I32, 1, (int64_t[]){24}, "table");
	tap_int(p.arguments[8].rank, 0, "rank of a scalar argument");
	tap_int(binding_plan(&b, NULL, 0, NULL, &p, &e), ASC_OK, "a launch of the reference");
	check_tensor(&p, 0, DTYPE_F32, 2, (int64_t[]){64, 40}, "the reference's x");
	binding_fini(&b);
	if (!bind(&b, "large-half", "cpu", 4))
		return;
	tap_int(binding_plan(&b, plain, 0, &tiny_config, &p, &e), ASC_OK,
		"a launch of `large-half`");
	check_tensor(&p, 0, DTYPE_BF16, 2, (int64_t[]){8192, 1024}, "x in bf16");
	check_tensor(&p, 1, DTYPE_BF16, 0, NULL, "bias, which is absent");
	binding_fini(&b);
}

/* A tensor between two calls has a shape of the configuration, and the same place in both. */
static void test_plan_calls(void)
{
	const struct implementation *steps = workload_find_implementation(full, "steps");
	const struct config config = {.n = 2, .values = {value_int(4), value_int(128)}};
	const size_t partial = full->n_tensors, counts = partial + 1;
	struct binding b;
	struct asc_err e;
	struct plan first, second;

	if (!bind(&b, "large-half", "cuda", 0))
		return;
	tap_int(steps->n_calls, 2, "two calls");
	tap_int(binding_plan(&b, steps, 0, &config, &first, &e), ASC_OK, "the first call");
	tap_int(binding_plan(&b, steps, 1, &config, &second, &e), ASC_OK, "the second");
	check_tensor(&first, 1, DTYPE_BF16, 2, (int64_t[]){4, 1024}, "partial");
	check_tensor(&second, 0, DTYPE_BF16, 2, (int64_t[]){4, 1024}, "partial again");
	check_tensor(&first, 2, DTYPE_I32, 0, NULL, "counts, which is one number");
	tap_int(first.arguments[1].tensor, partial, "it stands behind the workload's tensors");
	tap_int(second.arguments[0].tensor, partial, "in each call");
	tap_int(first.arguments[2].tensor, counts, "and the next one behind it");
	tap_int(first.arguments[1].bytes, 4 * 1024 * 2, "bytes of a matrix of bf16");
	tap_int(first.arguments[2].bytes, 4, "bytes of a number");
	tap_int(first.arguments[0].bytes, 0, "the workload's tensors are no scratch");
	tap_int(first.arguments[3].bytes, 16, "nor is a buffer of one call a tensor");
	tap_int(first.grid[0], 4, "each call has its own launch");
	tap_int(second.grid[0], 1, "which is one block where none is stated");
	binding_fini(&b);
}

static void test_plan_gpu(void)
{
	static const struct config config = {.n = 2,
					     .values = {{VALUE_INT, {64}}, {VALUE_INT, {32}}}};
	struct binding b;
	struct asc_err e;
	struct plan p;
	if (!bind(&b, "tiny", "cuda", 0))
		return;
	tap_int(binding_plan(&b, workload_find_implementation(full, "tma"), 0, &config, &p, &e),
		ASC_OK, "a launch on a GPU");
	tap_ok(p.cluster[0] == 2 && p.cluster[1] == 1 && p.cluster[2] == 1, "a cluster");
	tap_int(p.cooperative, 1, "all blocks at once");
	const struct bound_argument *map = &p.arguments[0];
	tap_int(map->kind, ARG_TENSOR_MAP, "a tensor map");
	tap_ok(map->rank == 2 && map->box[0] == 64 && map->box[1] == 32, "box of the tensor map");
	tap_ok(map->shape[0] == 64 && map->shape[1] == 40, "the tensor's shape");
	tap_ok(map->type == DTYPE_F32 && strcmp(map->swizzle, "128B") == 0, "type and swizzle");
	tap_int(binding_plan(&b, NULL, 0, NULL, &p, &e), ASC_OK, "the GPU's own reference");
	tap_ok(p.grid[0] == 24 && p.n_arguments == 4, "with a launch of its own");
	tap_ok(workload_reference(full, "cuda") != &full->reference &&
		       workload_reference(full, "npu") == &full->reference,
	       "other devices have the C function");
	binding_fini(&b);
}

static void test_plan_refused(void)
{
	struct binding b;
	struct asc_err e;
	struct plan p;
	struct config c = tiny_config;
	struct implementation i = *workload_find_implementation(full, "plain");
	struct argument big = i.calls[0].arguments[8];
	if (!bind(&b, "tiny", "cpu", 4))
		return;
	c.values[0].i = 64;
	tap_int(binding_plan(&b, &i, 0, &c, &p, &e), ASC_INPUT, "a grid of no blocks");
	tap_has(e.text, "full.json: implementations[0].launch.grid[0]: is 0", "is named");
	big.scalar.text = "ROWS * 2 ** 31";
	i.calls[0].arguments = &big;
	i.calls[0].n_arguments = 1;
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_INPUT, "a scalar beyond i32");
	tap_has(e.text, "expected at most 2147483647", "says the limit");
	i.calls[0].launch.threads.text = "device.l2_bytes";
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_ABSENT,
		"a launch that needs a fact");
	tap_has(e.text, "needs device.l2_bytes", "names it");
	binding_fini(&b);
}

/* A device that is not here keeps facts to itself that decide its launches alone. */
static void test_plan_build_only(void)
{
	struct binding b;
	struct asc_err e;
	struct plan p;
	struct implementation i = *workload_find_implementation(full, "plain");
	struct callable *call = &i.calls[0];
	struct argument blocks = {.kind = ARG_BUILTIN, .builtin = BUILTIN_BLOCKS};

	if (!bind(&b, "tiny", "cpu", 4))
		return;
	call->launch.grid[0].text = "2 * device.processors";
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_ABSENT,
		"a grid of the device's processors");
	b.build_only = true;
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_OK,
		"is left open where the device is not here");
	tap_int(p.grid[0], 0, "as 0");
	tap_int(p.threads, 4, "what can be known is");
	tap_int(p.n_arguments, 14, "arguments, too");
	tap_int(p.arguments[8].scalar.i, 24, "with their values");
	call->arguments = &blocks;
	call->n_arguments = 1;
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_ABSENT,
		"a kernel may be compiled for the number of its blocks");
	tap_has(e.text, "the number of blocks needs a fact of the device", "which is said");
	call->launch.grid[0].text = "ROWS";
	tap_int(binding_plan(&b, &i, 0, &tiny_config, &p, &e), ASC_OK, "known blocks are passed");
	tap_int(p.arguments[0].scalar.i, 24, "as their number");
	binding_fini(&b);
}

/* ---- keys ---- */

static const char add_format[] =
	"{\"asctune\": 1, \"name\": \"add\","
	" \"problems\": [{\"name\": \"one\", \"dims\": {\"N\": %d}}, {\"name\": \"two\", \"dims\": "
	"{\"N\": %d}}],"
	" \"tensors\": {\"a\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"in\","
	"   \"fill\": {\"kind\": \"normal\", \"std\": %d}},"
	"  \"c\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"out\","
	"   \"verify\": {\"kind\": \"allclose\", \"tolerance\": {\"f32\": {\"atol\": %d, \"rtol\": "
	"0}}}}},"
	" \"reference\": {\"source\": \"add.c\", \"entry\": \"add\", \"arguments\": [{\"tensor\": "
	"\"c\"}]},"
	" \"implementations\": [{\"name\": \"plain\", \"source\": \"add.c\", \"entry\": \"add\","
	"  \"arguments\": [{\"tensor\": \"c\"}]}]}";

static char folder[256];

static void put_header(const char *text)
{
	struct asc_err e;
	char *file = path_join(folder, "sum.h");
	tap_int(file_write(file, text, strlen(text), &e), ASC_OK, "a header: %s", text);
	free(file);
}

/* The key of a problem of a small workload with these figures. */
static void small_key(int n, int std, int atol, const char *source, const char *problem,
		      char key[33])
{
	struct asc_err e;
	struct workload *w = NULL;
	struct binding b = {0};
	char *file = path_join(folder, "add.json"), *code = path_join(folder, "add.c");
	char *text = str_print(add_format, n, 128, std, atol);
	bool ok = file_write(file, text, strlen(text), &e) == ASC_OK &&
		  file_write(code, source, strlen(source), &e) == ASC_OK &&
		  workload_open(file, &w, &e) == ASC_OK &&
		  binding_init(&b, w, workload_find_problem(w, problem), "cpu", NULL, &e) == ASC_OK;
	tap_ok(ok, "a small workload: %s", ok ? "opens" : e.text);
	memcpy(key, b.key, sizeof b.key);
	binding_fini(&b);
	workload_close(w);
	unlink(file);
	unlink(code);
	free(file);
	free(code);
	free(text);
}

static void test_keys(void)
{
	char base[33], other[33];
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%s/t-binding-XXXXXX", tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a folder"))
		return;
	small_key(64, 1, 1, "one", "one", base);
	tap_int(strlen(base), 32, "a key");
	small_key(64, 1, 1, "one", "one", other);
	tap_str(other, base, "the key is the same again");
	small_key(64, 1, 2, "one", "one", other);
	tap_str(other, base, "a tolerance decides neither inputs nor reference");
	small_key(128, 1, 1, "one", "one", base);
	small_key(128, 1, 1, "one", "two", other);
	tap_str(other, base, "the name of the problem does not change the key");
	small_key(64, 1, 1, "one", "one", other);
	tap_ok(strcmp(other, base) != 0, "a size does");
	small_key(128, 2, 1, "one", "one", other);
	tap_ok(strcmp(other, base) != 0, "a fill does");
	small_key(128, 1, 1, "two", "one", other);
	tap_ok(strcmp(other, base) != 0, "the reference's source does");
	put_header("short");
	small_key(128, 1, 1, "#include \"sum.h\"\n", "one", base);
	put_header("something else");
	small_key(128, 1, 1, "#include \"sum.h\"\n", "one", other);
	tap_ok(strcmp(other, base) != 0, "an included file changes the key");
	char *header = path_join(folder, "sum.h");
	unlink(header);
	free(header);
	rmdir(folder);
}

int main(void)
{
	struct asc_err e;
	struct binding b;
	enum asc_status s = workload_open(FULL, &full, &e);
	if (!tap_int(s, ASC_OK, "full.json: %s", s ? e.text : "opens"))
		return tap_done();
	test_sizes();
	test_kinds();
	test_other_problem();
	test_formulas();
	test_covers();
	test_space();
	test_grid_condition();
	test_plan();
	test_python();
	test_plan_tensors();
	test_plan_gpu();
	test_plan_calls();
	test_plan_refused();
	test_plan_build_only();
	test_keys();
	tap_int(binding_init(&b, full, full->problems, "gpu", NULL, &e), ASC_USAGE,
		"no such class of device");
	workload_close(full);
	return tap_done();
}
