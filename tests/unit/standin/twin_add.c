/* Kernels of the stand-in's tests: they take two addresses and a number of f32. */
#include <stddef.h>
#include <unistd.h>

#include "workloads/npu/twin.h"

enum { BLOCK = 1000 };

/* to[i] = from[i] + 1, BLOCK elements a program; programs beyond the data have nothing to do. */
static void add_one(const union twin_argument *a, int64_t program, int64_t programs)
{
	const float *from = a[0].address;
	float *to = a[1].address;

	for (int64_t p = program; p * BLOCK < a[2].integer; p += programs)
		for (int64_t i = p * BLOCK; i < a[2].integer && i < (p + 1) * BLOCK; i++)
			to[i] = from[i] + 1;
}

static void add_work(const union twin_argument *a, int64_t program, int64_t programs,
		     struct twin_work *out)
{
	for (int64_t p = program; p * BLOCK < a[2].integer; p += programs) {
		out->read_bytes += 4. * BLOCK;
		out->written_bytes += 4. * BLOCK;
		out->vector_operations += BLOCK;
		out->steps++;
	}
}

static int64_t add_output(const union twin_argument *a, int64_t *partial_bytes)
{
	*partial_bytes = a[2].integer % BLOCK * 4;
	return a[2].integer * 4;
}

static void count(const union twin_argument *a, int64_t program, int64_t programs)
{
	float *to = a[1].address;

	(void)programs;
	if (program == 0)
		*to += 1;
}

static void nothing(const union twin_argument *a, int64_t program, int64_t programs)
{
	(void)a;
	(void)program;
	(void)programs;
}

/* Takes a fifth of a second of the host. */
static void slow(const union twin_argument *a, int64_t program, int64_t programs)
{
	nothing(a, program, programs);
	usleep(200000);
}

static void no_work(const union twin_argument *a, int64_t program, int64_t programs,
		    struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	(void)out;
}

TWIN_BINARY({"add_one", "aiv", "pow", add_one, add_work, add_output, 2 * 4 * BLOCK, 0, 0, 1},
	    {"count", "aiv", "pow", count, no_work, NULL, 0, 0, 0, 0},
	    {"nothing", "aiv", "pow", nothing, no_work, NULL, 0, 0, 0, 1},
	    {"slow", "aiv", "pow", slow, no_work, NULL, 0, 0, 0, 0},
	    {"hungry", "mix", "pow", nothing, no_work, NULL, 1 << 20, 0, 0, 1},
	    {"spilling", "mix", "pow", nothing, no_work, NULL, 0, 1 << 20, 0, 1});
