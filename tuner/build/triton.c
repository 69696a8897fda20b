/* Triton kernels, compiled by Python processes that stay (tuner/python): to machine code of
 * NVIDIA's GPUs, and for Ascend NPUs to the verdict of the memory planner, since the compiler's
 * back end is no public program.
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

static enum asc_status add_identity(enum triton_device device, struct buf *out, struct asc_err *e)
{
	const struct triton_python *python;

	if (triton_python_get(device, &python, e))
		return e->status;
	buf_add_str(out, python->identity);
	return buf_check(out, e);
}

/* ---- the request ---- */

/* Makes an integer of the same class. Its type is that of the value, and Triton knows of it whether
 * it is 1, which is a constant, and for a program whether 16 divides it. That changes no plan: one
 * verdict serves all sizes (shown for triton-ascend 3.2.0 in docs/ascend.md). */
static int64_t find_class(enum triton_device device, int64_t v)
{
	const int64_t wide = INT64_C(1) << 32;
	const int64_t base = v == (int32_t)v ? 0 : wide;

	if (v == 1)
		return 1;
	return device == TRITON_CUDA && v % 16 == 0 ? base + 16 : base + 2;
}

static void write_descriptor(const struct build_argument *a, struct json_writer *w)
{
	json_write_string(w, "descriptor", dtype_name(a->type));
	json_write_begin(w, "box", '[');
	for (size_t i = 0; i < a->rank; i++)
		json_write_int(w, NULL, a->box[i]);
	json_write_end(w, ']');
}

static void write_argument(enum triton_device device, const struct build_argument *a,
			   struct json_writer *w)
{
	/* A launch from Python passes None: the kernel is specialised for it. */
	if (a->absent) {
		json_write_string(w, NULL, NULL);
		return;
	}
	json_write_begin(w, NULL, '{');
	if (a->kind == BUILD_TENSOR) {
		json_write_string(w, "tensor", dtype_name(a->type));
		/* Only where it is, so that the keys of all others stay. */
		if (a->unaligned)
			json_write_bool(w, "unaligned", true);
	} else if (a->kind == BUILD_TENSOR_MAP)
		write_descriptor(a, w);
	else if (a->kind == BUILD_SCRATCH)
		json_write_bool(w, "scratch", true);
	else if (dtype_is_float(a->type))
		json_write_bool(w, "real", true);
	else if (a->type == DTYPE_BOOL)
		json_write_bool(w, "truth", true);
	else
		json_write_int(w, "int", find_class(device, a->number));
	json_write_end(w, '}');
}

/* A kernel for both devices has options of either compiler as parameters: the other compiler does
 * not know them, and is not passed them, unless the kernel has a tl.constexpr of that name. */
static enum asc_status is_passed(const struct triton_python *python, const struct build_request *r,
				 const char *name, bool *out, struct asc_err *e)
{
	*out = true;
	return str_is_in(name, python->foreign) ? triton_kernel_takes(python, r, name, out, e)
						: ASC_OK;
}

static enum asc_status write_request(const struct triton_python *python,
				     const struct build_request *r, struct buf *out,
				     struct asc_err *e)
{
	struct json_writer w = {.out = out};
	const char *separator = "";

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "arguments", '[');
	for (size_t i = 0; i < r->n_arguments; i++)
		write_argument(python->device, &r->arguments[i], &w);
	json_write_end(&w, ']');
	json_write_int(&w, "shared", r->shared_limit_bytes);
	buf_add_str(out, ",\"values\":{"); /* JSON as they are */
	for (size_t i = 0; i < r->n_defines; i++) {
		const struct build_define *d = &r->defines[i];
		bool passed;

		if (is_passed(python, r, d->name, &passed, e))
			return e->status;
		if (!passed)
			continue;
		buf_print(out, "%s\"%s\":%s", separator, d->name, d->value);
		separator = ",";
	}
	buf_add_str(out, "}}");
	return buf_check(out, e);
}

/* ---- command ---- */

static void add_request(enum triton_device device, const struct build_request *r,
			struct build_command *c)
{
	const struct triton_python *python;
	struct buf text = {0};

	if (!c->failure.status && triton_python_get(device, &python, &c->failure) == ASC_OK)
		(void)write_request(python, r, &text, &c->failure);
	build_command_add(c, "%s", r->arch);
	build_command_add(c, "%s", buf_str(&text));
	buf_fini(&text);
}

static void add_server(enum triton_device device, struct build_command *c)
{
	const struct triton_python *python;

	if (c->failure.status == ASC_OK &&
	    triton_python_get(device, &python, &c->failure) == ASC_OK)
		triton_python_serve(python, c);
}

static enum asc_status find_digest(enum triton_device device, const struct build_request *r,
				   const char **out, struct asc_err *e)
{
	const struct triton_python *python;

	return triton_python_get(device, &python, e) ? e->status
						     : triton_kernel_digest(python, r, out, e);
}

static void make_command(const struct builder_ops *b, const struct build_request *r,
			 const char *output, struct build_command *c)
{
	const char *digest = NULL;

	b->server(r->program, c);
	/* The interpreter holds a kernel to the digest of its key; the probe kernel is its own. */
	if (!c->failure.status && strcmp(r->source, TRITON_PROBE) != 0)
		(void)b->digest(r, &digest, &c->failure);
	build_command_add(c, "%s", output);
	build_command_add(c, "%s", r->source);
	build_command_add(c, "%s", r->entry);
	build_command_add(c, "%s", digest ? digest : "");
	b->options(r, c);
}

static enum asc_status inspect(enum triton_device device, const struct build_request *r,
			       struct asc_err *e)
{
	const struct triton_python *python;
	struct buf text = {0};

	if (triton_python_get(device, &python, e))
		return e->status;
	enum asc_status s = write_request(python, r, &text, e);

	if (s == ASC_OK)
		s = triton_kernel_check(python, r, buf_str(&text), 0, e);
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

/* ---- for GPUs ---- */

static enum asc_status cuda_toolchain(struct buf *out, struct asc_err *e)
{
	return add_identity(TRITON_CUDA, out, e);
}

static void cuda_server(const char *program, struct build_command *c)
{
	(void)program;
	add_server(TRITON_CUDA, c);
}

static void cuda_options(const struct build_request *r, struct build_command *c)
{
	if (strncmp(r->arch, "sm_", 3) != 0 && !c->failure.status)
		asc_err_set(&c->failure, ASC_INPUT,
			    "Triton does not build for \"%s\": expected sm_NUMBER", r->arch);
	add_request(TRITON_CUDA, r, c);
}

static void cuda_command(const struct build_request *r, const char *folder, const char *output,
			 struct build_command *c)
{
	(void)folder;
	make_command(&builder_triton, r, output, c);
}

static enum asc_status cuda_digest(const struct build_request *r, const char **out,
				   struct asc_err *e)
{
	return find_digest(TRITON_CUDA, r, out, e);
}

static enum asc_status cuda_inspect(const struct build_request *r, struct asc_err *e)
{
	return inspect(TRITON_CUDA, r, e);
}

static const char *const cuda_devices[] = {"cuda", NULL};

const struct builder_ops builder_triton = {
	.name = "triton",
	.summary = "Triton kernels for NVIDIA GPUs, by the Triton of a Python",
	.suffix = ".cubin",
	.devices = cuda_devices,
	.typed_values = true,
	.toolchain = cuda_toolchain,
	.server = cuda_server,
	.weight = triton_weight,
	.options = cuda_options,
	.command = cuda_command,
	.digest = cuda_digest,
	.inspect = cuda_inspect,
};

/* ---- for NPUs: a plan, no artifact ---- */

static enum asc_status npu_toolchain(struct buf *out, struct asc_err *e)
{
	return add_identity(TRITON_NPU, out, e);
}

static void npu_server(const char *program, struct build_command *c)
{
	(void)program;
	add_server(TRITON_NPU, c);
}

static void npu_options(const struct build_request *r, struct build_command *c)
{
	add_request(TRITON_NPU, r, c);
}

static void npu_command(const struct build_request *r, const char *folder, const char *output,
			struct build_command *c)
{
	(void)folder;
	make_command(&builder_triton_npu, r, output, c);
}

static enum asc_status npu_digest(const struct build_request *r, const char **out,
				  struct asc_err *e)
{
	static const char probe[] = "the probe kernel";

	/* Part of this program: there is nothing to look at. */
	if (strcmp(r->source, TRITON_PROBE) == 0) {
		*out = probe;
		return ASC_OK;
	}
	return find_digest(TRITON_NPU, r, out, e);
}

static enum asc_status npu_inspect(const struct build_request *r, struct asc_err *e)
{
	return inspect(TRITON_NPU, r, e);
}

static const char *const npu_devices[] = {"npu", NULL};

const struct builder_ops builder_triton_npu = {
	.name = "triton",
	.summary = "Triton kernels for Ascend NPUs, planned by the triton-ascend and "
		   "bishengir-compile of a Python",
	.suffix = ".plan",
	.devices = npu_devices,
	.typed_values = true,
	.plans = true,
	.toolchain = npu_toolchain,
	.server = npu_server,
	.weight = triton_weight,
	.options = npu_options,
	.command = npu_command,
	.digest = npu_digest,
	.inspect = npu_inspect,
};
