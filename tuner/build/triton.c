/* Triton kernels, compiled to machine code of NVIDIA's GPUs by Python processes that stay
 * (triton_helper.py).
 *
 * A kernel's tl.constexpr parameters have the values of parameters and constants of the same name,
 * num_warps and the like are options of the compiler, and its other parameters are the workload's
 * arguments in order. Types and specialisation are those that a launch from Python chooses for the
 * bound values: of an integer only its class is passed. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/triton_kernel.h"
#include "tuner/build/triton_python.h"

static enum asc_status triton_toolchain(struct buf *out, struct asc_err *e)
{
	const struct triton_python *python;

	if (triton_python_get(&python, e))
		return e->status;
	buf_add_str(out, python->identity);
	return buf_check(out, e);
}

/* ---- the request ---- */

/* Makes an integer of the same class: its type is that of the value, and Triton knows of it whether
 * it is 1, and whether 16 divides it. */
static int64_t find_class(int64_t v)
{
	const int64_t wide = INT64_C(1) << 32;
	const int64_t base = v == (int32_t)v ? 0 : wide;

	if (v == 1)
		return 1;
	return v % 16 == 0 ? base + 16 : base + 2;
}

static void write_descriptor(const struct build_argument *a, struct json_writer *w)
{
	json_write_string(w, "descriptor", dtype_name(a->type));
	json_write_begin(w, "box", '[');
	for (size_t i = 0; i < a->rank; i++)
		json_write_int(w, NULL, a->box[i]);
	json_write_end(w, ']');
}

static void write_argument(const struct build_argument *a, struct json_writer *w)
{
	/* A launch from Python passes None: the kernel is specialised for it. */
	if (a->absent) {
		json_write_string(w, NULL, NULL);
		return;
	}
	json_write_begin(w, NULL, '{');
	if (a->kind == BUILD_TENSOR)
		json_write_string(w, "tensor", dtype_name(a->type));
	else if (a->kind == BUILD_TENSOR_MAP)
		write_descriptor(a, w);
	else if (a->kind == BUILD_SCRATCH)
		json_write_bool(w, "scratch", true);
	else if (dtype_is_float(a->type))
		json_write_bool(w, "real", true);
	else if (a->type == DTYPE_BOOL)
		json_write_bool(w, "truth", true);
	else
		json_write_int(w, "int", find_class(a->number));
	json_write_end(w, '}');
}

/* Values are JSON as they are. */
static void write_request(const struct build_request *r, struct buf *out)
{
	struct json_writer w = {.out = out};

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "arguments", '[');
	for (size_t i = 0; i < r->n_arguments; i++)
		write_argument(&r->arguments[i], &w);
	json_write_end(&w, ']');
	json_write_int(&w, "shared", r->shared_limit_bytes);
	buf_add_str(out, ",\"values\":{");
	for (size_t i = 0; i < r->n_defines; i++)
		buf_print(out, "%s\"%s\":%s", i ? "," : "", r->defines[i].name,
			  r->defines[i].value);
	buf_add_str(out, "}}");
}

/* ---- command ---- */

static void triton_options(const struct build_request *r, struct build_command *c)
{
	struct buf text = {0};

	if (strncmp(r->arch, "sm_", 3) != 0 && !c->failure.status)
		asc_err_set(&c->failure, ASC_INPUT,
			    "Triton does not build for \"%s\": expected sm_NUMBER", r->arch);
	write_request(r, &text);
	if (!c->failure.status)
		(void)buf_check(&text, &c->failure);
	build_command_add(c, "%s", r->arch);
	build_command_add(c, "%s", buf_str(&text));
	buf_fini(&text);
}

static void triton_server(const char *program, struct build_command *c)
{
	const struct triton_python *python;

	(void)program;
	if (c->failure.status || triton_python_get(&python, &c->failure))
		return;
	build_command_add(c, "%s", python->executable);
	build_command_add(c, "-B"); /* modules are compiled without a trace beside them */
	build_command_add(c, "-c");
	build_command_add(c, "%s\n%s", triton_helper, triton_serve);
	build_command_add(c, "serve");
	c->n_server = c->argc;
	c->reads = python->reads;
}

static void triton_command(const struct build_request *r, const char *folder, const char *output,
			   struct build_command *c)
{
	const char *digest = NULL;

	(void)folder;
	triton_server(r->program, c);
	if (!c->failure.status)
		(void)triton_kernel_digest(r, &digest, &c->failure);
	build_command_add(c, "%s", output);
	build_command_add(c, "%s", r->source);
	build_command_add(c, "%s", r->entry);
	build_command_add(c, "%s", digest ? digest : "");
	triton_options(r, c);
}

static enum asc_status triton_inspect(const struct build_request *r, struct asc_err *e)
{
	struct buf text = {0};

	write_request(r, &text);
	enum asc_status s = buf_check(&text, e);
	if (s == ASC_OK)
		s = triton_kernel_check(r, buf_str(&text), 0, e);
	buf_fini(&text);
	return s;
}

/* Estimates by the product of the sizes of blocks, for each warp: that is what a compile unrolls.
 */
static double triton_weight(const struct build_request *r)
{
	double weight = 1;

	for (size_t i = 0; i < r->n_defines; i++) {
		const double value = strtod(r->defines[i].value, NULL);

		if (strcmp(r->defines[i].name, "num_warps") == 0 && value > 0)
			weight /= value;
		else if (value > 1)
			weight *= value;
	}
	return weight;
}

static const char *const devices[] = {"cuda", NULL};

const struct builder_ops builder_triton = {
	.name = "triton",
	.summary = "Triton kernels for NVIDIA GPUs, by the Triton of a Python",
	.suffix = ".cubin",
	.devices = devices,
	.typed_values = true,
	.toolchain = triton_toolchain,
	.server = triton_server,
	.weight = triton_weight,
	.options = triton_options,
	.command = triton_command,
	.digest = triton_kernel_digest,
	.inspect = triton_inspect,
};
