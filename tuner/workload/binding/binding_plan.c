#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/binding/rewrite_state.h"
#include "tuner/workload/workload_read.h"

/* The launch of one configuration, by the formulas of a callable. */
struct planner {
	struct binding_scope scope;
	const struct value *slots;
	int64_t blocks; /* blocks of the grid before it is folded; 0: unknown */
};

static const struct binding_range dimension_range = {1, INT64_MAX};
static const struct binding_range axis_range = {1, INT32_MAX};
static const struct binding_range thread_range = {1, 65536};
static const struct binding_range cluster_range = {1, 16}; /* as many as any GPU allows */
static const struct binding_range truth_range = {0, 1};
static const struct binding_range byte_range = {0, INT64_C(1) << BINDING_MAX_BYTES_LOG2};

const struct binding_range binding_type_ranges[DTYPE_COUNT] = {
	[DTYPE_I64] = {INT64_MIN, INT64_MAX},
	[DTYPE_I32] = {INT32_MIN, INT32_MAX},
	[DTYPE_I16] = {INT16_MIN, INT16_MAX},
	[DTYPE_I8] = {INT8_MIN, INT8_MAX},
	[DTYPE_U64] = {0, INT64_MAX},
	[DTYPE_U32] = {0, UINT32_MAX},
	[DTYPE_U16] = {0, UINT16_MAX},
	[DTYPE_U8] = {0, UINT8_MAX},
	[DTYPE_BOOL] = {0, 1},
};

static enum asc_status plan_int(const struct planner *p, const struct formula *f,
				struct binding_range range, int64_t absent, int64_t *out,
				struct asc_err *e)
{
	*out = absent;
	return f->text ? binding_eval_int(&p->scope, f, p->slots, range, out, e) : ASC_OK;
}

/* Works out, like plan_int(), a number that no compiler is told: for an absent device 0 is enough
 * where a fact is missing. */
static enum asc_status plan_launch_int(const struct planner *p, const struct formula *f,
				       struct binding_range range, int64_t absent, int64_t *out,
				       struct asc_err *e)
{
	const enum asc_status s = plan_int(p, f, range, absent, out, e);

	if (s != ASC_ABSENT || !p->scope.binding->build_only)
		return s;
	*out = 0;
	return ASC_OK;
}

/* The grid as the workload states it. */
static enum asc_status plan_grid(struct planner *p, const struct launch *l, int64_t grid[3],
				 struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	for (size_t i = 0; i < 3 && s == ASC_OK; i++)
		s = plan_launch_int(p, &l->grid[i], axis_range, 1, &grid[i], e);
	if (s != ASC_OK)
		return s;
	if (__builtin_mul_overflow(grid[0], grid[1], &p->blocks) ||
	    __builtin_mul_overflow(p->blocks, grid[2], &p->blocks))
		return binding_fail(&p->scope, &l->grid[0], e,
				    "a grid of %lld x %lld x %lld has more than 2^63 blocks",
				    (long long)grid[0], (long long)grid[1], (long long)grid[2]);
	return ASC_OK;
}

static enum asc_status plan_launch(struct planner *p, const struct launch *l, struct plan *out,
				   struct asc_err *e)
{
	enum asc_status s = plan_grid(p, l, out->grid, e);
	/* Absent axes are 1, for every kind of device. */
	for (size_t i = 0; i < 3 && s == ASC_OK; i++) {
		s = plan_launch_int(p, &l->block[i], axis_range, 1, &out->block[i], e);
		if (s == ASC_OK)
			s = plan_launch_int(p, &l->cluster[i], cluster_range, 1, &out->cluster[i],
					    e);
	}
	if (s == ASC_OK)
		s = plan_launch_int(p, &l->cooperative, truth_range, 0, &out->cooperative, e);
	if (s == ASC_OK)
		s = plan_launch_int(p, &l->shared, byte_range, 0, &out->shared_bytes, e);
	return s != ASC_OK ? s : plan_launch_int(p, &l->threads, thread_range, 1, &out->threads, e);
}

static enum asc_status plan_scalar(const struct planner *p, const struct argument *a,
				   struct value *out, struct asc_err *e)
{
	/* The value gets the kind of its type here, so that no launch has to convert. */
	if (dtype_is_float(a->scalar_type)) {
		out->kind = VALUE_REAL;
		return binding_eval_real(&p->scope, &a->scalar, p->slots, &out->r, e);
	}
	out->kind = VALUE_INT;
	return binding_eval_int(&p->scope, &a->scalar, p->slots,
				binding_type_ranges[a->scalar_type], &out->i, e);
}

void tensor_set_strides(const int64_t *shape, size_t rank, int64_t *strides)
{
	int64_t stride = 1;
	for (size_t i = rank; i-- > 0;) {
		strides[i] = stride;
		/* Too many elements are found where they are counted. */
		(void)__builtin_mul_overflow(stride, shape[i], &stride);
	}
}

bool tensor_overlaps_itself(const int64_t *shape, const int64_t *strides, size_t rank)
{
	bool taken[WORKLOAD_MAX_RANK] = {false};
	int64_t reach = 0, step;
	for (size_t n = 0; n < rank; n++) {
		size_t next = rank;
		for (size_t i = 0; i < rank; i++)
			if (!taken[i] && (next == rank || strides[i] < strides[next]))
				next = i;
		taken[next] = true;
		if (shape[next] > 1 && strides[next] <= reach)
			return true;
		/* Strides of a record are any numbers. */
		if (__builtin_mul_overflow(shape[next] - 1, strides[next], &step) ||
		    __builtin_add_overflow(reach, step, &reach))
			return true;
	}
	return false;
}

/* Binds a tensor between calls, which may depend on the configuration. */
static enum asc_status plan_scratch(const struct planner *p, const struct tensor *t,
				    struct bound_argument *out, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool over = false;

	(void)problem_find_dtype(p->scope.binding->problem, t->dtype, &out->type); /* is known */
	out->rank = t->rank;
	out->bytes = (int64_t)dtype_bytes(out->type);
	for (size_t i = 0; i < t->rank && s == ASC_OK; i++) {
		s = plan_launch_int(p, &t->shape[i], dimension_range, 1, &out->shape[i], e);
		over |= __builtin_mul_overflow(out->bytes, out->shape[i], &out->bytes);
	}
	tensor_set_strides(out->shape, out->rank, out->strides);
	if (s == ASC_OK && (over || out->bytes > byte_range.high))
		s = json_fail(json_find(t->node, "shape"), e,
			      "the tensor is larger than 2^%d bytes in problem %s",
			      BINDING_MAX_BYTES_LOG2, p->scope.binding->problem->name);
	return s;
}

static enum asc_status plan_tensor(const struct planner *p, const struct argument *a,
				   struct bound_argument *out, struct asc_err *e)
{
	const struct binding *b = p->scope.binding;
	enum asc_status s = ASC_OK;

	/* Bound with the problem; a scratch tensor's shape may have parameters, so it is bound
	 * here. */
	if (a->tensor < b->workload->n_tensors) {
		const struct bound_tensor *t = &b->tensors[a->tensor];

		out->type = t->dtype;
		out->rank = t->rank;
		out->on_host = b->workload->tensors[a->tensor].place == PLACE_HOST;
		memcpy(out->shape, t->shape, sizeof out->shape);
		memcpy(out->strides, t->strides, sizeof out->strides);
		out->offset_bytes = t->offset_bytes;
		out->scattered = t->scattered;
		/* A reference has each tensor by itself, as doubles one after another. */
		if (!p->scope.implementation) {
			tensor_set_strides(out->shape, out->rank, out->strides);
			out->offset_bytes = 0;
			out->scattered = false;
		}
	} else {
		s = plan_scratch(
			p, workload_find_tensor(b->workload, p->scope.implementation, a->tensor),
			out, e);
	}
	if (s != ASC_OK || a->kind != ARG_TENSOR_MAP)
		return s;
	out->swizzle = a->swizzle;
	for (size_t i = 0; i < out->rank && s == ASC_OK; i++)
		s = plan_int(p, &a->box[i], axis_range, 1, &out->box[i], e);
	return s;
}

static enum asc_status plan_argument(const struct planner *p, const struct argument *a,
				     struct bound_argument *out, struct asc_err *e)
{
	*out = (struct bound_argument){.kind = a->kind,
				       .tensor = a->tensor,
				       .type = a->scalar_type,
				       .builtin = a->builtin};
	if (a->kind == ARG_BUILTIN && a->builtin == BUILTIN_BLOCKS) { /* equal in every call */
		/* A kernel may be compiled for the number itself. */
		if (p->blocks == 0)
			return asc_err_set(e, ASC_ABSENT,
					   "the number of blocks needs a fact of the device, which "
					   "is not here");
		out->kind = ARG_SCALAR;
		out->type = DTYPE_I64;
		out->scalar = value_int(p->blocks);
	}
	/* A builtin that became a number goes on to the last line, where its absent bytes are 0. */
	if (a->kind == ARG_SCALAR)
		return plan_scalar(p, a, &out->scalar, e);
	if (a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP)
		return plan_tensor(p, a, out, e);
	return plan_launch_int(p, &a->bytes, byte_range, 0, &out->bytes, e);
}

enum asc_status binding_plan(const struct binding *b, const struct implementation *i, size_t call,
			     const struct config *c, struct plan *out, struct asc_err *e)
{
	const struct callable *f = i ? &i->calls[call] : workload_reference(b->workload, b->device);
	struct planner p = {.slots = c ? c->values : NULL};
	*out = (struct plan){.n_arguments = f->n_arguments};
	enum asc_status s = binding_scope_init(&p.scope, b, i, e);
	if (s == ASC_OK)
		s = plan_launch(&p, &f->launch, out, e);
	/* Blocks were counted before: a kernel with a folded grid takes their number as an
	 * argument. */
	for (size_t k = 0; i && k < i->n_rewrites && s == ASC_OK; k++) {
		const struct rewrite_use *u = &i->rewrites[k];
		if (u->ops->fold && binding_rewrite_state(b, u) == REWRITE_APPLIED)
			u->ops->fold(out->grid);
	}
	/* After the grid, whose number of blocks an argument may be. */
	for (size_t k = 0; k < f->n_arguments && s == ASC_OK; k++)
		s = plan_argument(&p, &f->arguments[k], &out->arguments[k], e);
	binding_scope_fini(&p.scope);
	return s;
}

enum asc_status binding_constant(const struct binding *b, const struct implementation *i,
				 const struct config *c, const struct constant *constant,
				 struct bound_constant *out, struct asc_err *e)
{
	struct binding_scope scope;
	const char *dtype = constant->dtype;
	enum asc_status s = ASC_OK;
	*out = (struct bound_constant){.kind = constant->kind,
				       .value = value_bool(constant->truth)};
	if (constant->formula.text) {
		s = binding_scope_init(&scope, b, i, e);
		if (s == ASC_OK)
			s = binding_eval(&scope, &constant->formula, c->values, &out->value, e);
		binding_scope_fini(&scope);
	}
	if (s == ASC_OK && constant->kind == CONSTANT_TABLE)
		out->kind = table_value_kind(out->value, &dtype);
	if (s == ASC_OK && out->kind == CONSTANT_DTYPE) /* the file was checked for it */
		(void)problem_find_dtype(b->problem, dtype, &out->dtype);
	return s;
}

enum asc_status binding_grid(const struct binding *b, const struct implementation *i, size_t call,
			     const struct config *c, int64_t grid[3], struct asc_err *e)
{
	struct planner p = {.slots = c->values};
	enum asc_status s = binding_scope_init(&p.scope, b, i, e);
	if (s == ASC_OK)
		s = plan_grid(&p, &i->calls[call].launch, grid, e);
	binding_scope_fini(&p.scope);
	return s;
}
