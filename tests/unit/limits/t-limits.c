/* The models of devices: memory spaces and facts beside limits/soc.json, names, addresses.
 * covers: limits.c limits_ascend.c limits_cuda.c facts.c */
#include "tuner/workload/limits/limits.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/json/json.h"

#define SOCS TEST_DATA "/limits/soc.json"

static int64_t member(const struct json_node *n, const char *name)
{
	const struct json_node *m = json_find(n, name);
	struct asc_err e;
	int64_t i = 0;

	if (!m || json_type(m) == JSON_NULL)
		return 0;
	tap_ok(json_get_int(m, &i, &e) == ASC_OK, "%s is an integer", name);
	return i;
}

/* 0: not there, not known. */
static int64_t space_bytes(const struct limits *l, const char *name)
{
	const struct memory_space *s = limits_space(l, name);

	return s ? s->bytes : 0;
}

static int64_t fact(const struct limits *l, enum fact id)
{
	return l->facts.known[id] ? l->facts.value[id] : 0;
}

static void check_soc(const struct limits *l, const struct json_node *n)
{
	static const char *const spaces[][2] = {{"ub", "ub_bytes"},   {"l1", "l1_bytes"},
						{"l0a", "l0a_bytes"}, {"l0b", "l0b_bytes"},
						{"l0c", "l0c_bytes"}, {"bt", "bt_bytes"}};
	static const struct {
		enum fact id;
		const char *name;
	} facts[] = {{FACT_NPU_ARCH, "npu_arch"},         {FACT_PROCESSORS, "ai_core"},
		     {FACT_CUBE_CORES, "cube_core"},      {FACT_VECTOR_CORES, "vector_core"},
		     {FACT_L2_BYTES, "l2_bytes"},         {FACT_UB_BYTES, "ub_bytes"},
		     {FACT_MEMORY_BYTES, "memory_bytes"}, {FACT_L0C_BYTES, "l0c_bytes"}};

	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		tap_int(space_bytes(l, spaces[i][0]), member(n, spaces[i][1]), "%s: %s", l->name,
			spaces[i][0]);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		tap_int(fact(l, facts[i].id), member(n, facts[i].name), "%s: %s", l->name,
			facts[i].name);
}

static void check_common(const struct json_node *root)
{
	const struct json_node *limits = json_find(root, "limits");
	const struct json_node *align = json_find(limits, "align_bytes");
	static const char *const spaces[] = {"ub", "l1", "l0a", "l0b", "l0c", "bt"};
	struct limits l;

	limits_find("Ascend910B3", &l);
	tap_int(l.grid_product, member(limits, "max_block_dim"), "blocks of a grid");
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		tap_int(limits_space(&l, spaces[i])->align, member(align, spaces[i]),
			"alignment of %s", spaces[i]);
}

static void check_superscalar(const struct json_node *root)
{
	const struct json_node *treg =
		json_find(json_find(json_find(root, "SuperscalarNPU"), "memory_spaces"), "TREG");
	struct limits l;

	tap_ok(limits_find("SuperscalarNPU", &l), "SuperscalarNPU is known");
	const struct memory_space *s = limits_space(&l, "treg");
	tap_int(s->unit_bytes, member(treg, "unit_bytes"), "bytes of a block of TREG");
	tap_int(s->max_units, member(treg, "max_units"), "blocks of TREG");
	tap_int(s->bytes, member(treg, "bytes"), "bytes of TREG");
	tap_int(s->align, member(treg, "align_bytes"), "alignment of TREG");
	tap_int(limits_space(&l, "ddr")->bytes, 0, "DDR is managed outside");
	tap_ok(limits_space(&l, "onchip") == s, "`onchip` is TREG");
}

static void test_socs(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	size_t n = 0;

	if (!tap_ok(json_open_file(SOCS, &doc, &e) == ASC_OK, "%s", SOCS))
		return;
	const struct json_node *socs = json_find(json_root(doc), "soc");
	for (const struct json_node *s = json_first(socs); s; s = json_next(s)) {
		const char *name = "";
		struct limits l;

		json_get_string(json_find(s, "soc"), &name, &e);
		if (strcmp(name, "Ascend910B") == 0)
			continue; /* no name leads to it: test_names() */
		if (tap_ok(limits_find(name, &l), "%s is known", name))
			check_soc(&l, s);
		n++;
	}
	tap_int(n, 60, "all but one of 61");
	check_common(json_root(doc));
	check_superscalar(json_root(doc));
	json_close(doc);
}

static void test_names(void)
{
	struct limits l;
	size_t n = 0;

	tap_ok(limits_find("Ascend910B", &l), "Ascend910B");
	tap_str(l.name, "Ascend910B3", "means Ascend910B3");
	tap_int(fact(&l, FACT_NPU_ARCH), 2201, "of the second generation");
	tap_str(limits_canonical("910B"), "Ascend910B3", "910B names Ascend910B3");
	tap_str(limits_canonical("950"), "Ascend950PR_9579", "950 has one too");
	tap_ok(limits_canonical("Ascend910B3") == NULL, "a full name stands for itself");
	tap_ok(limits_find("sm_90a", &l), "sm_90a");
	tap_str(l.name, "sm_90", "is sm_90");
	tap_ok(!limits_find("sm_9", &l) && !limits_find("sm_90x", &l) && !limits_find("sm_", &l) &&
		       !limits_find("", &l) && !limits_find("Ascend910B3a", &l),
	       "others are not known");
	tap_str(limits_nearest("Ascend910b3"), "Ascend910B3", "a suggestion");
	tap_ok(limits_nearest("toaster") == NULL, "none for what is like no name");
	for (; limits_at(n, &l); n++)
		if (strcmp(l.name, "Ascend910B") == 0)
			tap_ok(false, "the first generation's Ascend910B is listed");
	tap_int(n, 60 + 13 + 1, "models in all");
}

/* The programming guide's table, in KiB and blocks. */
static void test_cuda(void)
{
	static const struct {
		const char *name;
		int shared, block_shared, threads, blocks;
	} table[] = {{"sm_70", 96, 96, 2048, 32},    {"sm_75", 64, 64, 1024, 16},
		     {"sm_80", 164, 163, 2048, 32},  {"sm_86", 100, 99, 1536, 16},
		     {"sm_89", 100, 99, 1536, 24},   {"sm_90", 228, 227, 2048, 32},
		     {"sm_100", 228, 227, 2048, 32}, {"sm_120", 100, 99, 1536, 24}};
	struct limits l;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tap_ok(limits_find(table[i].name, &l), "%s is known", table[i].name);
		tap_int(space_bytes(&l, "shared"), table[i].block_shared * 1024,
			"%s: shared memory of a block", l.name);
		tap_int(fact(&l, FACT_SM_SHARED_BYTES), table[i].shared * 1024,
			"%s: of a multiprocessor", l.name);
		tap_int(fact(&l, FACT_SM_THREADS), table[i].threads, "%s: threads", l.name);
		tap_int(fact(&l, FACT_SM_BLOCKS), table[i].blocks, "%s: blocks", l.name);
	}
	tap_int(fact(&l, FACT_STATIC_SHARED_BYTES), 48 * 1024, "without opting in");
	tap_int(fact(&l, FACT_THREAD_REGISTERS), 255, "registers of a thread");
	tap_ok(limits_space(&l, "onchip") == NULL && limits_space(&l, "ub") == NULL,
	       "a GPU has no such space");
}

/* As NVRTC names them (its list of `-arch`): "a" for instructions of one architecture alone, which
 * 9.0 was the first to have. */
static void test_architectures(void)
{
	static const struct {
		int64_t capability;
		const char *name;
	} table[] = {
		{75, "sm_75"}, {89, "sm_89"}, {90, "sm_90a"}, {100, "sm_100a"}, {120, "sm_120a"}};
	char text[LIMITS_ARCH_SIZE];

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		limits_print_cuda_arch(table[i].capability, text);
		tap_str(text, table[i].name, "what compilers build for on %s", table[i].name);
	}
}

static void test_addresses(void)
{
	struct limits l;
	struct asc_err e;
	int64_t at = -1;

	limits_find("SuperscalarNPU", &l);
	const struct memory_space *treg = limits_space(&l, "treg");
	tap_int(memory_space_index(treg, 3 * 4096, &at, &e), ASC_OK, "a block's address");
	tap_int(at, 3, "is its number");
	tap_int(memory_space_index(treg, 3 * 4096 + 32, &at, &e), ASC_INTERNAL, "one between two");
	tap_str(e.text, "internal error: byte address 12320 of treg is not a multiple of 4096",
		"is an internal error");
	tap_int(at, 3, "gives no number");
	tap_int(memory_space_index(treg, -4096, &at, &e), ASC_INTERNAL, "below 0 too");
	tap_int(memory_space_round(treg, 1), 4096, "a byte takes a block");
	tap_int(memory_space_round(treg, 4096), 4096, "a block takes itself");
	tap_int(memory_space_round(treg, 0), 0, "nothing takes nothing");
	tap_ok(memory_space_round(treg, INT64_MAX) == INT64_MAX, "no overflow");
}

int main(void)
{
	test_socs();
	test_names();
	test_cuda();
	test_architectures();
	test_addresses();
	return tap_done();
}
