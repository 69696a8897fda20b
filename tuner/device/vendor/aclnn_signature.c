#include "tuner/device/vendor/aclnn_signature.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* ---- operators ---- */

/* Signatures from the documents and headers of hicann/ops-math@c41933244 and
 * hicann/ops-nn@e5c3fa932. */
#define OPERATORS(X)                                                                               \
	X("Add", {ACLNN_IN, "self"}, {ACLNN_IN, "other"}, {ACLNN_SCALAR, "alpha"},                 \
	  {ACLNN_OUT, "out"})                                                                      \
	X("Mul", {ACLNN_IN, "self"}, {ACLNN_IN, "other"}, {ACLNN_OUT, "out"})                      \
	X("Cast", {ACLNN_IN, "self"}, {ACLNN_TYPE, "dtype"}, {ACLNN_OUT, "out"})                   \
	X("Cat", {ACLNN_LIST, "tensors"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                 \
	X("Silu", {ACLNN_IN, "self"}, {ACLNN_OUT, "out"})                                          \
	X("SwiGlu", {ACLNN_IN, "x"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                      \
	X("RmsNorm", {ACLNN_IN, "x"}, {ACLNN_IN, "gamma"}, {ACLNN_REAL, "epsilon"},                \
	  {ACLNN_OUT, "y"}, {ACLNN_STATISTICS, "rstd"})                                            \
	X("AddRmsNorm", {ACLNN_IN, "x1"}, {ACLNN_IN, "x2"}, {ACLNN_IN, "gamma"},                   \
	  {ACLNN_REAL, "epsilon"}, {ACLNN_OUT, "y"}, {ACLNN_STATISTICS, "rstd"}, {ACLNN_OUT, "x"}) \
	X("Softmax", {ACLNN_IN, "self"}, {ACLNN_AXIS, "dim"}, {ACLNN_OUT, "out"})                  \
	X("Mm", {ACLNN_IN, "self"}, {ACLNN_IN, "mat2"}, {ACLNN_OUT, "out"},                        \
	  {ACLNN_CUBE, "cubeMathType"})                                                            \
	X("Matmul", {ACLNN_IN, "self"}, {ACLNN_IN, "mat2"}, {ACLNN_OUT, "out"},                    \
	  {ACLNN_CUBE, "cubeMathType"})

const struct aclnn_signature aclnn_signatures[] = {
#define X(name, ...) {name, {__VA_ARGS__, {ACLNN_END, NULL}}},
	OPERATORS(X)
#undef X
		{NULL, {{ACLNN_END, NULL}}}};

const char *const aclnn_names[] = {
#define X(name, ...) name,
	OPERATORS(X)
#undef X
		NULL};

/* ---- forms ---- */

/* C types of the parameters in order: p a pointer, i int64_t, d double, b int8_t, e int. */
static const char types[ACLNN_KINDS] = {
	[ACLNN_IN] = 'p',   [ACLNN_OUT] = 'p',    [ACLNN_LIST] = 'p',
	[ACLNN_AXIS] = 'i', [ACLNN_REAL] = 'd',   [ACLNN_CUBE] = 'b',
	[ACLNN_TYPE] = 'e', [ACLNN_SCALAR] = 'p', [ACLNN_STATISTICS] = 'p'};

#define P(n) v[n].object

#define FORMS(X)                                                                                   \
	X(pp, (void *, void *, uint64_t *, void **), P(0), P(1))                                   \
	X(ppp, (void *, void *, void *, uint64_t *, void **), P(0), P(1), P(2))                    \
	X(pppp, (void *, void *, void *, void *, uint64_t *, void **), P(0), P(1), P(2), P(3))     \
	X(pep, (void *, int, void *, uint64_t *, void **), P(0), v[1].type, P(2))                  \
	X(pip, (void *, int64_t, void *, uint64_t *, void **), P(0), v[1].axis, P(2))              \
	X(pppb, (void *, void *, void *, int8_t, uint64_t *, void **), P(0), P(1), P(2),           \
	  v[3].cube)                                                                               \
	X(ppdpp, (void *, void *, double, void *, void *, uint64_t *, void **), P(0), P(1),        \
	  v[2].real, P(3), P(4))                                                                   \
	X(pppdppp, (void *, void *, void *, double, void *, void *, void *, uint64_t *, void **),  \
	  P(0), P(1), P(2), v[3].real, P(4), P(5), P(6))

#define X(form, parameters, ...)                                                                   \
	static int call_##form(aclnn_phase_one *f, const union aclnn_value *v, uint64_t *bytes,    \
			       void **executor)                                                    \
	{                                                                                          \
		int(*typed) parameters = (int(*) parameters)f;                                     \
                                                                                                   \
		return typed(__VA_ARGS__, bytes, executor);                                        \
	}
FORMS(X)
#undef X

static const struct {
	const char *types;
	int (*call)(aclnn_phase_one *f, const union aclnn_value *v, uint64_t *bytes,
		    void **executor);
} forms[] = {
#define X(form, parameters, ...) {#form, call_##form},
	FORMS(X)
#undef X
		{NULL, NULL}};

int aclnn_plan(const struct aclnn_signature *s, aclnn_phase_one *f, const union aclnn_value *values,
	       uint64_t *workspace_bytes, void **executor)
{
	char wanted[ACLNN_MAX_PARAMETERS + 1] = "";
	size_t i = 0;

	for (size_t k = 0; s->takes[k].kind != ACLNN_END; k++)
		wanted[k] = types[s->takes[k].kind];
	while (forms[i].types && strcmp(forms[i].types, wanted) != 0)
		i++;
	assert(forms[i].types);
	return forms[i].call(f, values, workspace_bytes, executor);
}
