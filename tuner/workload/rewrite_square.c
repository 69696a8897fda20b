/* square-block: square blocks become rectangular ones too, which Ascend's path favours. */
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/rewrite.h"
#include "tuner/workload/workload.h"

enum { MAX_SQUARES = 32 }; /* the condition names every pair */

/* ---- an imported autotune list ---- */

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
		if (n < 2)
			at[n] = i;
		n++;
	}
	return n;
}

bool rewrite_square_list(struct autotune_entry *list, size_t n)
{
	size_t at[LIST_LENGTH][2];
	if (n != LIST_LENGTH)
		return false;
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

/* ---- a space ---- */

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
	if (rewrite_check_block(u, a, e) || rewrite_check_block(u, b, e))
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
	for (size_t k = 0; k < a->n_values && a->n_values > 1; k++)
		buf_print(out, " or %s == %lld and %s == %lld", a->name, (long long)a->values[k].i,
			  b->name, (long long)b->values[rewrite_square_partner(k, a->n_values)].i);
}

const struct rewrite_ops rewrite_square_block = {
	.name = "square-block",
	.summary = "two equal block sizes become rectangular too",
	.source = "ninetoothed's Ascendifier, InfiniTensor/ninetoothed@77e959a",
	.effect = "adds each block with the next larger one, the largest with the one before",
	.devices = rewrite_npu,
	.pair = "two block sizes",
	.check = square_check,
	.relax = square_relax,
};
