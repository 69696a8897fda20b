/* A kernel's parameters, as a driver tells them, against those that a plan passes; graphs of
 * launches.
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

/* ---- graphs ---- */

static struct {
	unsigned begin, end, make, launch; /* what each answers */
	unsigned mode;
	int begun, ended, made, launched;
	struct CUgraphExec_st *run; /* the graph that was launched last */
} graphs;

static char recorded, executable; /* handles */

static unsigned begin_capture(struct CUstream_st *stream, unsigned mode)
{
	(void)stream;
	graphs.mode = mode;
	graphs.begun++;
	return graphs.begin;
}

static unsigned end_capture(struct CUstream_st *stream, struct CUgraph_st **out)
{
	(void)stream;
	graphs.ended++;
	*out = graphs.end ? NULL : (void *)&recorded;
	return graphs.end;
}

static unsigned make_graph(struct CUgraphExec_st **out, struct CUgraph_st *graph,
			   unsigned long long flags)
{
	graphs.made += (void *)graph == &recorded && flags == 0;
	*out = (void *)&executable;
	return graphs.make;
}

static unsigned launch_graph(struct CUgraphExec_st *graph, struct CUstream_st *stream)
{
	(void)stream;
	graphs.launched++;
	graphs.run = graph;
	return graphs.launch;
}

static unsigned synchronize(void)
{
	return 0;
}

static unsigned tell_error(unsigned rc, const char **text)
{
	*text = rc == 901 ? "INVALIDATED" : "OTHER";
	return 0;
}

static void test_graphs(void)
{
	static const struct cuda_driver with_graphs = {.capture_begin = begin_capture,
						       .capture_end = end_capture,
						       .graph_make = make_graph,
						       .graph_launch = launch_graph,
						       .synchronize = synchronize,
						       .error_name = tell_error,
						       .error_text = tell_error};
	static struct device device = {.cu = &with_graphs};
	const struct device_sequence none = {.n = 0};
	struct asc_err e = {0};

	tap_int(cuda_kernels_capture(&device, &none, &e), ASC_OK, "a launch is recorded");
	tap_ok(graphs.mode == 1 && graphs.begun == 1 && graphs.ended == 1 && graphs.made == 1,
	       "in this thread's mode, into a graph");
	tap_int(cuda_kernels_replay(&device, &e), ASC_OK, "the graph is launched");
	tap_ok((void *)graphs.run == &executable && graphs.launched == 1, "that one, once");
	graphs.end = 901; /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
	tap_int(cuda_kernels_capture(&device, &none, &e), ASC_IO, "a capture that was spoiled");
	tap_has(e.text, "cuStreamEndCapture", "is said");
	tap_int(graphs.made, 1, "no graph is made of it");
	graphs.begin = 1;
	tap_int(cuda_kernels_capture(&device, &none, &e), ASC_IO, "one that does not begin");
	tap_int(graphs.ended, 2, "does not end");
	device.cu = &old_driver;
	tap_int(cuda_kernels_capture(&device, &none, &e), ASC_ABSENT, "a driver without graphs");
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
	test_graphs();
	return tap_done();
}
