/* A kernel's parameters, as a driver tells them, against those that a plan passes.
 * covers: cuda_kernel.c */
#include "tuner/device/cuda/cuda_kernel.h"

#include "tests/tap.h"

static const size_t sizes[] = {8, 4, 128, 1, 8}; /* of the kernel's parameters */
static size_t n_sizes;

/* Offsets are not looked at. */
static unsigned tell_parameter(struct CUfunc_st *function, size_t index, size_t *offset,
			       size_t *bytes)
{
	(void)function;
	*offset = 0;
	if (index >= n_sizes)
		return 1;
	*bytes = sizes[index];
	return 0;
}

static const struct cuda_driver driver = {.function_parameter = tell_parameter};
static const struct cuda_driver old_driver;

static struct plan plan = {.n_arguments = 5,
			   .arguments = {{.kind = ARG_TENSOR},
					 {.kind = ARG_SCALAR, .type = DTYPE_I32},
					 {.kind = ARG_TENSOR_MAP},
					 {.kind = ARG_SCALAR, .type = DTYPE_BOOL},
					 {.kind = ARG_SCRATCH}}};

static enum asc_status check(const struct cuda_driver *cu, size_t n, struct asc_err *e)
{
	n_sizes = n;
	return cuda_parameters_check(cu, NULL, &plan, e);
}

int main(void)
{
	struct asc_err e = {0};

	tap_int(check(&driver, 5, &e), ASC_OK, "parameters of equal sizes are the plan's");
	tap_int(check(&driver, 4, &e), ASC_INPUT, "a plan with more parameters is refused");
	tap_str(e.text, "the kernel takes 4 parameters, 5 would be passed",
		"both numbers are told");
	plan.arguments[1].type = DTYPE_I64;
	tap_int(check(&driver, 5, &e), ASC_INPUT, "a parameter of another size is refused");
	tap_str(e.text, "parameter 1 of the kernel has 4 bytes, 8 would be passed",
		"the parameter and both sizes are told");
	tap_int(check(&old_driver, 5, &e), ASC_OK, "a driver that cannot tell refuses nothing");
	plan.n_arguments = 0;
	tap_int(check(&driver, 0, &e), ASC_OK, "a kernel may take nothing");
	tap_int(check(&driver, 1, &e), ASC_INPUT, "a plan with fewer parameters is refused");
	return tap_done();
}
