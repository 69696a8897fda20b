/* The entries of rewrite_list. Private to tuner/model. */
#ifndef ASCTUNE_MODEL_REWRITES_H
#define ASCTUNE_MODEL_REWRITES_H

#include "tuner/model/rewrite.h"

struct parameter;

extern const struct rewrite_ops rewrite_square_block, rewrite_sub_block, rewrite_axis_limit;

extern const char *const rewrite_npu[]; /* devices of those that Ascend asks for */

/* A parameter of a pair is one of positive integers, on every device. */
enum asc_status rewrite_check_block(const struct rewrite_use *u, const struct parameter *p,
				    struct asc_err *e);

#endif
