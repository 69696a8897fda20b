/* axis-limit: fewer blocks are launched than there are, and each walks several. */
#include "tuner/base/json/json.h"
#include "tuner/workload/rewrite.h"
#include "tuner/workload/workload.h"

static bool takes_blocks(const struct callable *c)
{
	for (size_t i = 0; i < c->n_arguments; i++)
		if (c->arguments[i].kind == ARG_BUILTIN &&
		    c->arguments[i].builtin == BUILTIN_BLOCKS)
			return true;
	return false;
}

static enum asc_status call_check(const struct callable *c, const struct rewrite_use *u,
				  struct asc_err *e)
{
	const struct launch *l = &c->launch;
	if (!l->grid[0].text || l->grid[1].text)
		return json_fail(
			u->node, e,
			"%s folds a grid of one axis: expected \"launch\" with such a grid",
			u->ops->name);
	if (!takes_blocks(c))
		return json_fail(u->node, e,
				 "%s needs the argument {\"builtin\": \"blocks\"}, which tells the "
				 "kernel how many blocks there are to walk",
				 u->ops->name);
	return ASC_OK;
}

/* Checks each call; of several, those that state no grid have none to fold. */
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

const struct rewrite_ops rewrite_axis_limit = {
	.name = "axis-limit",
	.summary = "a grid of more than 65535 blocks is folded, each walks several",
	.source = "triton-ascend's TRITON_ALL_BLOCKS_PARALLEL, triton-lang/triton-ascend@a84b1eb",
	.effect = "keeps what the limit on blocks would prune",
	.devices = rewrite_npu,
	.check = axis_check,
	.fold = axis_fold,
};
