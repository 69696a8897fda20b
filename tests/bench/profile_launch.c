/* Launches what `asctune build --output` has written, for a profiler that stands around it:
 * `profile_launch TIMES FILE.json...` loads each file's cubin by cuModuleLoadData and launches its
 * kernel TIMES times, one after the other. Tensors hold numbers between -1 and 1. For
 * tests/bench/profile_ncu and profile_cost. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/device/libs/cuda_driver.h"

enum { MOST_ARGUMENTS = 16, PATTERN = 1 << 16, MOST_BYTES = 64 << 20 };

static struct asc_err e;
static const struct cuda_driver *cu;
static struct CUctx_st *context;

static void need(enum asc_status s, const char *what)
{
	if (s == ASC_OK)
		return;
	(void)fprintf(stderr, "profile_launch: %s: %s\n", what, e.text);
	exit(1);
}

static void drive(unsigned rc, const char *what)
{
	need(cuda_driver_check(cu, rc, what, &e), what);
}

/* ---- one kernel ---- */

struct kernel {
	const char *entry;
	int64_t grid[3], block[3], cluster[3], shared_bytes;
	union {
		cuda_address address;
		int64_t i64;
		double f64;
		float f32;
		int32_t i32;
	} values[MOST_ARGUMENTS];
	void *arguments[MOST_ARGUMENTS];
	bool tensor[MOST_ARGUMENTS];
	size_t n;
};

static const char *get_text(const struct json_node *n, const char *key)
{
	const struct json_node *at = json_find(n, key);
	const char *text = NULL;

	if (at)
		need(json_get_string(at, &text, &e), key);
	return text;
}

static void get_three(const struct json_node *n, const char *key, int64_t out[3])
{
	const struct json_node *i = json_first(json_find(n, key));

	for (size_t k = 0; k < 3; k++, i = i ? json_next(i) : NULL) {
		out[k] = 1;
		if (i)
			need(json_get_int(i, &out[k], &e), key);
	}
}

/* A tensor of the shape, filled: the same numbers each time, repeated. */
static cuda_address make_tensor(const struct json_node *n)
{
	const char *name = get_text(n, "type");
	enum dtype type = DTYPE_F32;
	size_t bytes;
	cuda_address at = 0;

	if (!name || !dtype_parse(name, &type))
		need(asc_err_set(&e, ASC_INPUT, "no tensor of type \"%s\"", name ? name : ""),
		     "argument");
	bytes = dtype_bytes(type);
	for (const struct json_node *i = json_first(json_find(n, "shape")); i; i = json_next(i)) {
		int64_t extent = 0;

		need(json_get_int(i, &extent, &e), "shape");
		bytes *= (size_t)extent;
	}
	double *numbers = malloc(PATTERN * sizeof *numbers);
	void *pattern = malloc(PATTERN * dtype_bytes(type));

	if (!numbers || !pattern)
		need(asc_err_nomem(&e), "tensor");
	srand(1);
	for (size_t i = 0; i < PATTERN; i++)
		numbers[i] = 2.0 * rand() / RAND_MAX - 1;
	dtype_from_double(type, numbers, pattern, PATTERN);
	drive(cu->alloc(&at, bytes), "cuMemAlloc");
	for (size_t done = 0, part = PATTERN * dtype_bytes(type); done < bytes; done += part)
		drive(cu->put(at + done, pattern, bytes - done < part ? bytes - done : part, NULL),
		      "cuMemcpyHtoD");
	drive(cu->synchronize(), "cuCtxSynchronize");
	free(numbers);
	free(pattern);
	return at;
}

static void add_scalar(struct kernel *k, const struct json_node *n)
{
	const char *type = get_text(n, "type");
	struct value v;

	need(json_get_value(json_find(n, "scalar"), &v, &e), "scalar");
	const double real = value_as_real(v);

	if (strcmp(type, "i64") == 0)
		k->values[k->n].i64 = (int64_t)real;
	else if (strcmp(type, "i32") == 0)
		k->values[k->n].i32 = (int32_t)real;
	else if (strcmp(type, "f64") == 0)
		k->values[k->n].f64 = real;
	else if (strcmp(type, "f32") == 0)
		k->values[k->n].f32 = (float)real;
	else
		need(asc_err_set(&e, ASC_INPUT, "no scalar of type \"%s\"", type), "argument");
}

static void read_kernel(const struct json_node *n, struct kernel *k)
{
	*k = (struct kernel){.entry = get_text(n, "entry")};
	get_three(n, "grid", k->grid);
	get_three(n, "block", k->block);
	get_three(n, "cluster", k->cluster);
	if (json_find(n, "dynamic_shared_bytes"))
		need(json_get_int(json_find(n, "dynamic_shared_bytes"), &k->shared_bytes, &e),
		     "dynamic_shared_bytes");
	if (k->cluster[0] * k->cluster[1] * k->cluster[2] != 1)
		need(asc_err_set(&e, ASC_INPUT, "clusters are not launched"), "cluster");
	for (const struct json_node *i = json_first(json_find(n, "arguments"));
	     i && k->n < MOST_ARGUMENTS; i = json_next(i), k->n++) {
		k->arguments[k->n] = &k->values[k->n];
		k->tensor[k->n] = !json_find(i, "scalar");
		if (k->tensor[k->n])
			k->values[k->n].address = make_tensor(i);
		else
			add_scalar(k, i);
	}
}

static void launch(const char *cubin, struct kernel *k, long times)
{
	struct buf image = {0};
	struct CUmod_st *module;
	struct CUfunc_st *function;
	const struct cuda_launch_config config = {
		.grid = {(unsigned)k->grid[0], (unsigned)k->grid[1], (unsigned)k->grid[2]},
		.block = {(unsigned)k->block[0], (unsigned)k->block[1], (unsigned)k->block[2]},
		.shared_bytes = (unsigned)k->shared_bytes};

	need(file_read(cubin, MOST_BYTES, &image, &e), cubin);
	drive(cu->module_load(&module, image.data), "cuModuleLoadData");
	drive(cu->module_function(&function, module, k->entry), k->entry);
	if (k->shared_bytes > 48 << 10)
		drive(cu->function_set(function, CUDA_FUNCTION_MAX_DYNAMIC, (int)k->shared_bytes),
		      "cuFuncSetAttribute");
	for (long i = 0; i < times; i++) {
		drive(cu->launch((const void *)&config, function, k->arguments, NULL), k->entry);
		drive(cu->synchronize(), k->entry);
	}
	for (size_t i = 0; i < k->n; i++)
		if (k->tensor[i])
			(void)cu->free(k->values[i].address);
	drive(cu->module_unload(module), "cuModuleUnload");
	buf_fini(&image);
}

static void launch_file(const char *path, long times)
{
	struct json_doc *doc;
	struct kernel k;

	need(json_open_file(path, &doc, &e), path);
	const struct json_node *first = json_first(json_find(json_root(doc), "kernels"));
	char *folder = path_folder(path);
	char *cubin = first && folder ? path_join(folder, get_text(first, "file")) : NULL;

	if (!cubin || json_next(first))
		need(asc_err_set(&e, ASC_INPUT, "needs one kernel"), path);
	read_kernel(first, &k);
	launch(cubin, &k, times);
	free(cubin);
	free(folder);
	json_close(doc);
}

int main(int argc, char **argv)
{
	const long times = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int device = 0;

	if (argc < 3 || times < 1) {
		(void)fprintf(stderr, "usage: profile_launch TIMES FILE.json...\n");
		return 2;
	}
	need(cuda_driver_get(&cu, &e), "CUDA");
	drive(cu->device_get(&device, 0), "cuDeviceGet");
	drive(cu->context_retain(&context, device), "cuDevicePrimaryCtxRetain");
	drive(cu->context_set(context), "cuCtxSetCurrent");
	for (int i = 2; i < argc; i++)
		launch_file(argv[i], times);
	return 0;
}
