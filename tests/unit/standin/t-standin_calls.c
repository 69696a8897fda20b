/* The stand-in's operators that InfiniOps' implementations are made of: tensors that are changed in
 * place, places by numbers, rotary embeddings, and what each refuses (abi.md 13.3). Results are
 * worked out by hand.
 * covers: standin_content.c standin_index.c standin_rotary.c standin_math.c standin_tensor.c
 * standin_nnopbase.c standin_opapi.c */
#include <math.h>
#include <string.h>

#include "aclnn_case.h"
#include "tests/tap.h"

enum { LOST = 507015 };

static const float six[] = {1, -2, 3, 0.5F, 5, -6};

static struct aclScalar *scalar(float value)
{
	return nn.aclCreateScalar(&value, F32);
}

/* Phase one is to give this code. */
#define FIRST(code, call, ...)                                                                     \
	GIVES(nn.call##GetWorkspaceSize(__VA_ARGS__, &workspace_bytes, &executor), code)
#define RUN(call, ...) (FIRST(0, call, __VA_ARGS__), SECOND(call))

static void sums(void)
{
	const int64_t turned[] = {1, 3}, batch[] = {2, 1, 2}, column[] = {2, 2, 1},
		      one[] = {2, 1, 1}, rows[] = {2, 3};
	const float row[] = {10, 20}, four[] = {1, 2, 3, 4}, none[] = {NAN, NAN, NAN, NAN};

	begin();
	struct aclTensor *a = tensor(2, 3, six), *out = tensor(2, 2, NULL);
	struct aclTensor *b = view_of(a, F32, (const int64_t[]){3, 2}, 2, turned, 0);
	/* a by its own transpose: 14, -27.5, -27.5, 61.25; beta comes before alpha. */
	RUN(aclnnAddmm, tensor(1, 2, row), a, b, scalar(2), scalar(3), out, 0);
	HOLDS(near(numbers_of(out, 4)[0], 3 * 14 + 2 * 10));
	HOLDS(near(numbers_of(out, 4)[1], 3 * -27.5 + 2 * 20));
	HOLDS(near(numbers_of(out, 4)[2], 3 * -27.5 + 2 * 10));
	RUN(aclnnAddmm, tensor(2, 2, none), a, b, scalar(0), scalar(1), out, 0);
	HOLDS(near(numbers_of(out, 4)[3], 61.25));
	RUN(aclnnAddmm, out, a, b, scalar(1), scalar(1), out, 0);
	HOLDS(near(numbers_of(out, 4)[3], 122.5));
	struct aclTensor *x = tensor_of(F32, batch, 3, four), *y = tensor_of(F32, column, 3, four);
	struct aclTensor *z = tensor_of(F32, one, 3, NULL);
	RUN(aclnnBaddbmm, tensor_of(F32, one, 3, row), x, y, scalar(1), scalar(2), z, 0);
	HOLDS(near(numbers_of(z, 2)[0], 2 * (1 + 4) + 10));
	HOLDS(near(numbers_of(z, 2)[1], 2 * (9 + 16) + 20));
	FIRST(SHAPE, aclnnBaddbmm, out, a, b, scalar(1), scalar(1), out, 0);
	FIRST(SHAPE, aclnnAddmm, out, a, a, scalar(1), scalar(1), out, 0);
	FIRST(INVALID, aclnnAddmm, tensor(3, 2, six), a, b, scalar(1), scalar(1), out, 0);
	FIRST(INVALID, aclnnAddmm, out, tensor_of(F16, rows, 2, NULL), b, scalar(0), scalar(1), out,
	      0);
	FIRST(NULLPTR, aclnnAddmm, out, a, b, NULL, scalar(1), out, 0);
}

static void places(void)
{
	const int64_t three = 3, rows[] = {2, 3}, gaps[] = {4, 1}, again[] = {0, 1};
	const char mask[] = {0, 1, 0};
	const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

	begin();
	struct aclTensor *memory = tensor(2, 4, ones);
	struct aclTensor *out = view_of(memory, F32, rows, 2, gaps, 0);
	RUN(aclnnInplaceCopy, out, tensor(2, 3, six));
	HOLDS(near(numbers_of(memory, 8)[2], 3) && near(numbers_of(memory, 8)[4], 0.5));
	HOLDS(near(numbers_of(memory, 8)[3], 1) && near(numbers_of(memory, 8)[7], 1));
	RUN(aclnnInplaceCopy, out, tensor(1, 3, six));
	HOLDS(near(numbers_of(memory, 8)[6], 3));
	struct aclTensor *hidden = tensor_of(TRUTH, &three, 1, mask);
	RUN(aclnnInplaceMaskedFillScalar, out, hidden, scalar(-INFINITY));
	HOLDS(numbers_of(memory, 8)[1] == -INFINITY && numbers_of(memory, 8)[5] == -INFINITY);
	HOLDS(near(numbers_of(memory, 8)[0], 1) && near(numbers_of(memory, 8)[3], 1));
	FIRST(INVALID, aclnnInplaceMaskedFillScalar, out, tensor(1, 3, six), scalar(0));
	FIRST(INVALID, aclnnInplaceMaskedFillScalar, out, tensor_of(TRUTH, rows, 1, mask),
	      scalar(0));
	FIRST(INVALID, aclnnInplaceCopy, view_of(memory, F32, rows, 2, again, 0),
	      tensor(2, 3, six));
	FIRST(INVALID, aclnnInplaceCopy, out, tensor(3, 2, six));
	/* The vendor's operator passes over the strides of its output. */
	RUN(aclnnInplaceCopy, memory, tensor(2, 4, ones));
	RUN(aclnnSwiGlu, tensor(2, 6, (const float[12]){0}), -1, out);
	HOLDS(numbers_of(memory, 8)[3] == 0 && near(numbers_of(memory, 8)[6], 1));
}

static void numbers(void)
{
	const int64_t index[] = {1, 0, 1}, last[] = {-1, 0}, three = 3, two = 2, shape[] = {3, 1};
	const int32_t columns[] = {2, 0};

	begin();
	struct aclTensor *x = tensor(2, 3, six), *out = tensor(3, 3, NULL);
	struct aclTensor *i = tensor_of(I64, &three, 1, index);
	RUN(aclnnIndexSelect, x, 0, i, out);
	HOLDS(near(numbers_of(out, 9)[0], 0.5) && near(numbers_of(out, 9)[4], -2));
	HOLDS(near(numbers_of(out, 9)[8], -6));
	struct aclTensor *some = tensor_of(I32, &two, 1, columns), *narrow = tensor(2, 2, NULL);
	RUN(aclnnIndexSelect, x, -1, some, narrow);
	HOLDS(near(numbers_of(narrow, 4)[0], 3) && near(numbers_of(narrow, 4)[3], 0.5));
	/* Another table of the same shape, and the first one again. */
	const float other[] = {9, 9, 9, 8, 8, 8};
	RUN(aclnnIndexSelect, tensor(2, 3, other), 0, i, out);
	HOLDS(near(numbers_of(out, 9)[0], 8) && near(numbers_of(out, 9)[4], 9));
	RUN(aclnnIndexSelect, x, 0, i, out);
	HOLDS(near(numbers_of(out, 9)[0], 0.5) && near(numbers_of(out, 9)[4], -2));
	FIRST(INVALID, aclnnIndexSelect, x, 0, tensor(1, 3, six), out);
	FIRST(SHAPE, aclnnIndexSelect, x, 0, tensor_of(I64, shape, 2, index), out);
	FIRST(SHAPE, aclnnIndexSelect, x, 0, some, out);
	FIRST(SHAPE, aclnnIndexSelect, x, 2, i, out);
	/* -1 is the last place. */
	struct aclTensor *to = tensor_of(I64, &two, 1, last);
	FIRST(0, aclnnInplaceIndexCopy, out, 0, to, x);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), INNER_NULLPTR);
	SECOND(aclnnInplaceIndexCopy);
	HOLDS(near(numbers_of(out, 9)[6], 1) && near(numbers_of(out, 9)[8], 3));
	HOLDS(near(numbers_of(out, 9)[0], 0.5) && near(numbers_of(out, 9)[4], -2));
	FIRST(SHAPE, aclnnInplaceIndexCopy, out, 0, i, x);
	FIRST(INVALID, aclnnInplaceIndexCopy, out, 0, to,
	      tensor_of(I32, (const int64_t[]){2, 3}, 2, NULL));
	FIRST(0, aclnnIndexSelect, x, 0, to, narrow = tensor(2, 3, NULL));
	SECOND(aclnnIndexSelect);
	GIVES(acl.stream_synchronize(stream), LOST);
}

/* Two tokens with a head of a query and of a key, whose elements are 1, 2, ... */
enum { TOKENS = 2, WIDE = 64 };

static void rotary(void)
{
	const int64_t dims[] = {TOKENS, 1, WIDE}, many[] = {TOKENS, 200, WIDE},
		      small[] = {2, 1, 32};
	float x[TOKENS * WIDE], cosine[TOKENS * WIDE], sine[TOKENS * WIDE];
	char half[] = "half", pairs[] = "interleave";

	for (int i = 0; i < TOKENS * WIDE; i++) {
		x[i] = (float)(i % WIDE + 1);
		cosine[i] = i < WIDE ? 0.5F : 1;
		sine[i] = i < WIDE ? 2 : 0;
	}
	begin();
	struct aclTensor *q = tensor_of(F32, dims, 3, x), *k = tensor_of(F32, dims, 3, x),
			 *c = tensor_of(F32, dims, 3, cosine), *s = tensor_of(F32, dims, 3, sine);
	RUN(aclnnApplyRotaryPosEmbV2, q, k, c, s, 4, half);
	HOLDS(near(numbers_of(q, 128)[0], 0.5 * 1 - 2 * 33));
	HOLDS(near(numbers_of(k, 128)[32], 0.5 * 33 + 2 * 1));
	HOLDS(near(numbers_of(q, 128)[WIDE + 5], 6));
	FIRST(INVALID, aclnnApplyRotaryPosEmbV2, q, k, c, s, 2, half);
	FIRST(INVALID, aclnnApplyRotaryPosEmbV2, q, k, c, s, 4, pairs);
	FIRST(INVALID, aclnnApplyRotaryPosEmbV2, q, k, c, s, 4, NULL);
	FIRST(INVALID, aclnnApplyRotaryPosEmbV2, q, view_of(k, F16, dims, 3, NULL, 0), c, s, 4,
	      half);
	FIRST(SHAPE, aclnnApplyRotaryPosEmbV2, q, k, c, s, 1, half);
	/* 5 (200 + 1) 64 4 bytes and 4 64 4 more are over the 196608 of UB. */
	FIRST(SHAPE, aclnnApplyRotaryPosEmbV2, view_of(q, F32, many, 3, NULL, 0), k, c, s, 4, half);
	FIRST(SHAPE, aclnnApplyRotaryPosEmbV2, q, k, view_of(c, F32, many, 3, NULL, 0), s, 4, half);
	struct aclTensor *t[4];
	for (int i = 0; i < 4; i++)
		t[i] = view_of(q, F32, small, 3, NULL, 0);
	FIRST(SHAPE, aclnnApplyRotaryPosEmbV2, t[0], t[1], t[2], t[3], 4, half);
}

enum { D = 32, R = 16 };

static struct {
	struct aclTensor *positions, *query, *key, *table, *query_out, *key_out;
} rope;

static void make_rope(const int64_t positions[TOKENS])
{
	const int64_t tokens = TOKENS;
	float x[TOKENS * D], table[3 * R];

	for (int i = 0; i < TOKENS * D; i++)
		x[i] = (float)(i % D + 1);
	/* Row p: cosines p + 1, sines -p. */
	for (int i = 0; i < 3 * R; i++)
		table[i] = i % R < R / 2 ? (float)(i / R + 1) : (float)-(i / R);
	begin();
	rope.positions = tensor_of(I64, &tokens, 1, positions);
	rope.query = tensor(TOKENS, D, x);
	rope.key = tensor(TOKENS, D, x);
	rope.table = tensor(3, R, table);
	rope.query_out = tensor(TOKENS, D, NULL);
	rope.key_out = tensor(TOKENS, D, NULL);
}

#define ROPE(query, section, size, halves)                                                         \
	rope.positions, query, rope.key, rope.table, section, size, halves, rope.query_out,        \
		rope.key_out

static void cached(void)
{
	const int64_t two_dims[] = {TOKENS, 1, D}, gaps[] = {2 * D, 1}, rows[] = {1, D};

	make_rope((const int64_t[]){2, 0});
	RUN(aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, D, true));
	/* Halves of the first 16: 1 and 9; cosine 3, sine -2. */
	HOLDS(near(numbers_of(rope.query_out, 64)[0], 1 * 3 + 9 * 2));
	HOLDS(near(numbers_of(rope.query_out, 64)[8], 9 * 3 - 1 * 2));
	HOLDS(near(numbers_of(rope.query_out, 64)[16], 17));
	HOLDS(near(numbers_of(rope.key_out, 64)[D + 3], 4));
	RUN(aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, D, false));
	HOLDS(near(numbers_of(rope.query_out, 64)[0], 1 * 3 + 2 * 2));
	HOLDS(near(numbers_of(rope.query_out, 64)[1], 2 * 3 - 1 * 2));
	FIRST(SHAPE, aclnnRopeWithSinCosCache,
	      ROPE(view_of(rope.query, F32, two_dims, 3, NULL, 0), NULL, D, true));
	FIRST(SHAPE, aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, 8, true));
	FIRST(INVALID, aclnnRopeWithSinCosCache,
	      ROPE(view_of(rope.query, F16, (const int64_t[]){TOKENS, D}, 2, NULL, 0), NULL, D,
		   true));
	struct aclIntArray *section = nn.aclCreateIntArray(rows, 2);
	FIRST(INVALID, aclnnRopeWithSinCosCache, ROPE(rope.query, section, D, true));
	GIVES(nn.aclDestroyIntArray(section), 0);
	GIVES(nn.aclDestroyIntArray(section), NULLPTR);
	rope.query_out = view_of(rope.query_out, F32, (const int64_t[]){TOKENS, D}, 2, gaps, 0);
	FIRST(SHAPE, aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, D, true));
}

static void beyond(void)
{
	make_rope((const int64_t[]){0, 3});
	RUN(aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, D, true));
	GIVES(acl.stream_synchronize(stream), LOST);
}

static void newer(void)
{
	make_rope((const int64_t[]){0, 1});
	FIRST(INVALID, aclnnRopeWithSinCosCache, ROPE(rope.query, NULL, D, true));
}

/* Keys and values of 4 elements, a token each, and caches of 2 blocks of 2 in one memory. */
static struct {
	struct aclTensor *key, *value, *memory, *keys, *values;
} kv;

#define SCATTER(slots, mode)                                                                       \
	kv.key, kv.keys, slots, kv.value, kv.values, NULL, NULL, NULL, mode, NULL, NULL, NULL

static struct aclTensor *make_cache(int32_t first, int32_t second)
{
	const int64_t rows[] = {2, 1, 4}, cache[] = {2, 2, 1, 4}, all = 32, two = 2;
	const int32_t slots[] = {first, second};
	uint16_t x[8];

	for (int i = 0; i < 8; i++)
		x[i] = (uint16_t)(i + 1);
	begin();
	kv.key = tensor_of(F16, rows, 3, x);
	kv.value = tensor_of(F16, rows, 3, x);
	kv.memory = tensor_of(F16, &all, 1, NULL);
	kv.keys = view_of(kv.memory, F16, cache, 4, NULL, 0);
	kv.values = view_of(kv.memory, F16, cache, 4, NULL, 16);
	return tensor_of(I32, &two, 1, slots);
}

static void scatter(void)
{
	uint16_t have[32];
	char other[] = "PA_NZ", usual[] = "Norm";
	struct aclTensor *slots = make_cache(3, 0);

	RUN(aclnnScatterPaKvCache, SCATTER(slots, usual));
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(have, sizeof have, data_of(kv.memory), sizeof have, D2H), 0);
	HOLDS(have[12] == 1 && have[15] == 4 && have[0] == 5 && have[3] == 8 && have[4] == 0);
	HOLDS(have[16 + 12] == 1 && have[16] == 5 && have[16 + 11] == 0);
	FIRST(INVALID, aclnnScatterPaKvCache, SCATTER(slots, other));
	FIRST(INVALID, aclnnScatterPaKvCache, SCATTER(kv.key, usual));
	FIRST(INVALID, aclnnScatterPaKvCache, kv.key, kv.keys, slots, kv.value, kv.values, slots,
	      NULL, NULL, NULL, NULL, NULL, NULL);
	kv.key = view_of(kv.key, F16, (const int64_t[]){1, 2, 4}, 3, NULL, 0);
	FIRST(SHAPE, aclnnScatterPaKvCache, SCATTER(slots, NULL));
}

static void scatter_beyond(void)
{
	struct aclTensor *slots = make_cache(1, 4);

	RUN(aclnnScatterPaKvCache, SCATTER(slots, NULL));
	GIVES(acl.stream_synchronize(stream), LOST);
}

static void scatter_padding(void)
{
	struct aclTensor *slots = make_cache(1, -1);

	RUN(aclnnScatterPaKvCache, SCATTER(slots, NULL));
	GIVES(acl.stream_synchronize(stream), LOST);
}

static void scatter_twice(void)
{
	struct aclTensor *slots = make_cache(1, 1);

	RUN(aclnnScatterPaKvCache, SCATTER(slots, NULL));
	GIVES(acl.stream_synchronize(stream), LOST);
}

/* ---- chains that are made again ---- */

static struct {
	struct aclTensor *x, *temp, *out;
	struct aclOpExecutor *copy, *fill, *add;
} chain;

/* temp = x; temp[1] = temp[4] = 7; out = temp + x. */
static void make_chain(void)
{
	const int64_t three = 3;
	const char mask[] = {0, 1, 0};

	begin();
	chain.x = tensor(2, 3, six);
	chain.temp = tensor(2, 3, NULL);
	chain.out = tensor(2, 3, NULL);
	FIRST(0, aclnnInplaceCopy, chain.temp, chain.x);
	chain.copy = executor;
	FIRST(0, aclnnInplaceMaskedFillScalar, chain.temp, tensor_of(TRUTH, &three, 1, mask),
	      scalar(7));
	chain.fill = executor;
	FIRST(0, aclnnAdd, chain.temp, chain.x, scalar(1), chain.out);
	chain.add = executor;
	GIVES(nn.aclSetAclOpExecutorRepeatable(chain.copy), 0);
	GIVES(nn.aclSetAclOpExecutorRepeatable(chain.fill), 0);
	GIVES(nn.aclSetAclOpExecutorRepeatable(chain.add), 0);
}

static void launch_chain(int times)
{
	for (int i = 0; i < times; i++) {
		GIVES(nn.aclnnInplaceCopy(NULL, 0, chain.copy, stream), 0);
		GIVES(nn.aclnnInplaceMaskedFillScalar(NULL, 0, chain.fill, stream), 0);
		GIVES(nn.aclnnAdd(NULL, 0, chain.add, stream), 0);
	}
}

static void write(const struct aclTensor *t, const float *numbers)
{
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(data_of(t), sizeof six, numbers, sizeof six, H2D), 0);
}

static bool holds(const struct aclTensor *t, double first, double second)
{
	const float *n = numbers_of(t, 6);

	return near(n[0], first) && near(n[1], second);
}

/* Whatever is put off, what is read is what launches one after the other would have left. */
static void chains(void)
{
	const float twos[] = {2, 2, 2, 2, 2, 2}, zeros[6] = {0};

	make_chain();
	launch_chain(2);
	HOLDS(holds(chain.out, 2, 5) && holds(chain.temp, 1, 7));
	launch_chain(100);
	HOLDS(holds(chain.temp, 1, 7) && holds(chain.out, 2, 5));
	/* An output that was written over, as before a launch that is verified. */
	write(chain.out, zeros);
	launch_chain(100);
	HOLDS(holds(chain.out, 2, 5) && holds(chain.temp, 1, 7));
	/* The first of a chain that is begun. */
	GIVES(nn.aclnnInplaceCopy(NULL, 0, chain.copy, stream), 0);
	HOLDS(holds(chain.temp, 1, -2));
	GIVES(nn.aclnnInplaceCopy(NULL, 0, chain.copy, stream), 0);
	write(chain.temp, twos);
	GIVES(nn.aclnnInplaceMaskedFillScalar(NULL, 0, chain.fill, stream), 0);
	HOLDS(holds(chain.temp, 2, 7));
	GIVES(nn.aclnnAdd(NULL, 0, chain.add, stream), 0);
	HOLDS(holds(chain.out, 3, 5));
	/* Other inputs, and the first ones again. */
	write(chain.x, twos);
	launch_chain(3);
	HOLDS(holds(chain.out, 4, 9));
	write(chain.x, six);
	launch_chain(3);
	HOLDS(holds(chain.out, 2, 5));
	/* A part that something else writes. */
	const int64_t one = 1;
	struct aclTensor *part = view_of(chain.temp, F32, &one, 1, NULL, 1);
	launch_chain(1);
	RUN(aclnnInplaceCopy, part, view_of(chain.x, F32, &one, 1, NULL, 4));
	HOLDS(holds(chain.temp, 1, 5));
	launch_chain(2);
	HOLDS(holds(chain.temp, 1, 7));
	/* An input that is gone before anybody has read what it was for. */
	write(chain.out, zeros);
	launch_chain(1);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.free(data_of(chain.x)), 0);
	HOLDS(holds(chain.out, 2, 5));
}

/* No launch leaves what the one before it has left. */
static void in_place_again(void)
{
	begin();
	struct aclTensor *a = tensor(2, 3, six);
	FIRST(0, aclnnAdd, a, a, scalar(1), a);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), 0);
	for (int i = 0; i < 3; i++)
		GIVES(nn.aclnnAdd(NULL, 0, executor, stream), 0);
	HOLDS(holds(a, 8, -16));
	write(a, six);
	for (int i = 0; i < 3; i++)
		GIVES(nn.aclnnAdd(NULL, 0, executor, stream), 0);
	HOLDS(holds(a, 8, -16));
}

int main(void)
{
	standin_case("head", "", sums, "products and what is added");
	standin_case("head", "", places, "copies and fills in place");
	standin_case("head", "", numbers, "places by numbers");
	standin_case("head", "", rotary, "rotary embeddings in place");
	standin_case("head", "", cached, "rotary embeddings by a table");
	tap_has(standin_case_log(), "balance integer arrays: 1 made, 1 freed", "arrays balance");
	standin_case("head", "", beyond, "a position beyond the table");
	standin_case("head", "soc=Ascend950PR_9579", newer, "a model that it is not for");
	standin_case("head", "", scatter, "caches in blocks");
	standin_case("head", "", scatter_beyond, "a slot beyond the cache");
	standin_case("head", "", scatter_padding, "padding");
	standin_case("head", "", scatter_twice, "two tokens with one slot");
	standin_case("head", "", chains, "chains that are made again");
	standin_case("head", "", in_place_again, "one operator in place, again and again");
	return tap_done();
}
