#include "tuner/workload/binding/plan_metadata.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/workload_read.h"

struct plan_metadata {
	const char *entry;             /* NULL: not stated */
	int64_t threads, shared_bytes; /* -1: not stated */
	int64_t cluster[3];            /* 0: not stated */
	bool spread, cooperative, programmatic, prefers_shared;
	int64_t scratch_bytes, scratch_align; /* of a block */
	const struct json_node *parameters;   /* NULL: the plan's arguments */
};

/* A plan made from a workload is completed by what its compiler has decided.
 *
 * 1. Parse the whole text into a struct plan_metadata (parse): each member is checked against its
 *    own range, and members that are absent keep the workload's word.
 * 2. Copy the plan, and apply launch members to the copy (apply). The cluster comes before the
 *    parameters: it makes the grid larger, and scratch memory is counted for each block of the
 *    grid.
 * 3. Replace the list of arguments by the compiler's parameters, one by one (take_parameter). Each
 *    refers to the arguments of the plan as it was given, by number.
 * 4. Take the copy. After a failure the plan is what it was.
 *
 * The text comes from another process: each of its numbers is checked before it reaches a
 * driver. */

enum { AXES = 3, MAX_THREADS = 65536, MAX_CLUSTER = 16, MAX_ALIGN = 256 };

static const int64_t most_bytes = INT64_C(1) << BINDING_MAX_BYTES_LOG2;

/* ---- parsing ---- */

static enum asc_status read_int(const struct json_node *n, struct binding_range range, int64_t *out,
				struct asc_err *e)
{
	if (json_get_int(n, out, e))
		return e->status;
	if (*out >= range.low && *out <= range.high)
		return ASC_OK;
	return json_fail(n, e, "is %lld, expected %lld to %lld", (long long)*out,
			 (long long)range.low, (long long)range.high);
}

/* The functions below are json_read_fn. */

static enum asc_status read_entry(const struct json_node *n, void *member, struct asc_err *e)
{
	const char **out = member;

	if (json_get_string(n, out, e))
		return e->status;
	if (!**out || strlen(*out) >= PLAN_ENTRY_SIZE)
		return json_fail(n, e, "has %zu characters, expected 1 to %d", strlen(*out),
				 PLAN_ENTRY_SIZE - 1);
	return ASC_OK;
}

static enum asc_status read_threads(const struct json_node *n, void *member, struct asc_err *e)
{
	return read_int(n, (struct binding_range){1, MAX_THREADS}, member, e);
}

static enum asc_status read_bytes(const struct json_node *n, void *member, struct asc_err *e)
{
	return read_int(n, (struct binding_range){0, most_bytes}, member, e);
}

static enum asc_status read_align(const struct json_node *n, void *member, struct asc_err *e)
{
	int64_t *align = member;

	if (read_int(n, (struct binding_range){1, MAX_ALIGN}, align, e))
		return e->status;
	/* A power of two has one bit. */
	return *align & (*align - 1)
		       ? json_fail(n, e, "is %lld, expected a power of two", (long long)*align)
		       : ASC_OK;
}

static enum asc_status read_cluster(const struct json_node *n, void *member, struct asc_err *e)
{
	int64_t *out = member;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	if (json_count(n) != AXES)
		return json_fail(n, e, "has %zu axes, expected %d", json_count(n), AXES);
	for (const struct json_node *i = json_first(n); i; i = json_next(i))
		if (read_int(i, (struct binding_range){1, MAX_CLUSTER}, out++, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status read_scratch(const struct json_node *n, void *member, struct asc_err *e)
{
#define AT(member) offsetof(struct plan_metadata, member)
	static const struct json_field fields[] = {
		{"bytes", JSON_AS_CUSTOM, true, AT(scratch_bytes), read_bytes, NULL},
		{"align", JSON_AS_CUSTOM, true, AT(scratch_align), read_align, NULL},
		{0}};
	static const struct json_spec spec = {"scratch", fields};

	return json_read_object(n, &spec, member, e);
}

static enum asc_status read_parameters(const struct json_node *n, void *member, struct asc_err *e)
{
	*(const struct json_node **)member = n;
	return json_expect(n, JSON_ARRAY, e)
		       ? e->status
		       : workload_check_count(n, "parameters", PLAN_MAX_ARGUMENTS, e);
}

static enum asc_status parse(const struct json_node *root, struct plan_metadata *out,
			     struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"entry", JSON_AS_CUSTOM, false, AT(entry), read_entry, NULL},
		{"threads", JSON_AS_CUSTOM, false, AT(threads), read_threads, NULL},
		{"shared", JSON_AS_CUSTOM, false, AT(shared_bytes), read_bytes, NULL},
		{"cluster", JSON_AS_CUSTOM, false, AT(cluster), read_cluster, NULL},
		{"spread", JSON_AS_BOOL, false, AT(spread), NULL, NULL},
		{"cooperative", JSON_AS_BOOL, false, AT(cooperative), NULL, NULL},
		{"programmatic", JSON_AS_BOOL, false, AT(programmatic), NULL, NULL},
		{"prefers_shared", JSON_AS_BOOL, false, AT(prefers_shared), NULL, NULL},
		{"scratch", JSON_AS_CUSTOM, false, 0, read_scratch, NULL},
		{"parameters", JSON_AS_CUSTOM, false, AT(parameters), read_parameters, NULL},
		{"options", JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"metadata", fields};

	/* -1, since 0 bytes of shared memory is a statement. */
	*out = (struct plan_metadata){.threads = -1, .shared_bytes = -1};
	return json_read_object(root, &spec, out, e);
}

/* ---- parameters ---- */

struct parameter_form { /* of one element of "parameters" */
	int64_t argument, descriptor, size, stride, constant, axis;
	bool scratch;
	enum dtype type;
	const struct json_node *box;
	const char *swizzle;
};

struct parameter_target {
	const struct plan_metadata *metadata;
	const struct plan *given; /* the plan before */
	bool taken[PLAN_MAX_ARGUMENTS];
	struct plan *plan;
};

/* Finds the argument that `n`, a member of a parameter, numbers. */
static const struct bound_argument *find_argument(const struct parameter_target *t,
						  const struct json_node *n, int64_t *index,
						  struct asc_err *e)
{
	/* Without arguments the range is 0 to -1, which no number is in. */
	if (read_int(n, (struct binding_range){0, (int64_t)t->given->n_arguments - 1}, index, e))
		return NULL;
	return &t->given->arguments[*index];
}

static const struct bound_argument *find_tensor(const struct parameter_target *t,
						const struct json_node *n, struct asc_err *e)
{
	int64_t index;
	const struct bound_argument *a = find_argument(t, n, &index, e);

	if (!a || ((a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) && a->rank > 0))
		return a;
	(void)json_fail(n, e, "is %lld, which is no tensor with dimensions", (long long)index);
	return NULL;
}

static enum asc_status take_number(const struct json_node *n, enum dtype type, int64_t number,
				   struct bound_argument *out, struct asc_err *e)
{
	const struct binding_range range = binding_type_ranges[type];

	/* Set before the checks: a failure drops the whole plan. */
	*out = (struct bound_argument){
		.kind = ARG_SCALAR, .type = type, .scalar = value_int(number)};
	if (dtype_is_float(type))
		return json_fail(n, e, "has the type %s, expected an integer's", dtype_name(type));
	if (number >= range.low && number <= range.high)
		return ASC_OK;
	return json_fail(n, e, "passes %lld, which is no %s", (long long)number, dtype_name(type));
}

static enum asc_status take_scalar(const struct json_node *n, const struct bound_argument *a,
				   enum dtype type, struct bound_argument *out, struct asc_err *e)
{
	if (!json_find(n, "type"))
		return json_fail(n, e, "is a scalar and needs the key \"type\"");
	/* A double read as an integer's bits would be a wrong argument that nothing finds. */
	if (dtype_is_float(type) != (a->scalar.kind == VALUE_REAL))
		return json_fail(n, e, "has the type %s, the workload passes %s", dtype_name(type),
				 dtype_name(a->type));
	if (a->scalar.kind != VALUE_REAL)
		return take_number(n, type, a->scalar.i, out, e);
	*out = *a;
	out->type = type;
	return ASC_OK;
}

static enum asc_status take_argument(struct parameter_target *t, const struct json_node *n,
				     const struct parameter_form *f, struct bound_argument *out,
				     struct asc_err *e)
{
	int64_t index;
	const struct bound_argument *a = find_argument(t, json_find(n, "argument"), &index, e);

	if (!a)
		return e->status;
	/* Twice is a mistake of the one who wrote the text, and most often a wrong order. */
	if (t->taken[index])
		return json_fail(n, e, "names argument %lld a second time", (long long)index);
	t->taken[index] = true;
	if (a->kind == ARG_SCALAR)
		return take_scalar(n, a, f->type, out, e);
	*out = *a;
	/* The compiler takes the tensor's address, and makes a map itself or none. */
	if (a->kind == ARG_TENSOR_MAP)
		out->kind = ARG_TENSOR;
	return ASC_OK;
}

static enum asc_status take_descriptor(const struct parameter_target *t, const struct json_node *n,
				       const struct parameter_form *f, struct bound_argument *out,
				       struct asc_err *e)
{
	const struct bound_argument *a = find_tensor(t, json_find(n, "descriptor"), e);
	size_t i = 0;

	if (!a)
		return e->status;
	*out = *a;
	out->kind = ARG_TENSOR_MAP;
	out->swizzle = workload_find_swizzle(f->swizzle);
	if (!out->swizzle)
		return json_fail(n, e, "has the swizzle \"%s\", which is none", f->swizzle);
	if (!f->box || json_type(f->box) != JSON_ARRAY || json_count(f->box) != a->rank)
		return json_fail(n, e, "needs a \"box\" of %zu dimensions", a->rank);
	for (const struct json_node *b = json_first(f->box); b; b = json_next(b))
		if (read_int(b, (struct binding_range){1, INT32_MAX}, &out->box[i++], e))
			return e->status;
	return ASC_OK;
}

/* Finds the size of a dimension, or its stride in elements. */
static enum asc_status take_extent(const struct parameter_target *t, const struct json_node *n,
				   const struct parameter_form *f, struct bound_argument *out,
				   struct asc_err *e)
{
	const bool is_size = f->size >= 0;
	const struct bound_argument *a =
		find_tensor(t, json_find(n, is_size ? "size" : "stride"), e);

	if (!a)
		return e->status;
	if (f->axis < 0 || f->axis >= (int64_t)a->rank)
		return json_fail(n, e, "has the axis %lld, expected 0 to %zu", (long long)f->axis,
				 a->rank - 1);
	return take_number(n, f->type, is_size ? a->shape[f->axis] : a->strides[f->axis], out, e);
}

/* Takes the address of the scratch memory, which is NULL where there is none. */
static enum asc_status take_scratch(const struct parameter_target *t, const struct json_node *n,
				    struct bound_argument *out, struct asc_err *e)
{
	const int64_t *grid = t->plan->grid;
	int64_t bytes = t->metadata->scratch_bytes;

	for (size_t i = 0; i < AXES; i++)
		if (__builtin_mul_overflow(bytes, grid[i], &bytes) || bytes > most_bytes)
			return json_fail(n, e, "wants more than 2^%d bytes of scratch memory",
					 BINDING_MAX_BYTES_LOG2);
	/* A kernel that takes the address without using it gets NULL. */
	if (bytes == 0)
		return take_number(n, DTYPE_U64, 0, out, e);
	*out = (struct bound_argument){.kind = ARG_SCRATCH, .bytes = bytes};
	return ASC_OK;
}

static enum asc_status read_parameter(const struct json_node *n, struct parameter_form *out,
				      struct asc_err *e)
{
#define AT(member) offsetof(struct parameter_form, member)
	static const struct json_field fields[] = {
		{"argument", JSON_AS_INT, false, AT(argument), NULL, NULL},
		{"descriptor", JSON_AS_INT, false, AT(descriptor), NULL, NULL},
		{"size", JSON_AS_INT, false, AT(size), NULL, NULL},
		{"stride", JSON_AS_INT, false, AT(stride), NULL, NULL},
		{"constant", JSON_AS_INT, false, AT(constant), NULL, NULL},
		{"axis", JSON_AS_INT, false, AT(axis), NULL, NULL},
		{"scratch", JSON_AS_BOOL, false, AT(scratch), NULL, NULL},
		{"type", JSON_AS_CUSTOM, false, AT(type), workload_read_dtype, NULL},
		{"box", JSON_AS_NODE, false, AT(box), NULL, NULL},
		{"swizzle", JSON_AS_STRING, false, AT(swizzle), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"parameter", fields};

	/* -1 tells a size or stride that is asked for from one that is not. */
	*out = (struct parameter_form){.argument = -1,
				       .descriptor = -1,
				       .size = -1,
				       .stride = -1,
				       .axis = -1,
				       .type = DTYPE_I64,
				       .swizzle = "none"};
	return json_read_object(n, &spec, out, e);
}

static enum asc_status take_parameter(struct parameter_target *t, const struct json_node *n,
				      struct bound_argument *out, struct asc_err *e)
{
	struct parameter_form f;

	if (read_parameter(n, &f, e))
		return e->status;
	/* By the key that is there: 0 is an index like any other. */
	if (json_find(n, "argument"))
		return take_argument(t, n, &f, out, e);
	if (json_find(n, "descriptor"))
		return take_descriptor(t, n, &f, out, e);
	if (json_find(n, "size") || json_find(n, "stride"))
		return take_extent(t, n, &f, out, e);
	if (json_find(n, "constant"))
		return take_number(n, f.type, f.constant, out, e);
	if (f.scratch)
		return take_scratch(t, n, out, e);
	return json_fail(n, e,
			 "expected one of argument, descriptor, size, stride, constant, scratch");
}

/* ---- applying ---- */

static enum asc_status apply(const struct json_node *root, const struct plan_metadata *m,
			     struct plan *plan, struct asc_err *e)
{
	struct plan whole = *plan;
	struct parameter_target t = {.metadata = m, .given = plan, .plan = &whole};

	if (m->entry)
		(void)snprintf(whole.entry, sizeof whole.entry, "%s", m->entry);
	/* Compilers state one number, the threads along x. */
	if (m->threads >= 0)
		memcpy(whole.block, (const int64_t[]){m->threads, 1, 1}, sizeof whole.block);
	if (m->shared_bytes >= 0)
		whole.shared_bytes = m->shared_bytes;
	whole.spread |= m->spread;
	whole.cooperative |= m->cooperative;
	whole.programmatic |= m->programmatic;
	whole.prefers_shared |= m->prefers_shared;
	/* The workload's grid counts clusters: the launch's counts blocks. */
	for (size_t i = 0; i < AXES && m->cluster[i]; i++) {
		whole.cluster[i] = m->cluster[i];
		if (__builtin_mul_overflow(whole.grid[i], m->cluster[i], &whole.grid[i]))
			return json_fail(root, e, "a grid has more than 2^63 blocks");
	}
	/* An empty list is a kernel without parameters; no list keeps the arguments. */
	if (m->parameters)
		whole.n_arguments = 0;
	for (const struct json_node *n = m->parameters ? json_first(m->parameters) : NULL; n;
	     n = json_next(n))
		if (take_parameter(&t, n, &whole.arguments[whole.n_arguments++], e))
			return e->status;
	*plan = whole;
	return ASC_OK;
}

enum asc_status plan_complete(const char *text, struct plan *plan, struct asc_err *e)
{
	struct plan_metadata m;
	struct json_doc *doc;

	/* Most builders know nothing that a workload does not state. */
	if (!*text)
		return ASC_OK;
	if (json_open_text("metadata", text, strlen(text), &doc, e))
		return e->status;
	enum asc_status s = parse(json_root(doc), &m, e);
	if (s == ASC_OK)
		s = apply(json_root(doc), &m, plan, e);
	json_close(doc);
	return s;
}
