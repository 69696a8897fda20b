/* Operators of CANN on Ascend NPUs, aclnn...: "aclnn:Add" with entry "Add". A workload passes the
 * arguments of the operator's signature in order (aclnn_operator.c).
 *
 * Phase one describes the tensors, chooses a kernel and makes an executor. Where the operator
 * allows it the executor is kept for all launches; else each launch uses one up, and phase one is
 * called again for the next. A call that is bound anew, at other addresses, has descriptors and an
 * executor of its own. Unverified on hardware. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/libs/acl.h"
#include "tuner/device/vendor/aclnn_operator.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/binding/binding.h"

enum { MAX_OBJECTS = PLAN_MAX_ARGUMENTS + 1, MAX_INTS = 4096 };

/* An object of the library and how it is freed: tensors of a list are freed with the list. */
struct object {
	void *handle;
	int (*destroy)(const void *handle);
};

/* Values of a tensor of the host, which phase one is given: they are read again before each launch,
 * since other inputs may have come into the same memory. */
struct ints {
	struct vendor_operand from;
	size_t parameter, object; /* places among values and made */
	int64_t *read;            /* as phase one was given them; owned */
	size_t n;
};

struct vendor_call {
	const struct aclnn_operator *made_of;
	const struct aclnn_objects *objects;
	const struct acl_runtime *acl;
	union aclnn_value values[ACLNN_MAX_PARAMETERS];
	struct object made[MAX_OBJECTS];
	size_t n_made;
	struct ints ints[ACLNN_MAX_PARAMETERS];
	size_t n_ints;
	void *executor; /* NULL: phase one has to be called */
	bool keeps;     /* the executor stays for all launches */
	uint64_t workspace_bytes;
	void *stream;
};

/* Makes a status of the library's code; ASC_INPUT for what the operator does not take. */
static enum asc_status check(const struct vendor_call *c, int rc, const char *what,
			     struct asc_err *e)
{
	const char *name = c->made_of->signature->name;

	if (rc == 0)
		return ASC_OK;
	(void)acl_check(c->acl, rc, what, e);
	if (rc == ACLNN_NULL_GIVEN || rc == ACLNN_NOT_TAKEN || rc == ACLNN_SHAPE_NOT_TAKEN)
		e->status = ASC_INPUT;
	return asc_err_wrap(e, "aclnn:%s", name);
}

/* ---- descriptors ---- */

static enum asc_status keep(struct vendor_call *c, void *handle, int (*destroy)(const void *),
			    const char *what, struct asc_err *e)
{
	if (!handle)
		return asc_err_set(e, ASC_NOMEM, "aclnn:%s: cannot make %s",
				   c->made_of->signature->name, what);
	c->made[c->n_made++] = (struct object){handle, destroy};
	return ASC_OK;
}

static bool find_type(enum dtype t, int *out)
{
	static const struct {
		enum dtype type;
		int there;
	} all[] = {{DTYPE_F64, ACLNN_DOUBLE}, {DTYPE_F32, ACLNN_FLOAT},  {DTYPE_F16, ACLNN_FLOAT16},
		   {DTYPE_BF16, ACLNN_BF16},  {DTYPE_I64, ACLNN_INT64},  {DTYPE_I32, ACLNN_INT32},
		   {DTYPE_I16, ACLNN_INT16},  {DTYPE_I8, ACLNN_INT8},    {DTYPE_U64, ACLNN_UINT64},
		   {DTYPE_U32, ACLNN_UINT32}, {DTYPE_U16, ACLNN_UINT16}, {DTYPE_U8, ACLNN_UINT8},
		   {DTYPE_BOOL, ACLNN_BOOL}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].type == t) {
			*out = all[i].there;
			return true;
		}
	return false;
}

static enum asc_status describe(struct vendor_call *c, const struct vendor_operand *o,
				const char *what, void **out, struct asc_err *e)
{
	/* What a view lies in: its memory, to its last element. */
	const bool is_view = o->scattered || o->offset > 0;
	int64_t whole = o->offset + 1;
	int type = 0;

	for (size_t k = 0; k < o->rank; k++)
		whole += (o->shape[k] - 1) * o->strides[k];
	*out = NULL;
	if (o->on_host || !o->address || !find_type(o->type, &type))
		return asc_err_set(e, ASC_INPUT, "aclnn:%s: %s %s", c->made_of->signature->name,
				   what,
				   o->on_host    ? "lies in the host's memory"
				   : !o->address ? "is absent"
						 : "has a type that it does not take");
	*out = c->objects->tensor_create(o->shape, o->rank, type, o->strides, o->offset,
					 ACLNN_FORMAT_ND, is_view ? &whole : o->shape,
					 is_view ? 1 : o->rank, o->memory);
	return *out ? ASC_OK
		    : asc_err_set(e, ASC_INPUT, "aclnn:%s: %s cannot be described",
				  c->made_of->signature->name, what);
}

/* ---- arguments ---- */

/* Reads the workload's arguments in order. */
struct reader {
	struct vendor_call *call;
	const struct vendor_site *site;
	size_t at;
	const struct vendor_operand *first,
		*gamma; /* first and last input: of a norm, its weight */
};

static enum asc_status fail_kind(const struct reader *r, const char *name, const char *expected,
				 struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT, "aclnn:%s takes as argument %zu %s: expected %s",
			   r->call->made_of->signature->name, r->at, name, expected);
}

static bool is_next(const struct reader *r, enum argument_kind kind)
{
	const struct plan *p = r->site->plan;

	return r->at < p->n_arguments && p->arguments[r->at].kind == kind;
}

static enum asc_status take_tensor(struct reader *r, const char *name, union aclnn_value *out,
				   struct asc_err *e)
{
	const struct vendor_operand *o = &r->site->operands[r->at];

	if (!is_next(r, ARG_TENSOR))
		return fail_kind(r, name, "a tensor", e);
	if (describe(r->call, o, name, &out->object, e))
		return e->status;
	r->at++;
	return keep(r->call, out->object, r->call->objects->tensor_destroy, name, e);
}

/* True for null, and for a tensor that is absent. */
static bool is_null(const struct reader *r)
{
	return is_next(r, ARG_NULL) ||
	       (is_next(r, ARG_TENSOR) && !r->site->operands[r->at].address);
}

static enum asc_status take_optional(struct reader *r, const char *name, union aclnn_value *out,
				     struct asc_err *e)
{
	if (!is_null(r))
		return take_tensor(r, name, out, e);
	r->at++;
	return ASC_OK;
}

/* Reads the elements of a tensor of the host in the order of their indices. */
static void read_ints(const struct vendor_operand *o, int64_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t at = 0, rest = (int64_t)i;
		int32_t narrow;

		for (size_t k = o->rank; k > 0; k--) {
			at += rest % o->shape[k - 1] * o->strides[k - 1];
			rest /= o->shape[k - 1];
		}
		const char *element = (const char *)o->address + at * (int64_t)dtype_bytes(o->type);

		if (o->type == DTYPE_I64) {
			memcpy(&out[i], element, sizeof out[i]);
			continue;
		}
		memcpy(&narrow, element, sizeof narrow);
		out[i] = narrow;
	}
}

/* Takes the values of a tensor that lives on the host. */
static enum asc_status take_values(struct reader *r, size_t parameter, const char *name,
				   union aclnn_value *out, struct asc_err *e)
{
	struct vendor_call *c = r->call;
	const struct vendor_operand *o = &r->site->operands[r->at];
	size_t n = 1;

	for (size_t k = 0; k < o->rank; k++)
		n = n > MAX_INTS ? n : n * (size_t)o->shape[k];
	if (!o->on_host || (o->type != DTYPE_I64 && o->type != DTYPE_I32) || n > MAX_INTS)
		return fail_kind(
			r, name,
			"a list, null, or a tensor of at most 4096 integers (i32, i64) whose "
			"place is the host",
			e);
	struct ints *ints = &c->ints[c->n_ints++];

	*ints = (struct ints){.from = *o, .parameter = parameter, .object = c->n_made, .n = n};
	ints->read = malloc(n * sizeof *ints->read);
	if (!ints->read)
		return asc_err_nomem(e);
	read_ints(o, ints->read, n);
	r->at++;
	out->object = c->objects->ints_create(ints->read, n);
	return keep(c, out->object, c->objects->ints_destroy, name, e);
}

static enum asc_status take_ints(struct reader *r, size_t parameter, const char *name,
				 union aclnn_value *out, struct asc_err *e)
{
	if (is_null(r)) {
		r->at++;
		return ASC_OK;
	}
	if (is_next(r, ARG_TENSOR))
		return take_values(r, parameter, name, out, e);
	if (!is_next(r, ARG_LIST))
		return fail_kind(r, name, "a list of integers, a tensor of the host, or null", e);
	const struct bound_argument *a = &r->site->plan->arguments[r->at++];

	out->object = r->call->objects->ints_create(a->shape, a->rank);
	return keep(r->call, out->object, r->call->objects->ints_destroy, name, e);
}

static enum asc_status take_text(struct reader *r, const char *name, union aclnn_value *out,
				 struct asc_err *e)
{
	if (!is_next(r, ARG_TEXT) && !is_next(r, ARG_NULL))
		return fail_kind(r, name, "a text, or null", e);
	const char *text = r->site->plan->arguments[r->at++].text;

	/* The vendor's parameter is a char *; the workload's text outlives the call. */
	memcpy(&out->object, &text, sizeof text);
	return ASC_OK;
}

static enum asc_status take_truth(struct reader *r, const char *name, union aclnn_value *out,
				  struct asc_err *e)
{
	if (!is_next(r, ARG_SCALAR) || r->site->plan->arguments[r->at].type != DTYPE_BOOL)
		return fail_kind(r, name, "a scalar of type bool", e);
	out->truth = r->site->plan->arguments[r->at++].scalar.i != 0;
	return ASC_OK;
}

static enum asc_status take_list(struct reader *r, const char *name, union aclnn_value *out,
				 struct asc_err *e)
{
	const void *tensors[PLAN_MAX_ARGUMENTS];
	void *tensor = NULL;
	enum asc_status status = ASC_OK;
	size_t n = 0;

	if (!is_next(r, ARG_TENSOR))
		return fail_kind(r, name, "a tensor", e);
	for (; status == ASC_OK && is_next(r, ARG_TENSOR); r->at++) {
		/* An absent one leaves a list of fewer. */
		if (is_null(r))
			continue;
		status = describe(r->call, &r->site->operands[r->at], name, &tensor, e);
		if (status == ASC_OK)
			tensors[n++] = tensor;
	}
	out->object = status == ASC_OK ? r->call->objects->list_create(tensors, n) : NULL;
	if (out->object)
		return keep(r->call, out->object, r->call->objects->list_destroy, name, e);
	/* Tensors that no list has taken over. */
	for (size_t i = 0; i < n; i++)
		(void)r->call->objects->tensor_destroy(tensors[i]);
	return status ? status : keep(r->call, NULL, NULL, name, e);
}

/* Describes scratch memory for a number of each normalised row: the dimensions of the weight are 1.
 */
static enum asc_status shape_statistics(const struct reader *r, const struct bound_argument *a,
					struct vendor_operand *o, struct asc_err *e)
{
	int64_t bytes = (int64_t)sizeof(float);

	o->type = DTYPE_F32;
	o->rank = r->first->rank;
	for (size_t k = 0; k < o->rank; k++) {
		o->shape[k] = k + r->gamma->rank < o->rank ? r->first->shape[k] : 1;
		bytes *= o->shape[k];
	}
	for (size_t k = o->rank, stride = 1; k-- > 0; stride *= (size_t)o->shape[k])
		o->strides[k] = (int64_t)stride;
	if (a->bytes >= bytes)
		return ASC_OK;
	return asc_err_set(
		e, ASC_INPUT, "aclnn:%s: %lld bytes of scratch are too few for statistics of %lld",
		r->call->made_of->signature->name, (long long)a->bytes, (long long)bytes);
}

static enum asc_status take_statistics(struct reader *r, const char *name, union aclnn_value *out,
				       struct asc_err *e)
{
	struct vendor_operand o = r->site->operands[r->at];

	if (is_next(r, ARG_TENSOR))
		return take_tensor(r, name, out, e);
	if (!is_next(r, ARG_SCRATCH))
		return fail_kind(r, name, "a tensor or scratch memory", e);
	if (shape_statistics(r, &r->site->plan->arguments[r->at], &o, e) ||
	    describe(r->call, &o, name, &out->object, e))
		return e->status;
	r->at++;
	return keep(r->call, out->object, r->call->objects->tensor_destroy, name, e);
}

/* Makes a scalar, an object of its own, which copies the number. */
static enum asc_status make_scalar(struct reader *r, float number, const char *name,
				   union aclnn_value *out, struct asc_err *e)
{
	r->at++;
	out->object = r->call->objects->scalar_create(&number, ACLNN_FLOAT);
	return keep(r->call, out->object, r->call->objects->scalar_destroy, name, e);
}

static enum asc_status take_scalar(struct reader *r, const char *name, union aclnn_value *out,
				   struct asc_err *e)
{
	const struct bound_argument *a = &r->site->plan->arguments[r->at];

	if (is_next(r, ARG_SCALAR))
		return make_scalar(r, (float)value_as_real(a->scalar), name, out, e);
	/* No formula has an infinite value. */
	if (is_next(r, ARG_TEXT) && strcmp(a->text, "inf") == 0)
		return make_scalar(r, INFINITY, name, out, e);
	if (is_next(r, ARG_TEXT) && strcmp(a->text, "-inf") == 0)
		return make_scalar(r, -INFINITY, name, out, e);
	return fail_kind(r, name, "a scalar, or a text \"inf\" or \"-inf\"", e);
}

static enum asc_status take_number(struct reader *r, enum aclnn_kind kind, const char *name,
				   union aclnn_value *out, struct asc_err *e)
{
	if (!is_next(r, ARG_SCALAR))
		return fail_kind(r, name, "a scalar", e);
	const struct value v = r->site->plan->arguments[r->at].scalar;

	if (kind != ACLNN_REAL && v.kind == VALUE_REAL)
		return fail_kind(r, name, "an integer", e);
	r->at++;
	if (kind == ACLNN_REAL)
		out->real = value_as_real(v);
	else if (kind == ACLNN_AXIS)
		out->axis = v.i;
	else
		out->cube = (int8_t)v.i;
	return ASC_OK;
}

static enum asc_status take_one(struct reader *r, size_t parameter, union aclnn_value *out,
				struct asc_err *e)
{
	const struct aclnn_signature *s = r->call->made_of->signature;
	const enum aclnn_kind kind = s->takes[parameter].kind;
	const char *name = s->takes[parameter].name;

	switch (kind) {
	case ACLNN_IN:
		r->gamma = &r->site->operands[r->at];
		r->first = r->first ? r->first : r->gamma;
		return take_tensor(r, name, out, e);
	case ACLNN_OUT:
	case ACLNN_REF: return take_tensor(r, name, out, e);
	case ACLNN_OPTIONAL: return take_optional(r, name, out, e);
	case ACLNN_INTS: return take_ints(r, parameter, name, out, e);
	case ACLNN_TEXT: return take_text(r, name, out, e);
	case ACLNN_TRUTH: return take_truth(r, name, out, e);
	case ACLNN_SCALAR: return take_scalar(r, name, out, e);
	case ACLNN_LIST: return take_list(r, name, out, e);
	case ACLNN_STATISTICS: return take_statistics(r, name, out, e);
	case ACLNN_TYPE:
		/* Type of the next tensor, the output: no argument of its own. */
		return is_next(r, ARG_TENSOR) &&
				       find_type(r->site->operands[r->at].type, &out->type)
			       ? ASC_OK
			       : fail_kind(r, name, "a tensor of a type that it makes", e);
	default: return take_number(r, kind, name, out, e);
	}
}

static enum asc_status take_all(struct vendor_call *c, const struct vendor_site *site,
				struct asc_err *e)
{
	const struct aclnn_signature *s = c->made_of->signature;
	struct reader r = {.call = c, .site = site};

	for (size_t i = 0; s->takes[i].kind != ACLNN_END; i++)
		if (take_one(&r, i, &c->values[i], e))
			return e->status;
	if (r.at != site->plan->n_arguments)
		return asc_err_set(e, ASC_INPUT, "aclnn:%s takes %zu arguments, not %zu", s->name,
				   r.at, site->plan->n_arguments);
	return ASC_OK;
}

/* ---- the two phases ---- */

static enum asc_status plan_call(struct vendor_call *c, uint64_t *bytes, struct asc_err *e)
{
	*bytes = 0;
	return check(c,
		     aclnn_plan(c->made_of->signature, c->made_of->functions->plan, c->values,
				bytes, &c->executor),
		     "phase one", e);
}

static void aclnn_fini(struct vendor_call *c)
{
	/* The executor first: it refers to tensors and scalars. */
	if (c->executor && c->objects->executor_destroy)
		(void)c->objects->executor_destroy(c->executor);
	while (c->n_made > 0) {
		const struct object *o = &c->made[--c->n_made];

		(void)o->destroy(o->handle);
	}
	while (c->n_ints > 0)
		free(c->ints[--c->n_ints].read);
	free(c);
}

static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 const char *function, struct asc_err *e)
{
	c->stream = site->queue;
	if (acl_open(&c->acl, e) || aclnn_objects_open(&c->objects, e) ||
	    aclnn_operator_open(function, &c->made_of, e) || take_all(c, site, e) ||
	    plan_call(c, &c->workspace_bytes, e))
		return e->status;
	c->keeps = c->objects->executor_keep && c->objects->executor_destroy &&
		   c->objects->executor_keep(c->executor) == 0;
	return ASC_OK;
}

/* A call can be captured where nothing but phase two makes a launch of it. */
static enum asc_status aclnn_prepare(const struct vendor_site *site, const char *function,
				     struct vendor_call **out, struct vendor_needs *needs,
				     struct asc_err *e)
{
	struct vendor_call *c = calloc(1, sizeof *c);

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	if (fill_call(c, site, function, e)) {
		aclnn_fini(c);
		return e->status;
	}
	*out = c;
	*needs = (struct vendor_needs){.workspace_bytes = (size_t)c->workspace_bytes,
				       .capturable = c->keeps};
	return ASC_OK;
}

/* Calls phase one again for an executor that was used up. */
static enum asc_status renew(struct vendor_call *c, struct asc_err *e)
{
	uint64_t bytes;

	if (plan_call(c, &bytes, e))
		return e->status;
	if (bytes > c->workspace_bytes)
		return asc_err_set(e, ASC_LIMIT,
				   "aclnn:%s needs a workspace of %llu bytes, and %llu before",
				   c->made_of->signature->name, (unsigned long long)bytes,
				   (unsigned long long)c->workspace_bytes);
	/* An operator that was kept is kept again. */
	if (c->keeps)
		c->keeps = c->objects->executor_keep(c->executor) == 0;
	return ASC_OK;
}

/* Looks whether tensors of the host have other values than phase one was given: then it is given
 * them, and the executor that has the old ones goes. */
static enum asc_status renew_ints(struct vendor_call *c, struct asc_err *e)
{
	int64_t now[MAX_INTS];

	for (size_t i = 0; i < c->n_ints; i++) {
		struct ints *ints = &c->ints[i];

		read_ints(&ints->from, now, ints->n);
		if (memcmp(now, ints->read, ints->n * sizeof *now) == 0)
			continue;
		void *made = c->objects->ints_create(now, ints->n);
		if (!made)
			return asc_err_set(e, ASC_NOMEM, "aclnn:%s: cannot make an array",
					   c->made_of->signature->name);
		memcpy(ints->read, now, ints->n * sizeof *now);
		if (c->executor && c->objects->executor_destroy)
			(void)c->objects->executor_destroy(c->executor);
		c->executor = NULL;
		(void)c->objects->ints_destroy(c->made[ints->object].handle);
		c->made[ints->object].handle = c->values[ints->parameter].object = made;
	}
	return ASC_OK;
}

static enum asc_status aclnn_enqueue(struct vendor_call *c, void *workspace, struct asc_err *e)
{
	if (c->n_ints > 0 && renew_ints(c, e))
		return e->status;
	if (!c->executor && renew(c, e))
		return e->status;
	const int rc = c->made_of->functions->launch(workspace, c->workspace_bytes, c->executor,
						     c->stream);

	/* Used up: nothing of it is left to be destroyed. */
	if (!c->keeps)
		c->executor = NULL;
	return check(c, rc, "phase two", e);
}

/* ---- the library ---- */

static enum asc_status aclnn_open(struct asc_err *e)
{
	const struct aclnn_objects *objects;
	const struct acl_runtime *acl;
	const struct aclnn_operator *o;
	struct asc_err other;

	if (acl_open(&acl, e) || aclnn_objects_open(&objects, e))
		return e->status;
	/* One operator is enough: a library of one field alone has only some. The failure is that
	 * of the first. */
	for (size_t i = 0; aclnn_names[i]; i++)
		if (aclnn_operator_open(aclnn_names[i], &o, i == 0 ? e : &other) == ASC_OK)
			return ASC_OK;
	return e->status;
}

static enum asc_status aclnn_has(const char *function, struct asc_err *e)
{
	const struct aclnn_operator *o;

	return aclnn_operator_open(function, &o, e);
}

/* The runtime's version is not CANN's: the size of the library that has the operator is its own. */
static enum asc_status aclnn_identity(const char *name, struct buf *out, struct asc_err *e)
{
	const struct acl_runtime *acl;
	const struct aclnn_operator *o;
	int32_t major = 0, minor = 0, patch = 0;

	if (acl_open(&acl, e) || aclnn_operator_open(name, &o, e))
		return e->status;
	(void)acl->version(&major, &minor, &patch);
	buf_print(out, "ACL %d.%d.%d%s%s", major, minor, patch, acl->standin ? ", stand-in " : "",
		  acl->standin ? acl->standin : "");
	aclnn_operator_print_file(o, out);
	return buf_check(out, e);
}

const struct vendor_ops vendor_aclnn = {
	.revision = 1,
	.name = "aclnn",
	.summary = "CANN's operators on Ascend NPUs (unverified on hardware): Add, Mul, Cast, Cat, "
		   "Silu, SwiGlu, RmsNorm, "
		   "AddRmsNorm, Softmax, Mm, Matmul, Addmm, Baddbmm, InplaceCopy, "
		   "InplaceMaskedFillScalar, IndexSelect, ApplyRotaryPosEmbV2, "
		   "RopeWithSinCosCache, InplaceIndexCopy, ScatterPaKvCache",
	.device = "npu",
	.functions = aclnn_names,
	.open = aclnn_open,
	.has = aclnn_has,
	.identity = aclnn_identity,
	.prepare = aclnn_prepare,
	.enqueue = aclnn_enqueue,
	.fini = aclnn_fini,
};

/* ---- a library that C cannot call ---- */

static enum asc_status atb_open(struct asc_err *e)
{
	return asc_err_set(e, ASC_ABSENT, "ATB's C++ interface is not supported");
}

static const char *const atb_names[] = {"PagedAttention", "ReshapeAndCache", "Rope",
					"TopkToppSampling", NULL};

/* Listed so that its operators are refused with the reason. */
const struct vendor_ops vendor_atb = {
	.revision = 1,
	.name = "atb",
	.summary =
		"Ascend Transformer Boost on Ascend NPUs: PagedAttention, ReshapeAndCache, Rope, "
		"TopkToppSampling",
	.device = "npu",
	.functions = atb_names,
	.open = atb_open,
	.prepare = aclnn_prepare,
	.enqueue = aclnn_enqueue,
	.fini = aclnn_fini,
};
