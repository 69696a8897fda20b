/* Variants of a kernel: what differs makes a variant or is a size, rows are told once whatever
 * their problem is, and sizes that no space has are found with a problem that they are true for.
 * covers: kernel_variants.c */
#include "tuner/cmd/kernel_variants.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"

static struct asc_err e;

/* Two problems of each width; WHOLE follows from sizes, MODE is no number, `unit_flag` and
 * `tile_mix_cube_loop` are options of a compiler, WAVES is no part of the program. */
static const char text[] =
	"{\"asctune\": 1, \"name\": \"rows\", \"operator\": \"rows\", \"problems\": ["
	"{\"name\": \"a\", \"dims\": {\"M\": 64, \"N\": 256}, \"dtypes\": {\"T\": \"f16\"}},"
	"{\"name\": \"b\", \"dims\": {\"M\": 64, \"N\": 256}, \"dtypes\": {\"T\": \"bf16\"}},"
	"{\"name\": \"c\", \"dims\": {\"M\": 64, \"N\": 4096}, \"dtypes\": {\"T\": \"f32\"}}],"
	"\"tensors\": {\"x\": {\"shape\": [\"M\", \"N + 0\"], \"dtype\": \"T\", \"role\": "
	"\"inout\", "
	"\"fill\": {\"kind\": \"constant\", \"value\": 1}, \"verify\": {\"kind\": \"exact\"}}},"
	"\"reference\": {\"source\": \"../reference.c\", \"entry\": \"r\", \"arguments\": "
	"[{\"tensor\": \"x\"}]},"
	"\"implementations\": [{\"name\": \"triton\", \"devices\": [\"npu\"], \"builder\": "
	"\"triton\", \"source\": \"kernels.py\", \"entry\": \"k\", \"parameters\": {"
	"\"BLOCK_M\": [1, 2, 4], \"BLOCK_N\": [128, 1024], \"BLOCK_K\": [16], \"unit_flag\": [0, "
	"1], "
	"\"tile_mix_cube_loop\": [2, 4], \"WAVES\": {\"values\": [1, 2, 4], \"stage\": "
	"\"launch\"}},"
	"\"constants\": {\"WHOLE\": \"BLOCK_N >= N\", \"MODE\": \"'fast'\", \"KIND\": {\"dtype\": "
	"\"T\"}, \"FIXED\": true},"
	"\"launch\": {\"grid\": [\"M\"]}, \"arguments\": [{\"tensor\": \"x\"}]}]}";

static void gather(struct kernel_variants *v, struct workload *w, const struct limits *l)
{
	const struct planned_target t = {.device = "npu", .facts = &l->facts, .limits = l};

	*v = (struct kernel_variants){.implementation = &w->implementations[0]};
	for (size_t i = 0; i < w->n_problems; i++)
		if (!tap_int(kernel_variants_add(v, w, &w->problems[i], &t, &e), ASC_OK,
			     "problem %s", w->problems[i].name))
			tap_note("%s", e.text);
	tap_int(kernel_variants_sort(v, &e), ASC_OK, "sorted");
}

static const struct kernel_variant *find(const struct kernel_variants *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++) {
		struct buf out = {0};
		kernel_variants_print(v, &v->list[i], &out);
		const bool same = strcmp(buf_str(&out), name) == 0;
		buf_fini(&out);
		if (same)
			return &v->list[i];
	}
	return NULL;
}

static void test_variants(const struct kernel_variants *v)
{
	size_t rows = 0;

	/* 16 bits: whole at 1024 and in parts at 128; f32: in parts. Each with four settings of
	 * the compiler. */
	tap_int(v->n, 12, "variants");
	tap_int(v->n_sizes, 2, "sizes");
	tap_str(v->size_names[0], "BLOCK_M", "the first");
	tap_str(v->size_names[1], "BLOCK_N", "the second");
	for (size_t i = 0; i < v->n; i++)
		rows += v->list[i].n_rows;
	tap_int(rows, 4 * (3 + 3 + 6), "each row once, whatever its problem and waves are");
	const struct kernel_variant *one =
		find(v, "T=f16 or bf16 unit_flag=1 tile_mix_cube_loop=2 WHOLE=true");
	if (tap_ok(one != NULL, "the name of one says what differs, and no more"))
		tap_real(one->fixed, 2 * 16, 0, "sizes of one value are a factor");
}

static void test_conditions(const struct kernel_variants *v)
{
	const struct kernel_variant *one =
		find(v, "T=f16 or bf16 unit_flag=1 tile_mix_cube_loop=2 WHOLE=true");
	const struct kernel_variant *other =
		find(v, "T=f32 unit_flag=0 tile_mix_cube_loop=4 WHOLE=false");
	struct buf out = {0};

	if (!tap_ok(one && other, "two variants"))
		return;
	for (size_t k = 0; k < v->n_columns; k++)
		if (v->columns[k].differs && !v->columns[k].is_size && !v->columns[k].is_hidden) {
			kernel_variants_print_condition(v, k, one, &out);
			buf_add_str(&out, ", ");
			kernel_variants_print_condition(v, k, other, &out);
			buf_add_str(&out, "; ");
		}
	tap_str(buf_str(&out),
		"T in ['f16', 'bf16'], T == 'f32'; unit_flag == 1, unit_flag == 0; "
		"tile_mix_cube_loop == 2, tile_mix_cube_loop == 4; WHOLE, not "
		"WHOLE; ",
		"conditions of formulas");
	buf_fini(&out);
}

static void test_find(const struct kernel_variants *v)
{
	const struct kernel_variant *whole =
		find(v, "T=f16 or bf16 unit_flag=0 tile_mix_cube_loop=2 WHOLE=true");
	const struct kernel_variant *parts =
		find(v, "T=f16 or bf16 unit_flag=0 tile_mix_cube_loop=2 WHOLE=false");
	const struct variant_place *place = NULL;
	struct config c;

	if (!tap_ok(whole && parts, "two variants"))
		return;
	tap_ok(kernel_variants_find(v, whole, (int64_t[TILE_MAX_SIZES]){4, 1024}, &place, &c),
	       "a row of the space");
	tap_str(place->binding.problem->name, "a", "is of its first problem");
	tap_int(c.values[1].i, 1024, "with its sizes");
	tap_ok(kernel_variants_find(v, whole, (int64_t[TILE_MAX_SIZES]){3, 512}, &place, &c),
	       "sizes that no space has");
	tap_int(c.values[0].i, 3, "are in the configuration");
	tap_int(c.values[4].i, 2, "and so is the variant");
	tap_ok(!kernel_variants_find(v, whole, (int64_t[TILE_MAX_SIZES]){3, 128}, &place, &c),
	       "but not where they would be another variant");
	tap_ok(kernel_variants_find(v, parts, (int64_t[TILE_MAX_SIZES]){3, 144}, &place, &c),
	       "which has them");
}

int main(void)
{
	struct workload *w = NULL;
	struct limits limits;
	struct kernel_variants v;

	if (!tap_ok(limits_find("Ascend910B3", &limits), "a model") ||
	    !tap_int(workload_open_text(PROJECT_ROOT "/tests/limits/calibrate/rotary.json", text,
					sizeof text - 1, &w, &e),
		     ASC_OK, "a workload")) {
		tap_note("%s", e.text);
		return tap_done();
	}
	gather(&v, w, &limits);
	test_variants(&v);
	test_conditions(&v);
	test_find(&v);
	kernel_variants_fini(&v);
	workload_close(w);
	return tap_done();
}
