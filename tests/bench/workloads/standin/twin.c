/* out = 2 x: by one program that takes no time, or by a program for each tile, with a landscape of
 * times in which a launch of more programs than cores would be the fastest. */
#include "../../../../workloads/npu/twin.h"

enum { ARG_X, ARG_OUT, ARG_N, ARG_TILE, ARG_EXTRA };

static void null(const union twin_argument *a, int64_t program, int64_t programs)
{
	const float *x = a[ARG_X].address;
	float *out = a[ARG_OUT].address;

	(void)program;
	(void)programs;
	for (int64_t i = 0; i < a[ARG_N].integer; i++)
		out[i] = 2 * x[i];
}

static void null_work(const union twin_argument *a, int64_t program, int64_t programs,
		      struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	(void)out;
}

static int64_t output(const union twin_argument *a, int64_t *partial_bytes)
{
	*partial_bytes = 0;
	return a[ARG_N].integer * (int64_t)sizeof(float);
}

static int64_t tiles_output(const union twin_argument *a, int64_t *partial_bytes)
{
	*partial_bytes = a[ARG_N].integer % a[ARG_TILE].integer * (int64_t)sizeof(float);
	return a[ARG_N].integer * (int64_t)sizeof(float);
}

static void tiles(const union twin_argument *a, int64_t program, int64_t programs)
{
	const int64_t n = a[ARG_N].integer, tile = a[ARG_TILE].integer;
	const float *x = a[ARG_X].address;
	float *out = a[ARG_OUT].address;

	(void)programs;
	for (int64_t i = program * tile; i < n && i < (program + 1) * tile; i++)
		out[i] = 2 * x[i];
}

/* Operations of an element grow with the tile: small tiles, of many programs, are the fastest. */
static void tiles_work(const union twin_argument *a, int64_t program, int64_t programs,
		       struct twin_work *out)
{
	const double tile = (double)a[ARG_TILE].integer;

	(void)program;
	(void)programs;
	out->read_bytes = out->written_bytes = tile * sizeof(float);
	out->vector_operations = tile * (8 + (double)a[ARG_EXTRA].integer + tile * tile / 16384);
	out->steps = 1;
}

TWIN_BINARY({.name = "null",
	     .mix_mode = "aiv",
	     .arguments = "poww",
	     .run = null,
	     .work = null_work,
	     .output = output,
	     .pure = 1},
	    {.name = "tiles",
	     .mix_mode = "aiv",
	     .arguments = "powww",
	     .run = tiles,
	     .work = tiles_work,
	     .output = tiles_output,
	     .pure = 1});
