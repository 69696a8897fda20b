#include "tuner/tune/evaluate/kernel_request.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/build/builder.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload_read.h"

enum { NAME_SIZE = 300, NUMBER_SIZE = VALUE_TEXT_MAX + 4 };

static void define(struct build_request *r, const char *prefix, const char *name,
		   const char *value_prefix, const char *value)
{
	char whole[NAME_SIZE], text[NAME_SIZE];

	if (snprintf(whole, sizeof whole, "%s%s", prefix, name) >= NAME_SIZE)
		asc_err_set(&r->failure, ASC_LIMIT, "the name \"%s\" is longer than %d characters",
			    name, NAME_SIZE);
	(void)snprintf(text, sizeof text, "%s%s", value_prefix, value);
	build_request_define(r, whole, text);
}

static void define_types(struct build_request *r, const struct builder_ops *b,
			 const struct problem *p)
{
	char number[NUMBER_SIZE];

	for (int t = 0; t < DTYPE_COUNT; t++) {
		(void)snprintf(number, sizeof number, "%d", t);
		define(r, "DTYPE_", dtype_name((enum dtype)t), "", number);
	}
	for (size_t i = 0; i < p->n_dtypes; i++) {
		const struct dtype_variable *v = &p->dtypes[i];

		define(r, "DTYPE_", v->name, "DTYPE_", dtype_name(v->dtype));
		define(r, "CTYPE_", v->name, "", b->type_name(v->dtype));
	}
}

static void define_value(struct build_request *r, const struct builder_ops *b, const char *name,
			 struct value v)
{
	char text[NUMBER_SIZE], json[NUMBER_SIZE + 2];
	/* A compiler of a typed language is given values as JSON, the preprocessor their words. */
	const bool quoted = b->typed_values && v.kind == VALUE_TEXT;

	if (!b->typed_values && v.kind == VALUE_BOOL)
		v.kind = VALUE_INT;
	value_print(v, text, sizeof text);
	/* Texts have no characters that JSON escapes. */
	(void)snprintf(json, sizeof json, "\"%s\"", text);
	define(r, "", name, "", quoted ? json : text);
}

/* Defines the parameters that the call names, but for those of the launch: a macro of each would
 * make another artifact of the same code. */
static void define_parameters(struct build_request *r, const struct builder_ops *b,
			      const struct kernel_source *k)
{
	const struct implementation *im = k->implementation;

	for (size_t i = 0; i < k->config->n; i++) {
		const char *name = k->names[i];
		size_t at = 0;

		while (at < im->n_parameters && strcmp(im->parameters[at].name, name) != 0)
			at++;
		if ((at == im->n_parameters || im->parameters[at].stage != STAGE_LAUNCH) &&
		    name_list_has(&k->call->parameters, name))
			define_value(r, b, name, k->config->values[i]);
	}
}

static void define_dtype(struct build_request *r, const struct builder_ops *b, const char *name,
			 enum dtype t)
{
	char text[NUMBER_SIZE];

	(void)snprintf(text, sizeof text, "{\"dtype\":\"%s\"}", dtype_name(t));
	define(r, "", name, "", b->typed_values ? text : b->type_name(t));
}

/* Defines constants; a null is no macro. */
static void define_constants(struct build_request *r, const struct builder_ops *b,
			     const struct kernel_source *k)
{
	for (size_t i = 0; i < k->call->n_constants && !r->failure.status; i++) {
		const struct constant *c = &k->call->constants[i];
		struct bound_constant bound;

		if (binding_constant(k->binding, k->implementation, k->config, c, &bound,
				     &r->failure))
			return;
		if (bound.kind == CONSTANT_DTYPE)
			define_dtype(r, b, c->name, bound.dtype);
		else if (bound.kind != CONSTANT_NULL)
			define_value(r, b, c->name, bound.value);
		else if (b->typed_values)
			define(r, "", c->name, "", "null");
	}
}

static enum build_argument_kind kind_of(enum argument_kind kind)
{
	static const enum build_argument_kind kinds[] = {
		[ARG_TENSOR] = BUILD_TENSOR,
		[ARG_SCALAR] = BUILD_SCALAR,
		[ARG_SCRATCH] = BUILD_SCRATCH,
		[ARG_TENSOR_MAP] = BUILD_TENSOR_MAP,
		[ARG_BUILTIN] = BUILD_BUILTIN,
		/* Functions of vendors, for which nothing is built. */
		[ARG_TEXT] = BUILD_SCALAR,
		[ARG_LIST] = BUILD_SCALAR,
		[ARG_NULL] = BUILD_SCALAR};

	return kinds[kind];
}

/* True for a tensor between the calls of an implementation. */
static bool is_scratch(const struct kernel_source *k, const struct bound_argument *a)
{
	return a->tensor >= k->binding->workload->n_tensors;
}

/* Type of an argument; the reference and fill functions see doubles only. */
static enum dtype type_of(const struct kernel_source *k, const struct bound_argument *a)
{
	if (a->kind == ARG_BUILTIN)
		return DTYPE_I64;
	if (a->kind != ARG_TENSOR || is_scratch(k, a))
		return a->type;
	return k->implementation ? k->binding->tensors[a->tensor].dtype : DTYPE_F64;
}

static bool is_absent(const struct kernel_source *k, const struct bound_argument *a)
{
	return (a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) && !is_scratch(k, a) &&
	       !k->binding->tensors[a->tensor].present;
}

static void add_argument(struct build_request *r, const struct kernel_source *k,
			 const struct bound_argument *a, const struct buf *words)
{
	const bool number = a->kind == ARG_SCALAR && a->scalar.kind != VALUE_REAL;
	struct build_argument out = {.kind = kind_of(a->kind),
				     .type = type_of(k, a),
				     .absent = k->implementation && is_absent(k, a),
				     /* A memory itself begins at a multiple of 64. */
				     .unaligned = a->offset_bytes % BUILD_ALIGNMENT != 0,
				     .number = number ? a->scalar.i : 0};
	char *own = words->len ? str_dup(buf_str(words)) : NULL;

	static_assert((int)BUILD_MAX_RANK == (int)WORKLOAD_MAX_RANK, "a box has a tensor's rank");
	if (words->failed || (words->len && !own))
		asc_err_nomem(&r->failure);
	out.words = own;
	out.rank = a->kind == ARG_TENSOR_MAP ? a->rank : 0;
	memcpy(out.box, a->box, sizeof out.box);
	build_request_add(r, &out);
	free(own);
}

static void add_arguments(struct build_request *r, const struct kernel_source *k)
{
	for (size_t i = 0; i < k->plan->n_arguments; i++) {
		const struct bound_argument *a = &k->plan->arguments[i];
		struct buf words = {0};

		if (i < k->call->n_arguments)
			argument_print(&k->call->arguments[i], &words);
		add_argument(r, k, a, &words);
		buf_fini(&words);
	}
}

void kernel_request(const struct builder_ops *b, const struct kernel_source *k,
		    struct build_request *out)
{
	const struct name_list *flags = &k->call->flags;
	const char *entry = callable_entry(k->call, k->device);
	/* A function of a library or of a module is known by its name. */
	const bool is_file = source_is_file(b->name, k->call->source);
	char *source = is_file ? source_path(k->binding->workload, b->name, k->call->source)
			       : str_dup(k->call->source);

	build_request_init(out, source, entry, k->arch, k->program);
	if (!source)
		asc_err_nomem(&out->failure);
	else if (!entry)
		asc_err_set(&out->failure, ASC_INPUT, "no entry for %s", k->device);
	else if (is_file && strpbrk(source, "\r\n"))
		asc_err_set(&out->failure, ASC_INPUT,
			    "%s: the end of a line in a path: compilers list what they read by "
			    "lines",
			    source);
	free(source);
	out->shared = !k->plan;
	if (k->binding->workload->untrusted)
		build_request_confine(out, k->binding->workload->folder);
	const struct json_node *given = flags->node ? json_first(flags->node) : NULL;

	/* A base's flags lead to its own folder, and are in keys what they are in the file. */
	for (size_t i = 0; i < flags->n; i++) {
		struct asc_err none;
		const char *keyed;

		build_request_add_flag(out, flags->names[i]);
		if (given && json_get_string(given, &keyed, &none) == ASC_OK &&
		    strcmp(keyed, flags->names[i]) != 0)
			build_request_key_flag(out, keyed);
		given = given ? json_next(given) : NULL;
	}
	if (k->binding->facts.known[FACT_BLOCK_SHARED_BYTES])
		out->shared_limit_bytes = k->binding->facts.value[FACT_BLOCK_SHARED_BYTES];
	if (k->implementation && k->config && (b->type_name || b->typed_values)) {
		if (b->type_name)
			define_types(out, b, k->binding->problem);
		define_parameters(out, b, k);
		define_constants(out, b, k);
	}
	if (k->plan)
		add_arguments(out, k);
}

char *kernel_artifact(const struct kernel_source *k)
{
	char *function, *out;

	if (!callable_is_of(k->call, "python"))
		return str_dup(k->call->source);
	function = python_function_absolute(k->binding->workload, k->call->source);
	out = function ? str_print("python:%s", function) : NULL;
	free(function);
	return out;
}

enum asc_status kernel_request_inspect(const struct builder_ops *b, const struct kernel_source *k,
				       struct asc_err *e)
{
	struct build_request request;

	if (!b->inspect)
		return ASC_OK;
	kernel_request(b, k, &request);
	enum asc_status s = build_request_check(&request, e);
	if (s == ASC_OK)
		s = b->inspect(&request, e);
	build_request_fini(&request);
	return s;
}
