#include "tuner/cmd/build/built_kernel.h"

#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/build/builder.h"
#include "tuner/code/code_file.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload_read.h"

void built_kernel_read(const struct kernel_build *k, struct built_kernel *out)
{
	struct asc_err e;

	*out = (struct built_kernel){
		.build = k,
		.entry = *k->plan.entry ? k->plan.entry
					: callable_entry(k->source.call, k->source.device),
		.shared_bytes = k->plan.shared_bytes};
	if (k->verdict.kind == VERDICT_FITS)
		out->plan = &k->verdict;
	/* A vendor's function between kernels has no file. */
	if (k->state != KERNEL_BUILT || !k->builder->command ||
	    strcmp(k->builder->suffix, ".cubin") != 0)
		return;
	if (code_file_count(k->artifact.path, out->entry, &out->code, &e)) {
		log_print(LOG_WARN, "%s", e.text);
	} else {
		out->has_code = true;
		out->shared_bytes += out->code.shared_bytes;
	}
}

void built_kernel_write_facts(const struct built_kernel *k, struct json_writer *w)
{
	const struct artifact *a = &k->build->artifact;

	json_write_string(w, "entry", k->entry);
	json_write_string(w, "artifact", *a->key ? a->key : NULL);
	if (k->plan) {
		verdict_write_plan(k->plan, w);
		json_write_string(w, "program", k->plan->program);
	}
	if (!k->has_code)
		return;
	json_write_int(w, "registers", k->code.registers);
	json_write_int(w, "local_bytes", k->code.stack_bytes);
	if (k->code.spills >= 0)
		json_write_int(w, "spills", k->code.spills);
	json_write_int(w, "static_shared_bytes", k->code.shared_bytes);
	json_write_int(w, "shared_bytes", k->shared_bytes);
}

/* ---- the launch ---- */

/* Writes a number of a launch; 0 stands for one that is not known. */
static void write_known(struct json_writer *w, const char *key, int64_t value)
{
	if (value)
		json_write_int(w, key, value);
	else
		json_write_string(w, key, NULL);
}

static void write_sides(struct json_writer *w, const char *key, const int64_t sides[3])
{
	json_write_begin(w, key, '[');
	for (size_t i = 0; i < 3; i++)
		write_known(w, NULL, sides[i]);
	json_write_end(w, ']');
}

static void write_numbers(struct json_writer *w, const char *key, const int64_t *list, size_t n)
{
	json_write_begin(w, key, '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(w, NULL, list[i]);
	json_write_end(w, ']');
}

static const char *tensor_name(const struct kernel_source *s, size_t tensor)
{
	return workload_find_tensor(s->binding->workload, s->implementation, tensor)->name;
}

/* Writes what a tensor is, and of a view where its elements lie. */
static void write_tensor(const struct bound_argument *a, struct json_writer *w)
{
	json_write_string(w, "type", dtype_name(a->type));
	write_numbers(w, "shape", a->shape, a->rank);
	if (a->scattered)
		write_numbers(w, "strides", a->strides, a->rank);
	if (a->offset_bytes > 0)
		json_write_int(w, "offset_bytes", a->offset_bytes);
}

static void write_argument(const struct kernel_source *s, const struct bound_argument *a,
			   struct json_writer *w)
{
	json_write_begin(w, NULL, '{');
	switch (a->kind) {
	case ARG_TENSOR:
		json_write_string(w, "tensor", tensor_name(s, a->tensor));
		write_tensor(a, w);
		break;
	case ARG_TENSOR_MAP:
		json_write_string(w, "tensor_map", tensor_name(s, a->tensor));
		write_tensor(a, w);
		write_numbers(w, "box", a->box, a->rank);
		json_write_string(w, "swizzle", a->swizzle);
		break;
	case ARG_SCALAR:
		json_write_value(w, "scalar", a->scalar);
		json_write_string(w, "type", dtype_name(a->type));
		break;
	case ARG_SCRATCH: write_known(w, "scratch", a->bytes); break;
	case ARG_BUILTIN: json_write_string(w, "builtin", builtin_name(a->builtin)); break;
	case ARG_TEXT: json_write_string(w, "text", a->text); break;
	case ARG_LIST: write_numbers(w, "list", a->shape, a->rank); break;
	case ARG_NULL: json_write_string(w, "null", NULL); break;
	}
	json_write_end(w, '}');
}

void built_kernel_write_launch(const struct built_kernel *k, struct json_writer *w)
{
	const struct kernel_source *s = &k->build->source;
	const struct plan *p = &k->build->plan;

	json_write_string(w, "source", s->call->source);
	json_write_string(w, "builder", s->call->builder);
	if (s->call->launch.node)
		json_write_node(w, "formulas", s->call->launch.node);
	write_sides(w, "grid", p->grid);
	write_sides(w, "block", p->block);
	write_sides(w, "cluster", p->cluster);
	write_known(w, "threads", p->threads);
	json_write_int(w, "dynamic_shared_bytes", p->shared_bytes);
	json_write_bool(w, "cooperative", p->cooperative != 0);
	json_write_bool(w, "spread", p->spread);
	json_write_bool(w, "programmatic", p->programmatic);
	json_write_bool(w, "prefers_shared", p->prefers_shared);
	json_write_begin(w, "arguments", '[');
	for (size_t i = 0; i < p->n_arguments; i++)
		write_argument(s, &p->arguments[i], w);
	json_write_end(w, ']');
}
