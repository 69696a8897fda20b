/* Variables of modules that NVRTC has compiled, in the memory of a driver of the tests: what a
 * launch has written there is put back, and nothing beside it.
 * covers: cuda_globals.c */
#include "tuner/device/cuda/cuda_globals.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/code/cubin_code.h"
#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_checks.h"
#include "tuner/device/libs/nvrtc_library.h"

static const char source[] =
	"__device__ int counter;\n"
	"__device__ double table[1000];\n"
	"__device__ int preset = 7, *place = &preset;\n"
	"__constant__ int constant[4];\n"
	"extern \"C\" __global__ void k(int *out) {\n"
	"  static __device__ int inner;\n"
	"  out[0] = counter++ + (int)table[3] + *place + constant[1] + inner;\n"
	"  inner = ++preset;\n"
	"  table[3] = out[0];\n"
	"}\n";
static const char many_source[] =
	"#define TWO(a, b) __device__ int a, b;\n"
	"TWO(a, b) TWO(c, d) TWO(e, f) TWO(g, h) TWO(i, j)\n"
	"extern \"C\" __global__ void k(int *out) {\n"
	"  out[0] = ++a + ++b + ++c + ++d + ++e + ++f + ++g + ++h + ++i + ++j;\n"
	"}\n";
static const char heap_source[] = "extern \"C\" __global__ void k(int **out) {\n"
				  "  out[0] = (int *)malloc(16);\n"
				  "}\n";
static const char plain_source[] = "__constant__ int constant[4];\n"
				   "extern \"C\" __global__ void k(int *out) {\n"
				   "  __shared__ int s[32];\n"
				   "  s[threadIdx.x] = out[threadIdx.x] + constant[1];\n"
				   "  __syncthreads();\n"
				   "  out[threadIdx.x] = s[threadIdx.x ^ 1];\n"
				   "}\n";

/* ---- a driver ---- */

enum { PLACES = 64, PLACE_BYTES = 16 << 10, MEMORY_BYTES = PLACES * PLACE_BYTES };

static unsigned char *memory;  /* of the device: a place for each variable */
static struct cubin code;      /* of the module that is loaded */
static const char *unknown;    /* variable that the driver does not find */
static size_t copies, fills;   /* in the stream */
static size_t allocated_bytes; /* on the device */

static cuda_address address_of(const void *p)
{
	return (cuda_address)(uintptr_t)p;
}

static void *memory_at(cuda_address at)
{
	const uintptr_t p = (uintptr_t)at;
	void *pointer;

	memcpy(&pointer, &p, sizeof pointer);
	return pointer;
}

static unsigned find_global(cuda_address *at, size_t *bytes, struct CUmod_st *module,
			    const char *name)
{
	struct cubin_global g;
	unsigned number = 0;

	(void)module;
	for (size_t k = 0; cubin_next_global(&code, &k, &g); number++)
		if (strcmp(g.name, name) == 0 && !(unknown && strstr(name, unknown))) {
			*at = address_of(memory + number * PLACE_BYTES);
			*bytes = g.bytes;
			return 0;
		}
	return CUDA_ERROR_NO_SYMBOL;
}

/* As a driver has it, which knows each variable as a memory of its own: true where a range of the
 * device's memory reaches beyond the one that it begins in. */
static bool reaches_on(cuda_address at, size_t n)
{
	const cuda_address base = address_of(memory);
	struct cubin_global g;
	unsigned number = 0;

	if (at < base || at >= base + MEMORY_BYTES)
		return false;
	for (size_t k = 0; cubin_next_global(&code, &k, &g); number++)
		if ((at - base) / PLACE_BYTES == number)
			return (at - base) % PLACE_BYTES + n > g.bytes;
	return true;
}

static unsigned set(cuda_address at, unsigned char byte, size_t n, struct CUstream_st *stream)
{
	(void)stream;
	if (reaches_on(at, n))
		return CUDA_ERROR_NO_SYMBOL;
	memset(memory_at(at), byte, n);
	fills++;
	return 0;
}

static unsigned copy(cuda_address to, cuda_address from, size_t n, struct CUstream_st *stream)
{
	(void)stream;
	if (reaches_on(to, n) || reaches_on(from, n))
		return CUDA_ERROR_NO_SYMBOL;
	memcpy(memory_at(to), memory_at(from), n);
	copies++;
	return 0;
}

static unsigned alloc(cuda_address *out, size_t bytes)
{
	*out = address_of(malloc(bytes));
	allocated_bytes += bytes;
	return *out ? 0 : CUDA_ERROR_NOMEM;
}

static unsigned release(cuda_address at)
{
	free(memory_at(at));
	return 0;
}

static unsigned get(void *to, cuda_address from, size_t n, struct CUstream_st *stream)
{
	(void)stream;
	memcpy(to, memory_at(from), n);
	return 0;
}

static unsigned synchronize(struct CUstream_st *stream)
{
	(void)stream;
	return 0;
}

static const struct cuda_driver driver = {.module_global = find_global,
					  .set = set,
					  .copy = copy,
					  .alloc = alloc,
					  .free = release,
					  .get = get,
					  .stream_synchronize = synchronize};
static struct device device = {.cu = &driver, .info = {.arch = "sm_1"}}; /* without checks */

/* ---- modules ---- */

/* Compiles, loads and takes: memory holds `byte` where the module does not say what. */
static void load(const char *text, struct buf *image, struct cuda_globals *g)
{
	struct asc_err e;

	buf_clear(image);
	*g = (struct cuda_globals){0};
	copies = fills = allocated_bytes = 0;
	if (cuda_compile("sm_90a", text, image, &e) ||
	    cubin_open(image->data, image->len, &code, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	memset(memory, 0xA5, MEMORY_BYTES);
	struct cubin_global v;
	cuda_address at;
	size_t bytes;

	/* As a driver does: zeros, and what the file has. */
	for (size_t k = 0; cubin_next_global(&code, &k, &v);)
		if (find_global(&at, &bytes, NULL, v.name) == 0)
			memset(memory_at(at), v.zero ? 0 : 0x11 + (int)bytes, bytes);
	tap_int(cuda_globals_take(&device, NULL, image->data, image->len, g, &e), ASC_OK,
		"the variables are taken");
}

/* Writes to all variables, restores, and tells whether memory is as it was. */
static bool restores(const struct cuda_globals *g)
{
	unsigned char *before = malloc(MEMORY_BYTES);
	struct cubin_global v;
	cuda_address at;
	size_t bytes, written = 0;
	struct asc_err e;

	if (!before)
		return false;
	memcpy(before, memory, MEMORY_BYTES);
	for (size_t k = 0; cubin_next_global(&code, &k, &v);)
		if (find_global(&at, &bytes, NULL, v.name) == 0) {
			memset(memory_at(at), 0xEE, bytes);
			written += bytes;
		}
	copies = fills = 0;
	const bool same = cuda_globals_restore(&device, g, &e) == ASC_OK && written > 0 &&
			  memcmp(before, memory, MEMORY_BYTES) == 0;

	free(before);
	return same;
}

/* True where a look finds a write to a copy. */
static bool falsified(void)
{
	struct asc_err e;

	return cuda_globals_look(&device, NULL, 0, NULL, &e) != ASC_OK ||
	       cuda_globals_falsified(&device);
}

static void check_falsified(const struct cuda_globals *g, size_t at, const char *what)
{
	unsigned char *byte = memory_at(cuda_buffer_address(g->first) + at);

	*byte ^= 1;
	tap_ok(falsified(), "a write to the copy is found: %s", what);
	*byte ^= 1;
	tap_ok(!falsified(), "and nothing where that is as before");
}

static void test_variables(struct buf *image)
{
	struct cuda_globals g;

	load(source, image, &g);
	/* readelf: table 8000, counter 4, inner 4; place 8, preset 4. */
	tap_int(cuda_globals_bytes(&g), 8008 + 12, "all of them");
	tap_int(g.first->bytes, 12, "copies of those that do not begin as zeros");
	tap_int(allocated_bytes, CUDA_PAGE_BYTES, "in a page of their own");
	tap_ok(!falsified(), "a look finds them as they were");
	tap_ok(restores(&g), "what a launch wrote is put back, and nothing else");
	tap_ok(fills == 3 && copies == 2, "by %zu fills and %zu copies", fills, copies);
	tap_str(g.kept, "", "nothing is kept");
	check_falsified(&g, 0, "its first byte");
	check_falsified(&g, 11, "its last one");
	check_falsified(&g, 12, "one behind it, in its page");
	cuda_globals_free(&device, &g);
	tap_ok(!device.globals && !falsified(), "a module that is unloaded has none");
	unknown = "inner";
	load(source, image, &g);
	tap_int(g.n, 4, "one that the driver does not find,");
	tap_has(g.kept, "inner keeps its contents", "%s", g.kept);
	cuda_globals_free(&device, &g);
	unknown = NULL;
	load(many_source, image, &g);
	tap_int(g.n, CUDA_MAX_GLOBALS, "no more than a held stream has room for");
	tap_has(g.kept, "keeps its contents from launch to launch", "%s", g.kept);
	cuda_globals_free(&device, &g);
}

static void test_none(struct buf *image)
{
	struct cuda_globals g;
	struct asc_err e;

	load(plain_source, image, &g);
	tap_ok(g.n == 0 && !g.first && !*g.kept, "a kernel without variables keeps nothing");
	tap_int(cuda_globals_restore(&device, &g, &e), ASC_OK, "and is restored");
	tap_ok(copies + fills == 0, "by nothing");
	load(heap_source, image, &g);
	tap_str(g.kept,
		"the device's heap, which the code has memory from, keeps its contents from launch "
		"to launch",
		"a kernel that calls malloc");
	cuda_globals_free(&device, &g);
	tap_int(cuda_globals_take(&device, NULL, ".version 9.0", 12, &g, &e), ASC_OK,
		"what is no cubin");
	tap_int(g.n, 0, "tells none");
}

int main(void)
{
	const struct nvrtc *n;
	struct buf image = {0};
	struct asc_err e;

	if (nvrtc_open(&n, &e)) {
		tap_skip("%s", e.text);
		return tap_done();
	}
	memory = malloc(MEMORY_BYTES);
	for (size_t i = 0; i < CUDA_STAGES; i++)
		device.stages[i] = malloc(CUDA_STAGE_BYTES);
	if (!memory || !device.stages[0] || !device.stages[1] || cuda_checks_begin(&device, &e))
		return 1;
	test_variables(&image);
	test_none(&image);
	cuda_checks_end(&device);
	for (size_t i = 0; i < CUDA_STAGES; i++)
		free(device.stages[i]);
	free(memory);
	buf_fini(&image);
	return tap_done();
}
