#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/base/buf.h"

static const char *const builtin_names[] = {
	[BUILTIN_BLOCK_X] = "block_x", [BUILTIN_BLOCK_Y] = "block_y",
	[BUILTIN_BLOCK_Z] = "block_z", [BUILTIN_THREAD] = "thread",
	[BUILTIN_THREADS] = "threads", [BUILTIN_BLOCKS] = "blocks",
	[BUILTIN_STREAM] = "stream",   NULL};
static const char *const swizzle_names[] = {"none", "32B", "64B", "128B", NULL};

/* The key that determines the kind, and the keys that may stand beside it. */
static const char *const argument_kinds[] = {
	[ARG_TENSOR] = "tensor",   [ARG_SCALAR] = "scalar",
	[ARG_SCRATCH] = "scratch", [ARG_TENSOR_MAP] = "tensor_map",
	[ARG_BUILTIN] = "builtin", [ARG_TEXT] = "text",
	[ARG_LIST] = "list",       [ARG_NULL] = NULL};
static const struct key_rule argument_rules[] = {
	[ARG_TENSOR] = {{NULL}, {"shape", "strides", "offset", "name"}},
	[ARG_SCALAR] = {{"type"}, {"name"}},
	[ARG_SCRATCH] = {{NULL}, {NULL}},
	[ARG_TENSOR_MAP] = {{NULL}, {NULL}},
	[ARG_BUILTIN] = {{NULL}, {"name"}},
	[ARG_TEXT] = {{NULL}, {"name"}},
	[ARG_LIST] = {{NULL}, {"name"}},
};

const char *builtin_name(enum builtin b)
{
	return builtin_names[b];
}

static enum asc_status builtin_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "builtin", builtin_names, &choice, e);
	*(enum builtin *)member = (enum builtin)choice;
	return s;
}

static enum asc_status box_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct argument *a = member;
	return workload_read_formulas(n, "dimensions", WORKLOAD_MAX_RANK, a->sizes, &a->rank, e);
}

static enum asc_status shape_read(const struct json_node *n, void *member, struct asc_err *e)
{
	((struct argument *)member)->is_view = true;
	return box_read(n, member, e);
}

static enum asc_status strides_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct argument *a = member;
	return workload_read_formulas(n, "strides", WORKLOAD_MAX_RANK, a->strides, &a->n_strides,
				      e);
}

static enum asc_status list_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct argument *a = member;
	return workload_read_formulas(n, "integers", WORKLOAD_MAX_RANK, a->sizes, &a->rank, e);
}

static enum asc_status swizzle_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "swizzle", swizzle_names, &choice, e);
	*(const char **)member = swizzle_names[choice];
	return s;
}

const char *workload_find_swizzle(const char *name)
{
	size_t i = 0;
	while (swizzle_names[i] && strcmp(swizzle_names[i], name) != 0)
		i++;
	return swizzle_names[i];
}

#define AT(member) offsetof(struct argument, member)

static const struct json_field map_fields[] = {
	{"tensor", JSON_AS_STRING, true, AT(tensor_name), NULL, NULL},
	{"box", JSON_AS_CUSTOM, true, 0, box_read, NULL},
	{"swizzle", JSON_AS_CUSTOM, false, AT(swizzle), swizzle_read, NULL},
	{0}};

static const struct json_spec map_spec = {"tensor_map", map_fields};

static enum asc_status map_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct argument *a = member;
	/* The default, unless the file says another. */
	a->swizzle = swizzle_names[0];
	return json_read_object(n, &map_spec, a, e);
}

static const struct json_field argument_fields[] = {
	{"tensor", JSON_AS_STRING, false, AT(tensor_name), NULL, NULL},
	{"scalar", JSON_AS_CUSTOM, false, AT(scalar), workload_read_formula, NULL},
	{"type", JSON_AS_CUSTOM, false, AT(scalar_type), workload_read_dtype, NULL},
	{"scratch", JSON_AS_CUSTOM, false, AT(bytes), workload_read_formula, NULL},
	{"tensor_map", JSON_AS_CUSTOM, false, 0, map_read, &map_spec},
	{"builtin", JSON_AS_CUSTOM, false, AT(builtin), builtin_read, NULL},
	{"text", JSON_AS_STRING, false, AT(text), NULL, NULL},
	{"list", JSON_AS_CUSTOM, false, 0, list_read, NULL},
	{"shape", JSON_AS_CUSTOM, false, 0, shape_read, NULL},
	{"strides", JSON_AS_CUSTOM, false, 0, strides_read, NULL},
	{"offset", JSON_AS_CUSTOM, false, AT(offset), workload_read_formula, NULL},
	{"name", JSON_AS_STRING, false, AT(name), NULL, NULL},
	{0}};

const struct json_spec argument_spec = {"argument", argument_fields};

static enum asc_status kind_find(const struct json_node *n, enum argument_kind *out,
				 struct asc_err *e)
{
	for (int k = 0; argument_kinds[k]; k++)
		if (json_find(n, argument_kinds[k])) {
			*out = (enum argument_kind)k;
			return workload_check_keys(n, argument_kinds[k], argument_kinds[k],
						   &argument_rules[k], e);
		}
	/* A misspelt key is a fault already, and may be the key that is missing. */
	return json_has_stray(n) ? ASC_OK
				 : json_fail(n, e,
					     "expected one of tensor, scalar, scratch, tensor_map, "
					     "builtin, text, list");
}

static enum asc_status argument_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct argument *a = member;
	a->node = n;
	if (json_type(n) == JSON_NULL) {
		a->kind = ARG_NULL;
		return ASC_OK;
	}
	if (json_ends(n, json_read_object(n, &argument_spec, a, e)))
		return e->status;
	return json_type(n) == JSON_OBJECT ? kind_find(n, &a->kind, e) : ASC_OK;
}

enum asc_status callable_read_arguments(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct argument), argument_read,
					      "arguments", WORKLOAD_MAX_ARGUMENTS};
	struct callable *c = member;
	c->arguments = workload_read_items(n, &rule, &c->n_arguments, e);
	return c->arguments ? ASC_OK : e->status;
}

void argument_print(const struct argument *a, struct buf *out)
{
	buf_add_str(out, a->kind == ARG_NULL ? "null" : argument_kinds[a->kind]);
	if (a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP)
		buf_print(out, " %s", a->tensor_name);
	else if (a->kind == ARG_SCALAR)
		buf_print(out, " %s", a->scalar.text);
	else if (a->kind == ARG_BUILTIN)
		buf_print(out, " %s", builtin_names[a->builtin]);
	else if (a->kind == ARG_TEXT)
		buf_print(out, " \"%s\"", a->text);
}

static const struct json_node *name_node(const struct argument *a)
{
	const struct json_node *n =
		a->kind == ARG_TENSOR ? a->node : json_find(a->node, "tensor_map");
	return json_find(n, "tensor");
}

static enum asc_status tensor_find(const struct workload *w, const struct implementation *i,
				   struct argument *a, struct asc_err *e)
{
	const char *names[WORKLOAD_MAX_TENSORS + WORKLOAD_MAX_SCRATCH + 1] = {0};
	const size_t n = w->n_tensors + (i ? i->n_scratch : 0);
	for (a->tensor = 0; a->tensor < n && a->tensor_name; a->tensor++) {
		names[a->tensor] = workload_find_tensor(w, i, a->tensor)->name;
		if (strcmp(names[a->tensor], a->tensor_name) == 0)
			return ASC_OK;
	}
	a->tensor = ARGUMENT_NO_TENSOR;
	/* A name may be that of a tensor that a fault hides. */
	if (!a->tensor_name || !w->tensors || !workload_is_whole(json_root(w->doc), "tensors") ||
	    (i && !workload_is_whole(i->node, "scratch")))
		return ASC_OK;
	return json_fail_unknown(name_node(a), e, "tensor", a->tensor_name, names);
}

static enum asc_status box_check(const struct workload *w, const struct implementation *i,
				 const struct argument *a, struct asc_err *e)
{
	const struct tensor *t = workload_find_tensor(w, i, a->tensor);
	const struct json_node *box = json_find(json_find(a->node, "tensor_map"), "box"),
			       *shape = json_find(t->node, "shape");
	const size_t rank = t->rank;
	if (a->rank == rank || !box || json_is_faulty(box) || !shape || json_is_faulty(shape))
		return ASC_OK;
	return json_fail(box, e, "has %zu dimensions, tensor %s has %zu", a->rank, a->tensor_name,
			 rank);
}

/* Checks a view as far as it has no numbers yet: those are of a problem. */
static enum asc_status view_check(const struct argument *a, struct asc_err *e)
{
	const struct json_node *strides = json_find(a->node, "strides"),
			       *offset = json_find(a->node, "offset"),
			       *shape = json_find(a->node, "shape");

	if (!shape && (strides || offset))
		return json_fail(strides ? strides : offset, e,
				 "needs the key \"shape\": a view has one of its own");
	if (strides && !json_is_faulty(strides) && !json_is_faulty(shape) &&
	    a->n_strides != a->rank)
		return json_fail(strides, e,
				 "has %zu strides, expected %zu, one for each dimension",
				 a->n_strides, a->rank);
	return ASC_OK;
}

/* Checks that only functions of libraries take a tensor of the host's memory. The reference
 * is a C function over tensors of its own. */
static enum asc_status place_check(const struct workload *w, const struct implementation *i,
				   const struct callable *c, const struct argument *a,
				   struct asc_err *e)
{
	const bool is_reference = !i && callable_is_of(c, "cc");
	const struct tensor *t = workload_find_tensor(w, i, a->tensor);

	if (t->place == PLACE_DEVICE || is_reference || !c->builder || callable_is_library(c))
		return ASC_OK;
	return json_fail(name_node(a), e,
			 "tensor \"%s\" lives on the host, where only functions of libraries "
			 "(builders vendor and python) take it",
			 t->name);
}

/* Checks that the call's builder has such a number: Python functions have no grid, all others no
 * queue, and calls of a grid are of C functions alone. */
static enum asc_status builtin_check(const struct argument *a, const struct callable *c,
				     struct asc_err *e)
{
	const bool python = callable_is_of(c, "python"), stream = a->builtin == BUILTIN_STREAM;

	if (stream ? python : !python && (a->builtin == BUILTIN_BLOCKS || callable_is_of(c, "cc")))
		return ASC_OK;
	if (a->builtin == BUILTIN_BLOCKS)
		return json_fail(a->node, e,
				 "builtin blocks is of a grid, which builder python has none of");
	return json_fail(a->node, e, "builtin %s exists for builder %s, not for %s",
			 builtin_names[a->builtin], stream ? "python" : "cc", c->builder);
}

enum asc_status argument_check(const struct workload *w, const struct implementation *i,
			       const struct callable *c, struct argument *a, struct asc_err *e)
{
	if (a->kind == ARG_BUILTIN && c->builder && json_ends(a->node, builtin_check(a, c, e)))
		return e->status;
	if ((a->kind == ARG_TEXT || a->kind == ARG_LIST || a->kind == ARG_NULL) && c->builder &&
	    !callable_is_library(c))
		return json_fail(a->node, e,
				 "%s is for functions of libraries (builders vendor and python)",
				 a->kind == ARG_NULL ? "null" : argument_kinds[a->kind]);
	if (a->kind == ARG_SCRATCH && callable_is_of(c, "python"))
		return json_fail(a->node, e,
				 "a Python function takes memory as a tensor: name one under "
				 "\"scratch\" of the implementation");
	if (a->kind != ARG_TENSOR && a->kind != ARG_TENSOR_MAP)
		return ASC_OK;
	/* Tensor maps are objects of CUDA. */
	if (a->kind == ARG_TENSOR_MAP && (callable_is_of(c, "cc") || callable_is_of(c, "python")) &&
	    json_ends(a->node, json_fail(a->node, e, "builder %s has no tensor maps", c->builder)))
		return e->status;
	if (json_ends(a->node, tensor_find(w, i, a, e)))
		return e->status;
	if (a->tensor == ARGUMENT_NO_TENSOR)
		return ASC_OK;
	if (json_ends(a->node, place_check(w, i, c, a, e)) || json_ends(a->node, view_check(a, e)))
		return e->status;
	return a->kind == ARG_TENSOR_MAP ? box_check(w, i, a, e) : ASC_OK;
}
