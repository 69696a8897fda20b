/* Rewrites: each rule and its near misses, what they add to a space, what they fold, and what is
 * told of them.
 * covers: rewrite.c
 * binding_rewrite.c */
#include "tuner/workload/rewrite.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

static struct asc_err e;

static void test_list(void)
{
	for (const struct rewrite_ops *const *r = rewrite_list; *r; r++) {
		tap_ok(*(*r)->summary && *(*r)->source && *(*r)->effect && (*r)->check &&
			       !(*r)->pair == !(*r)->relax && !(*r)->pair == !!(*r)->fold,
		       "%s is complete", (*r)->name);
		tap_ok(rewrite_find((*r)->name) == *r, "found by its name");
		tap_ok(rewrite_asked(*r, "npu") && !rewrite_asked(*r, "cuda") &&
			       !rewrite_asked(*r, "cpu"),
		       "Ascend asks for it, nobody else");
	}
	tap_ok(!rewrite_find("square") && !rewrite_find(""), "no other name is");
	tap_int(rewrite_bit(rewrite_list[0]) | rewrite_bit(rewrite_list[1]) |
			rewrite_bit(rewrite_list[2]),
		7, "each has a bit");
}

/* ---- square-block over an autotune list ---- */

static const char *const plain[] = {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "num_warps"};
static const char *const mixed[] = {"num_warps", "MY_BLOCK_SIZE", "BLOCK_SIZE"};
static const char *const three[] = {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"};
static const char *const other[] = {"BLOCK_M", "BLOCK_N", "num_warps"};
static const char *const one[] = {"BLOCK_SIZE_M", "BLOCK_N", "num_warps"};

struct list {
	const char *what;
	const char *const *names;
	size_t n;
	int64_t values[4][3];
};

/* By the rule, or not quite. */
static const struct list lists[] = {
	{"two configurations", plain, 2, {{32, 32, 4}, {64, 64, 4}}},
	{"four configurations", plain, 4, {{32, 32, 4}, {64, 64, 4}, {128, 128, 4}, {256, 256, 4}}},
	{"another order", plain, 3, {{64, 64, 4}, {32, 32, 4}, {128, 128, 4}}},
	{"other sizes", plain, 3, {{32, 32, 4}, {64, 64, 4}, {256, 256, 4}}},
	{"a rectangle among them", plain, 3, {{32, 32, 4}, {64, 32, 4}, {128, 128, 4}}},
	{"three block sizes", three, 3, {{32, 32, 32}, {64, 64, 64}, {128, 128, 128}}},
	{"one block size", one, 3, {{32, 32, 4}, {64, 64, 4}, {128, 128, 4}}},
	{"BLOCK_M is no BLOCK_SIZE", other, 3, {{32, 32, 4}, {64, 64, 4}, {128, 128, 4}}},
	{"an empty list", plain, 0, {{0}}},
};

static void make_list(const struct list *l, struct autotune_entry *out)
{
	for (size_t i = 0; i < l->n; i++) {
		out[i] = (struct autotune_entry){.names = l->names, .config.n = 3};
		for (size_t k = 0; k < 3; k++)
			out[i].config.values[k] = value_int(l->values[i][k]);
	}
}

static bool equals(const struct autotune_entry *a, const int64_t values[3])
{
	bool same = true;
	for (size_t k = 0; k < 3; k++)
		same &= value_equal(a->config.values[k], value_int(values[k]));
	return same;
}

static void test_square_list(void)
{
	static const struct list squares = {
		"", plain, 3, {{32, 32, 4}, {64, 64, 8}, {128, 128, 4}}};
	static const int64_t want[3][3] = {{32, 64, 4}, {64, 128, 8}, {128, 64, 4}};
	static const int64_t swapped[3] = {4, 128, 64};
	struct autotune_entry list[4];
	make_list(&squares, list);
	tap_ok(rewrite_square_list(list, 3), "three squares are rewritten");
	for (size_t i = 0; i < 3; i++)
		tap_ok(equals(&list[i], want[i]), "configuration %zu", i);
	tap_ok(!rewrite_square_list(list, 3), "once");
	make_list(&squares, list);
	list[2].names = mixed;
	list[2].config.values[0] = value_int(4);
	list[2].config.values[2] = value_int(128);
	tap_ok(rewrite_square_list(list, 3), "the keys of a configuration are its own");
	tap_ok(equals(&list[2], swapped), "the first of its two gets the first size");
}

static void test_square_near_misses(void)
{
	struct autotune_entry list[4];
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		bool same = true;
		make_list(&lists[i], list);
		tap_ok(!rewrite_square_list(list, lists[i].n), "%s: no rewrite", lists[i].what);
		for (size_t k = 0; k < lists[i].n; k++)
			same &= equals(&list[k], lists[i].values[k]);
		tap_ok(same, "nothing changed");
	}
}

/* ---- key-filter ---- */

static void test_key_filter(void)
{
	const char *keys[] = {"b_size_next_power_of_2",
			      "stride_0",
			      "constexpr_size",
			      "M",
			      "a_size_0",
			      "constexpr_size_next_power_of_2",
			      "a_size_1",
			      "size",
			      "constexpr_size_1"};
	const char *many[] = {"size_1", "size_2", "size_3", "size_4", "size_5", "size_6", "size_7"};
	const char *none[] = {"M", "N"};
	/* Plain names, then `constexpr`, then `next_power_of_2`, each in the order given: seven
	 * names, of which the first six stay. */
	static const char *const want[] = {
		"a_size_0",       "a_size_1",         "size",
		"constexpr_size", "constexpr_size_1", "b_size_next_power_of_2"};
	if (tap_int((long)rewrite_key_filter(keys, 9), REWRITE_MAX_KEYS, "keys that are sizes"))
		for (size_t i = 0; i < REWRITE_MAX_KEYS; i++)
			tap_str(keys[i], want[i], "key %zu", i);
	tap_int((long)rewrite_key_filter(many, 7), 6, "as many as there are axes");
	tap_int((long)rewrite_key_filter(none, 2), 0, "none is called a size");
}

static void test_square_partner(void)
{
	tap_int(rewrite_square_partner(0, 3), 1, "the next larger");
	tap_int(rewrite_square_partner(1, 3), 2, "partner of the second value");
	tap_int(rewrite_square_partner(2, 3), 1, "the last with the one before");
	tap_int(rewrite_square_partner(0, 1), 0, "one alone has none");
}

/* ---- spaces ---- */

static struct workload *full;

static bool bind(struct binding *b, const char *device)
{
	const struct problem *p = workload_find_problem(full, "large-half");
	return tap_int(binding_init(b, full, p, device, NULL, &e), ASC_OK, "bound to %s", device);
}

static const struct implementation *tiled(void)
{
	return workload_find_implementation(full, "tiled");
}

static void check_count(const char *device, unsigned off, uint64_t want, const char *what)
{
	struct binding b;
	struct space *s = NULL;
	if (!bind(&b, device))
		return;
	b.rewrites_off = off;
	if (tap_int(binding_space(&b, tiled(), &s, &e), ASC_OK, "the space of tiled"))
		tap_int(space_count(s), (long long)want, "%s", what);
	space_free(s);
	binding_fini(&b);
}

/* TILE in 1024 2048 4096 with SUB in 512 1024 2048 4096: 2 + 3 + 4 divide; SIDE_M and SIDE_N in 16
 * 32 64: three squares and three rectangles. */
static void test_counts(void)
{
	const unsigned square = rewrite_bit(rewrite_find("square-block"));
	const unsigned sub = rewrite_bit(rewrite_find("sub-block"));
	check_count("npu", 0, 9 * 6, "both");
	check_count("npu", square, 9 * 3, "without square-block");
	check_count("npu", sub, 3 * 6, "without sub-block");
	check_count("npu", ~0U, 3 * 3, "without any");
	check_count("cuda", 0, 3 * 3, "a GPU asks for none");
}

static void test_nothing_is_removed(void)
{
	struct binding b;
	struct space *with = NULL, *without = NULL;
	struct config c;
	uint64_t index, added = 0;
	size_t missing = 0;
	if (!bind(&b, "npu"))
		return;
	if (tap_ok(binding_space(&b, tiled(), &with, &e) == ASC_OK, "with rewrites") &&
	    tap_ok((b.rewrites_off = ~0U, binding_space(&b, tiled(), &without, &e) == ASC_OK),
		   "without")) {
		for (uint64_t i = 0; i < space_count(without); i++) {
			space_get(without, i, &c);
			missing += !space_find(with, &c, &index);
		}
		tap_int(missing, 0, "what is there without a rewrite is there with it");
		b.rewrites_off = 0;
		tap_int(binding_count_added(&b, tiled(), with, rewrite_find("square-block"), &added,
					    &e),
			ASC_OK, "what one of them adds");
		tap_int(added, 9 * 3, "is what is missing without it");
		tap_int(binding_count_added(&b, tiled(), with, rewrite_find("axis-limit"), &added,
					    &e),
			ASC_OK, "what another adds");
		tap_int(added, 0, "is nothing where no grid is large");
	}
	space_free(with);
	space_free(without);
	binding_fini(&b);
}

/* ---- launches ---- */

static void test_fold(void)
{
	static const int64_t sizes[][2] = {
		{1, 1},          {65535, 65535},   {65536, 32768},    {131070, 65535},
		{131071, 43691}, {1000000, 62500}, {INT32_MAX, 65535}};
	const struct rewrite_ops *r = rewrite_find("axis-limit");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int64_t grid[3] = {sizes[i][0], 1, 1};
		r->fold(grid);
		tap_int(grid[0], sizes[i][1], "%lld blocks", (long long)sizes[i][0]);
		const int64_t turns = (sizes[i][0] + 65534) / 65535;
		tap_ok(grid[0] * turns >= sizes[i][0] && grid[1] == 1 && grid[2] == 1,
		       "all are walked in %lld turns", (long long)turns);
	}
}

static const struct config config =
	{/* TILE, SUB, SIDE_M, SIDE_N */
	 .n = 4,
	 .values = {{VALUE_INT, {2048}}, {VALUE_INT, {512}}, {VALUE_INT, {32}}, {VALUE_INT, {64}}}};

/* tiled with so many blocks */
static struct implementation with_grid(const char *text)
{
	struct implementation i = *tiled();
	i.calls[0].launch.grid[0].text = text;
	return i;
}

static void test_plan(void)
{
	struct binding b;
	struct plan p;
	const struct implementation i = with_grid("70000");
	if (!bind(&b, "npu"))
		return;
	tap_int(binding_plan(&b, &i, 0, &config, &p, &e), ASC_OK, "a large launch");
	tap_int(p.grid[0], 35000, "is folded");
	tap_int(p.arguments[4].kind, ARG_SCALAR, "the number of blocks is a plain argument");
	tap_int(p.arguments[4].type, DTYPE_I64, "of 64 bits");
	tap_int(p.arguments[4].scalar.i, 70000, "the kernel walks all of them");
	b.rewrites_off = rewrite_bit(rewrite_find("axis-limit"));
	tap_int(binding_plan(&b, &i, 0, &config, &p, &e), ASC_OK, "without axis-limit");
	tap_int(p.grid[0], 70000, "the grid is as stated");
	binding_fini(&b);
	if (!bind(&b, "cuda"))
		return;
	tap_int(binding_plan(&b, &i, 0, &config, &p, &e), ASC_OK, "on a GPU");
	tap_int(p.grid[0], 70000, "the grid is as stated there too");
	binding_fini(&b);
}

static void test_plan_overflow(void)
{
	struct binding b;
	struct plan p;
	struct implementation i = with_grid("2 ** 31 - 1");
	i.calls[0].launch.grid[1] = i.calls[0].launch.grid[2] = i.calls[0].launch.grid[0];
	if (!bind(&b, "npu"))
		return;
	tap_int(binding_plan(&b, &i, 0, &config, &p, &e), ASC_INPUT, "more than 2^63 blocks");
	tap_has(e.text, "launch.grid[0]: a grid of 2147483647 x 2147483647 x 2147483647", "named");
	binding_fini(&b);
}

/* ---- what is told ---- */

static void check_told(const struct binding *b, const struct implementation *i,
		       const struct config *c, const char *text, const char *json, size_t n)
{
	struct buf lines = {0}, written = {0};
	struct json_writer w = {&written, false};
	size_t made = 0;
	tap_int(binding_explain_rewrites(b, i, c, &lines, &e), ASC_OK, "explained");
	tap_str(buf_str(&lines), text, "in words");
	tap_int(binding_write_rewrites(b, i, c, NULL, &w, &made, &e), ASC_OK, "written");
	tap_int(made, n, "%zu made it", n);
	tap_str(buf_str(&written), json, "JSON as recorded");
	buf_fini(&lines);
	buf_fini(&written);
}

static void test_told(void)
{
	struct binding b;
	struct config whole = config, strange = config; /* no rewrite would make the latter */
	const struct implementation i = with_grid("65536");
	whole.values[1].i = 2048;
	whole.values[3].i = 32;
	if (!bind(&b, "npu"))
		return;
	check_told(&b, &i, &config,
		   "rewrite square-block: SIDE_M=32,SIDE_N=32 -> SIDE_M=32,SIDE_N=64\n"
		   "rewrite sub-block: TILE=2048,SUB=2048 -> TILE=2048,SUB=512\n"
		   "rewrite axis-limit: grid=65536 -> grid=32768\n",
		   "[{\"rewrite\":\"square-block\",\"before\":{\"SIDE_M\":32,\"SIDE_N\":32},"
		   "\"after\":{\"SIDE_M\":32,\"SIDE_N\":64}},"
		   "{\"rewrite\":\"sub-block\",\"before\":{\"TILE\":2048,\"SUB\":2048},"
		   "\"after\":{\"TILE\":2048,\"SUB\":512}},"
		   "{\"rewrite\":\"axis-limit\",\"before\":{\"grid\":65536},"
		   "\"after\":{\"grid\":32768}}]",
		   3);
	strange.values[2].i = 64;
	strange.values[3].i = 16;
	strange.values[1].i = 0;
	check_told(&b, tiled(), &strange,
		   "rewrite square-block: changes nothing here\n"
		   "rewrite sub-block: changes nothing here\n"
		   "rewrite axis-limit: changes nothing here\n",
		   "[]", 0);
	b.rewrites_off = rewrite_bit(rewrite_find("axis-limit"));
	check_told(&b, tiled(), &whole,
		   "rewrite square-block: changes nothing here\n"
		   "rewrite sub-block: changes nothing here\n"
		   "rewrite axis-limit: not applied: switched off\n",
		   "[]", 0);
	binding_fini(&b);
	if (!bind(&b, "cuda"))
		return;
	check_told(&b, &i, &whole,
		   "rewrite square-block: not applied: cuda does not ask for it\n"
		   "rewrite sub-block: not applied: cuda does not ask for it\n"
		   "rewrite axis-limit: not applied: cuda does not ask for it\n",
		   "[]", 0);
	binding_fini(&b);
}

int main(void)
{
	const enum asc_status s = workload_open(TEST_DATA "/data/workload/full.json", &full, &e);
	test_list();
	test_square_list();
	test_square_near_misses();
	test_square_partner();
	test_key_filter();
	test_fold();
	if (tap_int(s, ASC_OK, "full.json: %s", s ? e.text : "opens")) {
		test_counts();
		test_nothing_is_removed();
		test_plan();
		test_plan_overflow();
		test_told();
	}
	workload_close(full);
	return tap_done();
}
