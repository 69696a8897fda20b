#include <math.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/strides.h"
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
static const struct binding_range place_range = {0, INT64_MAX};
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

/* ---- views ---- */

void binding_take_tensor(const struct binding *b, size_t tensor, bool for_reference,
			 struct bound_argument *out)
{
	const struct bound_tensor *t = &b->tensors[tensor];

	out->type = t->dtype;
	out->rank = t->rank;
	out->on_host = b->workload->tensors[tensor].place == PLACE_HOST;
	memcpy(out->shape, t->shape, sizeof out->shape);
	if (for_reference) {
		strides_set(out->shape, out->rank, out->strides);
		return;
	}
	memcpy(out->strides, t->strides, sizeof out->strides);
	out->offset_bytes = t->offset_bytes;
	out->scattered = t->scattered;
}

/* Finds the strides of the tensor's elements, in their order, in another shape of as many. False:
 * that has none, since a dimension would have to go on over a gap. */
static bool reshape(const struct bound_argument *t, const int64_t *shape, size_t rank,
		    int64_t *strides)
{
	size_t k = rank;

	for (size_t i = t->rank; i > 0;) {
		/* The next dimensions whose elements lie at one step from each other. */
		const int64_t step = t->strides[i - 1];
		int64_t n = t->shape[i - 1], m = 1;

		for (i--; i > 0 && (t->shape[i - 1] == 1 || t->strides[i - 1] == n * step); i--)
			n *= t->shape[i - 1];
		for (; k > 0 && (m < n || shape[k - 1] == 1); k--) {
			strides[k - 1] = m * step;
			m *= shape[k - 1];
		}
		if (m != n)
			return false;
	}
	for (; k > 0; k--)
		strides[k - 1] = 1;
	return true;
}

/* Shape, strides and offset of a view, from its tensor's first element on. */
struct view {
	int64_t shape[WORKLOAD_MAX_RANK], strides[WORKLOAD_MAX_RANK], offset;
	int64_t count, last; /* elements; place of the last one */
	bool over;           /* these are more than can be counted */
};

static enum asc_status view_eval(const struct binding_scope *s, const struct argument *a,
				 const struct value *slots, struct view *v, struct asc_err *e)
{
	int64_t step;

	*v = (struct view){.count = 1};
	for (size_t i = 0; i < a->rank; i++) {
		if (binding_eval_int(s, &a->sizes[i], slots, dimension_range, &v->shape[i], e))
			return e->status;
		v->over |= __builtin_mul_overflow(v->count, v->shape[i], &v->count);
	}
	strides_set(v->shape, a->rank, v->strides);
	for (size_t i = 0; i < a->n_strides; i++)
		if (binding_eval_int(s, &a->strides[i], slots, place_range, &v->strides[i], e))
			return e->status;
	if (a->offset.text && binding_eval_int(s, &a->offset, slots, place_range, &v->offset, e))
		return e->status;
	v->last = v->offset;
	for (size_t i = 0; i < a->rank && !v->over; i++) {
		v->over |= __builtin_mul_overflow(v->shape[i] - 1, v->strides[i], &step);
		v->over |= __builtin_add_overflow(v->last, step, &v->last);
	}
	return ASC_OK;
}

enum asc_status binding_take_view(const struct binding_scope *s, const struct argument *a,
				  const struct value *slots, struct bound_argument *out,
				  struct asc_err *e)
{
	const struct workload *w = s->binding->workload;
	const struct tensor *t = workload_find_tensor(w, s->implementation, a->tensor);
	const char *problem = s->binding->problem->name;
	const struct json_node *shape = json_find(a->node, "shape"),
			       *strides = json_find(a->node, "strides"),
			       *offset = json_find(a->node, "offset");
	const bool moved = strides || offset, is_reference = !s->implementation;
	int64_t contiguous[WORKLOAD_MAX_RANK], count = 1, end = 0;
	struct view v;

	for (size_t i = 0; i < out->rank; i++) {
		count *= out->shape[i];
		end += (out->shape[i] - 1) * out->strides[i];
	}
	if (view_eval(s, a, slots, &v, e))
		return e->status;
	if (!moved && (v.over || v.count != count))
		return json_fail(shape, e,
				 "the view has not the %lld elements of tensor %s in problem %s: a "
				 "part of them needs \"offset\" or \"strides\"",
				 (long long)count, t->name, problem);
	if (!moved && !reshape(out, v.shape, a->rank, v.strides))
		return json_fail(shape, e,
				 "the strides of tensor %s leave gaps that the view would go over "
				 "in problem %s",
				 t->name, problem);
	if (moved && is_reference && s->binding->tensors[a->tensor].scattered)
		return json_fail(strides ? strides : offset, e,
				 "a reference has the elements of tensor %s one after another, and "
				 "the view goes by the tensor's own strides",
				 t->name);
	if (moved && (v.over || v.last > end))
		return json_fail(strides ? strides : offset, e,
				 "the view leaves tensor %s in problem %s: its last element would "
				 "be at %lld, and the tensor's is at %lld",
				 t->name, problem, (long long)(v.over ? INT64_MAX : v.last),
				 (long long)end);
	if (a->tensor < w->n_tensors && t->role != ROLE_IN && !is_reference &&
	    strides_overlap(v.shape, v.strides, a->rank))
		return json_fail(strides, e,
				 "two elements of the view of output %s may lie in one place in "
				 "problem %s",
				 t->name, problem);
	strides_set(v.shape, a->rank, contiguous);
	out->scattered = false;
	for (size_t i = 0; i < a->rank; i++)
		out->scattered |= v.shape[i] > 1 && v.strides[i] != contiguous[i];
	out->rank = a->rank;
	memcpy(out->shape, v.shape, sizeof out->shape);
	memcpy(out->strides, v.strides, sizeof out->strides);
	out->offset_bytes +=
		v.offset * (int64_t)(is_reference ? sizeof(double) : dtype_bytes(out->type));
	return ASC_OK;
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
	strides_set(out->shape, out->rank, out->strides);
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
	bool present = true;

	/* Bound with the problem; a scratch tensor's shape may have parameters, so it is bound
	 * here. */
	if (a->tensor < b->workload->n_tensors) {
		binding_take_tensor(b, a->tensor, !p->scope.implementation, out);
		present = b->tensors[a->tensor].present;
	} else {
		s = plan_scratch(
			p, workload_find_tensor(b->workload, p->scope.implementation, a->tensor),
			out, e);
	}
	if (s == ASC_OK && a->is_view && present) {
		s = binding_take_view(&p->scope, a, p->slots, out, e);
		if (s == ASC_ABSENT && b->build_only)
			s = ASC_OK;
	}
	if (s != ASC_OK || a->kind != ARG_TENSOR_MAP)
		return s;
	out->swizzle = a->swizzle;
	for (size_t i = 0; i < out->rank && s == ASC_OK; i++)
		s = plan_int(p, &a->sizes[i], axis_range, 1, &out->box[i], e);
	return s;
}

static enum asc_status plan_list(const struct planner *p, const struct argument *a,
				 struct bound_argument *out, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	out->type = DTYPE_I64;
	out->rank = a->rank;
	for (size_t i = 0; i < a->rank && s == ASC_OK; i++)
		s = plan_int(p, &a->sizes[i], binding_type_ranges[DTYPE_I64], 0, &out->shape[i], e);
	return s;
}

static enum asc_status plan_argument(const struct planner *p, const struct argument *a,
				     struct bound_argument *out, struct asc_err *e)
{
	*out = (struct bound_argument){.kind = a->kind,
				       .tensor = a->tensor,
				       .type = a->scalar_type,
				       .builtin = a->builtin,
				       .text = a->text,
				       .name = a->name};
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
	if (a->kind == ARG_LIST)
		return plan_list(p, a, out, e);
	return plan_launch_int(p, &a->bytes, byte_range, 0, &out->bytes, e);
}

/* ---- Python functions ---- */

/* Appends a number, truth value or text that a Python function is passed by its name. */
static void add_named(struct plan *out, const char *name, struct value v)
{
	static const enum dtype types[] = {
		[VALUE_INT] = DTYPE_I64, [VALUE_REAL] = DTYPE_F64, [VALUE_BOOL] = DTYPE_BOOL};
	struct bound_argument *a = &out->arguments[out->n_arguments++];

	*a = (struct bound_argument){.kind = ARG_SCALAR, .name = name};
	if (v.kind == VALUE_TEXT) {
		a->kind = ARG_TEXT;
		a->text = value_text_get(v);
		return;
	}
	a->type = types[v.kind];
	a->scalar = v;
}

/* Appends constants and parameters; the workload was checked for how many these are. */
static enum asc_status plan_python(const struct planner *p, const struct callable *f,
				   const struct config *c, struct plan *out, struct asc_err *e)
{
	const struct implementation *i = p->scope.implementation;

	out->python = &f->python;
	for (size_t k = 0; k < f->n_arguments; k++) {
		struct bound_argument *a = &out->arguments[k];

		/* A kernel has 0 and 1 as a bool, Python a type of its own. */
		if (a->kind == ARG_SCALAR && a->type == DTYPE_BOOL)
			a->scalar = value_bool(a->scalar.i != 0);
	}
	for (size_t k = 0; k < f->n_constants; k++) {
		struct bound_constant v;

		if (binding_constant(p->scope.binding, i, c, &f->constants[k], &v, e))
			return e->status;
		add_named(out, f->constants[k].name, v.value);
		struct bound_argument *a = &out->arguments[out->n_arguments - 1];

		if (v.kind == CONSTANT_NULL || v.kind == CONSTANT_DTYPE)
			*a = (struct bound_argument){
				.kind = v.kind == CONSTANT_NULL ? ARG_NULL : ARG_TEXT,
				.text = v.kind == CONSTANT_NULL ? NULL : dtype_name(v.dtype),
				.name = a->name};
	}
	for (size_t k = 0; k < i->n_parameters; k++)
		if (name_list_has(&f->parameters, i->parameters[k].name))
			add_named(out, i->parameters[k].name, c->values[k]);
	for (size_t k = 0; k < f->python.n_returns; k++) {
		const struct argument stated = {.kind = ARG_TENSOR,
						.tensor = f->python.returns[k],
						.name = f->python.names.names[k]};
		struct bound_argument *a = &out->arguments[out->n_arguments];

		if (out->n_arguments++ == PLAN_MAX_ARGUMENTS || plan_argument(p, &stated, a, e))
			return e->status;
		a->returned = true;
	}
	return ASC_OK;
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
	if (callable_is_of(f, "python") && s == ASC_OK)
		s = plan_python(&p, f, c, out, e);
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

void plan_add_use(const struct plan *p, struct plan_use *use)
{
	const double calls = (double)p->grid[0] * (double)p->grid[1] * (double)p->grid[2];
	const double block = (double)p->block[0] * (double)p->block[1] * (double)p->block[2];

	use->threads = fmax(use->threads, fmin((double)p->threads, calls));
	use->block_threads = fmax(use->block_threads, block);
	use->shared_bytes = fmax(use->shared_bytes, (double)p->shared_bytes);
	for (size_t a = 0; a < p->n_arguments; a++) {
		const struct bound_argument *x = &p->arguments[a];

		if (x->bytes == 0 || (x->kind != ARG_SCRATCH && use->seen[x->tensor]))
			continue;
		use->scratch_bytes += (double)x->bytes;
		use->seen[x->tensor] |= x->kind != ARG_SCRATCH;
	}
}
