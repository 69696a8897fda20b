/* What the vendor's operators take, and what they compute, by subject: each function serves one or
 * more lines of the table in standin_math.c. Types that an operator does not take are found by its
 * `fits`, shapes by its `shaped`. */
#ifndef ASCTUNE_STANDIN_STANDIN_MATH_H
#define ASCTUNE_STANDIN_STANDIN_MATH_H

#include "standin/standin_operator.h"

bool standin_is_real(const struct standin_view *v); /* f32, f16, bf16 */
/* True where all operands have the type of the first output. */
bool standin_one_type(const struct standin_operands *o);
/* The dimension that is meant, negative ones from the end; -1: there is none such. */
int64_t standin_axis(const struct standin_view *v, int64_t dim);

/* ---- places by numbers in a tensor (standin_index.c) ---- */

bool standin_index_select_fits(const struct standin_operands *o);
bool standin_index_select_shaped(const struct standin_operands *o);
void standin_index_select(const struct standin_operands *o, void *const *at, const char **fault);
bool standin_index_copy_fits(const struct standin_operands *o);
bool standin_index_copy_shaped(const struct standin_operands *o);
void standin_index_copy(const struct standin_operands *o, void *const *at, const char **fault);
bool standin_scatter_fits(const struct standin_operands *o);
bool standin_scatter_shaped(const struct standin_operands *o);
void standin_scatter(const struct standin_operands *o, void *const *at, const char **fault);
double standin_index_select_bytes(const struct standin_operands *o);
double standin_index_copy_bytes(const struct standin_operands *o);
double standin_scatter_bytes(const struct standin_operands *o);

/* ---- rotary embeddings (standin_rotary.c) ---- */

bool standin_rotary_fits(const struct standin_operands *o);
bool standin_rotary_shaped(const struct standin_operands *o);
void standin_rotary(const struct standin_operands *o, const struct standin_values *v);
bool standin_rope_fits(const struct standin_operands *o);
bool standin_rope_shaped(const struct standin_operands *o);
void standin_rope(const struct standin_operands *o, const struct standin_values *v);
double standin_rope_bytes(const struct standin_operands *o);

#endif
