/* Writes every scalar as a double; the 16-bit floats, which come as floats, by the bits of 1, and
 * what is unsigned as its type has it. */
#include "../../../workloads/npu/twin.h"

enum { F16_ONE = 0x3C00, BF16_ONE = 0x3F80 };

static void scalars(const union twin_argument *a, int64_t program, int64_t programs)
{
	const double values[] = {a[1].real,
				 a[2].real,
				 a[3].real * F16_ONE,
				 a[4].real * BF16_ONE,
				 (double)a[5].integer,
				 (double)a[6].integer,
				 (double)a[7].integer,
				 (double)a[8].integer,
				 (double)(a[9].integer & 0xFFFFFFFF),
				 (double)(uint32_t)a[10].integer,
				 (double)(uint16_t)a[11].integer,
				 (double)(uint8_t)a[12].integer,
				 (double)a[13].integer};
	double *out = a[0].address;

	(void)program;
	(void)programs;
	for (int i = 0; i < 13; i++)
		out[i] = values[i];
}

static void scalars_work(const union twin_argument *a, int64_t program, int64_t programs,
			 struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = 13 * sizeof(double);
}

TWIN_BINARY({.name = "scalars",
	     .mix_mode = "aiv",
	     .arguments = "odfffqwhbqwhbw",
	     .run = scalars,
	     .work = scalars_work});
