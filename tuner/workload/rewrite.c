#include "tuner/workload/rewrite.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

static const char *const npu[] = {"npu", NULL}; /* the class that the rewrites of Ascend are for */

/* Checks that a parameter of a pair is one of positive integers, on every device. */
static enum asc_status block_check(const struct rewrite_use *u, const struct parameter *p,
				   struct asc_err *e)
{
	char text[64];
	/* "otherwise" and the rewrite would both say what its value is elsewhere. */
	if (p->devices.node)
		return json_fail(u->node, e,
				 "%s has \"devices\", but %s says what it is where it is not "
				 "applied: expected it on every device",
				 p->name, u->ops->name);
	for (size_t i = 0; i < p->n_values; i++) {
		if (p->values[i].kind == VALUE_INT && p->values[i].i > 0)
			continue;
		value_print(p->values[i], text, sizeof text);
		return json_fail(u->node, e, "%s has the value %s, expected positive integers",
				 p->name, text);
	}
	return ASC_OK;
}

/* ---- square-block: square blocks become rectangular ones too, which Ascend's path favours ---- */

enum { MAX_SQUARES = 32 }; /* the condition names every pair */

/* The only known list of rectangles, and the list that it replaces. */
static const int64_t squares[] = {32, 64, 128};
static const int64_t rectangles[][2] = {{32, 64}, {64, 128}, {128, 64}};
enum { LIST_LENGTH = sizeof squares / sizeof *squares };

/* Finds the keys of an entry that are block sizes; returns their number, which may exceed those
 * kept. */
static size_t find_blocks(const struct autotune_entry *a, size_t at[2])
{
	size_t n = 0;
	for (size_t i = 0; i < a->config.n; i++) {
		if (!strstr(a->names[i], "BLOCK_SIZE"))
			continue;
		/* Counted beyond two, so that three keys are told from two. */
		if (n < 2)
			at[n] = i;
		n++;
	}
	return n;
}

bool rewrite_square_list(struct autotune_entry *list, size_t n)
{
	size_t at[LIST_LENGTH][2];
	/* The rule knows one list; every other one stays as it is. */
	if (n != LIST_LENGTH)
		return false;
	/* Checked whole before anything is changed. */
	for (size_t i = 0; i < n; i++)
		if (find_blocks(&list[i], at[i]) != 2 ||
		    !value_equal(list[i].config.values[at[i][0]], value_int(squares[i])) ||
		    !value_equal(list[i].config.values[at[i][1]], value_int(squares[i])))
			return false;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 2; k++)
			list[i].config.values[at[i][k]] = value_int(rectangles[i][k]);
	return true;
}

size_t rewrite_square_partner(size_t at, size_t n)
{
	if (n < 2)
		return at;
	return at + 1 < n ? at + 1 : at - 1;
}

static bool same_values(const struct parameter *a, const struct parameter *b)
{
	if (a->n_values != b->n_values)
		return false;
	for (size_t i = 0; i < a->n_values; i++)
		if (!value_equal(a->values[i], b->values[i]))
			return false;
	return true;
}

static enum asc_status square_check(const struct implementation *i, const struct rewrite_use *u,
				    struct asc_err *e)
{
	const struct parameter *a = &i->parameters[u->pair[0]], *b = &i->parameters[u->pair[1]];
	if (block_check(u, a, e) || block_check(u, b, e))
		return e->status;
	if (!same_values(a, b))
		return json_fail(u->node, e,
				 "%s and %s have different values, expected the same in the same "
				 "order: they are equal where %s is not applied",
				 a->name, b->name, u->ops->name);
	return a->n_values <= MAX_SQUARES
		       ? ASC_OK
		       : json_fail(u->node, e, "%s has %zu values, expected at most %d", a->name,
				   a->n_values, MAX_SQUARES);
}

static void square_relax(const struct implementation *i, const struct rewrite_use *u,
			 struct buf *out)
{
	const struct parameter *a = &i->parameters[u->pair[0]], *b = &i->parameters[u->pair[1]];
	buf_print(out, "%s == %s", a->name, b->name);
	/* Squares stay, and each gets one rectangle. */
	for (size_t k = 0; k < a->n_values && a->n_values > 1; k++)
		buf_print(out, " or %s == %lld and %s == %lld", a->name, (long long)a->values[k].i,
			  b->name, (long long)b->values[rewrite_square_partner(k, a->n_values)].i);
}

const struct rewrite_ops rewrite_square_block = {
	.name = "square-block",
	.summary = "two equal block sizes become rectangular too",
	.source = "ninetoothed's Ascendifier, InfiniTensor/ninetoothed@77e959a",
	.effect = "adds each block with the next larger one, the largest with the one before",
	.devices = npu,
	.pair = "two block sizes",
	.check = square_check,
	.relax = square_relax,
};

/* ---- sub-block: a block is walked in sub-blocks, of which only one at a time has to fit on chip
 * ---- */

static enum asc_status sub_check(const struct implementation *i, const struct rewrite_use *u,
				 struct asc_err *e)
{
	const struct parameter *block = &i->parameters[u->pair[0]];
	const struct parameter *sub = &i->parameters[u->pair[1]];
	if (block_check(u, block, e) || block_check(u, sub, e))
		return e->status;
	for (size_t k = 0; k < block->n_values; k++)
		if (!parameter_has_value(sub, block->values[k]))
			return json_fail(u->node, e,
					 "%s lacks the value %lld of %s: it is the whole block "
					 "where %s is not applied",
					 sub->name, (long long)block->values[k].i, block->name,
					 u->ops->name);
	return ASC_OK;
}

static void sub_relax(const struct implementation *i, const struct rewrite_use *u, struct buf *out)
{
	buf_print(out, "%s %% %s == 0", i->parameters[u->pair[0]].name,
		  i->parameters[u->pair[1]].name);
}

static const struct rewrite_ops sub_block = {
	.name = "sub-block",
	.summary = "a block is walked in sub-blocks that fit UB",
	.source = "ninetoothed's BLOCK_SIZE_SUB, InfiniTensor/ninetoothed@77e959a",
	.effect = "adds sub-blocks that divide the block",
	.devices = npu,
	.pair = "a block size and its sub-block's",
	.check = sub_check,
	.relax = sub_relax,
};

/* ---- axis-limit: fewer blocks are launched than there are, and each walks several ---- */

static enum asc_status call_check(const struct callable *c, const struct rewrite_use *u,
				  struct asc_err *e)
{
	const struct launch *l = &c->launch;
	if (!l->grid[0].text || l->grid[1].text)
		return json_fail(
			u->node, e,
			"%s folds a grid of one axis: expected \"launch\" with such a grid",
			u->ops->name);
	size_t k = 0;
	while (k < c->n_arguments &&
	       (c->arguments[k].kind != ARG_BUILTIN || c->arguments[k].builtin != BUILTIN_BLOCKS))
		k++;
	if (k == c->n_arguments)
		return json_fail(u->node, e,
				 "%s needs the argument {\"builtin\": \"blocks\"}, which tells the "
				 "kernel how many blocks there are to walk",
				 u->ops->name);
	return ASC_OK;
}

/* Checks each call. Among several, a call without a grid has none to fold. */
static enum asc_status axis_check(const struct implementation *i, const struct rewrite_use *u,
				  struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	for (size_t k = 0; k < i->n_calls && s == ASC_OK; k++)
		if (i->n_calls == 1 || i->calls[k].launch.grid[0].text)
			s = call_check(&i->calls[k], u, e);
	return s;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* Number of blocks that keeps the number of turns: all blocks make as many, or one less. */
static void axis_fold(int64_t grid[3])
{
	if (grid[0] > REWRITE_MAX_BLOCKS)
		grid[0] = ceil_div(grid[0], ceil_div(grid[0], REWRITE_MAX_BLOCKS));
}

static const struct rewrite_ops axis_limit = {
	.name = "axis-limit",
	.summary = "a grid of more than 65535 blocks is folded, each walks several",
	.source = "triton-ascend's TRITON_ALL_BLOCKS_PARALLEL, triton-lang/triton-ascend@a84b1eb",
	.effect = "keeps what the limit on blocks would prune",
	.devices = npu,
	.check = axis_check,
	.fold = axis_fold,
};

/* ---- the list ---- */

const struct rewrite_ops *const rewrite_list[] = {&rewrite_square_block, &sub_block, &axis_limit,
						  NULL};

const struct rewrite_ops *rewrite_find(const char *name)
{
	for (size_t i = 0; rewrite_list[i]; i++)
		if (strcmp(rewrite_list[i]->name, name) == 0)
			return rewrite_list[i];
	return NULL;
}

bool rewrite_asked(const struct rewrite_ops *r, const char *device)
{
	size_t i = 0;
	while (r->devices[i] && strcmp(r->devices[i], device) != 0)
		i++;
	return r->devices[i] != NULL;
}

unsigned rewrite_bit(const struct rewrite_ops *r)
{
	size_t i = 0;
	/* The place in the list, which no two rewrites share. */
	while (rewrite_list[i] != r)
		i++;
	return 1U << i;
}

/* ---- key-filter: the keys of an autotuner that are sizes ---- */

/* Place of a key among those kept: as it is, then with `constexpr` in its name, then with
 * `next_power_of_2`. */
static int rank(const char *key)
{
	return strstr(key, "next_power_of_2") ? 2 : strstr(key, "constexpr") ? 1 : 0;
}

size_t rewrite_key_filter(const char **keys, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (strstr(keys[i], "size"))
			keys[kept++] = keys[i];
	for (size_t i = 1; i < kept; i++) /* by insertion, which is stable */
		for (size_t k = i; k > 0 && rank(keys[k - 1]) > rank(keys[k]); k--) {
			const char *key = keys[k];
			keys[k] = keys[k - 1];
			keys[k - 1] = key;
		}
	/* After sorting: plain names are the ones that stay. */
	return kept < REWRITE_MAX_KEYS ? kept : REWRITE_MAX_KEYS;
}
