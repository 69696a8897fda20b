/* sub-block: a block is walked in sub-blocks, of which only one at a time has to fit on chip. */
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/rewrite.h"
#include "tuner/workload/workload.h"

static bool has_value(const struct parameter *p, struct value v)
{
	for (size_t i = 0; i < p->n_values; i++)
		if (value_equal(p->values[i], v))
			return true;
	return false;
}

static enum asc_status sub_check(const struct implementation *i, const struct rewrite_use *u,
				 struct asc_err *e)
{
	const struct parameter *block = &i->parameters[u->pair[0]];
	const struct parameter *sub = &i->parameters[u->pair[1]];
	if (rewrite_check_block(u, block, e) || rewrite_check_block(u, sub, e))
		return e->status;
	for (size_t k = 0; k < block->n_values; k++)
		if (!has_value(sub, block->values[k]))
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

const struct rewrite_ops rewrite_sub_block = {
	.name = "sub-block",
	.summary = "a block is walked in sub-blocks that fit UB",
	.source = "ninetoothed's BLOCK_SIZE_SUB, InfiniTensor/ninetoothed@77e959a",
	.effect = "adds sub-blocks that divide the block",
	.devices = rewrite_npu,
	.pair = "a block size and its sub-block's",
	.check = sub_check,
	.relax = sub_relax,
};
