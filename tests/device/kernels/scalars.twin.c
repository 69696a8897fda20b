/* Writes every scalar as a double; floats of 16 and 8 bits, which come as floats, by the bits of 1,
 * and what is unsigned as its type has it. */
#include "../../../workloads/npu/twin.h"

enum { F16_ONE = 0x3C00, BF16_ONE = 0x3F80, F8E4M3_ONE = 0x38, F8E5M2_ONE = 0x3C };

static void scalars(const union twin_argument *a, int64_t program, int64_t programs)
{
	const double values[] = {a[1].real,
				 a[2].real,
				 a[3].real * F16_ONE,
				 a[4].real * BF16_ONE,
				 a[5].real * F8E4M3_ONE,
				 a[6].real * F8E5M2_ONE,
				 (double)a[7].integer,
				 (double)a[8].integer,
				 (double)a[9].integer,
				 (double)a[10].integer,
				 (double)(a[11].integer & 0xFFFFFFFF),
				 (double)(uint32_t)a[12].integer,
				 (double)(uint16_t)a[13].integer,
				 (double)(uint8_t)a[14].integer,
				 (double)a[15].integer};
	double *out = a[0].address;

	(void)program;
	(void)programs;
	for (int i = 0; i < 15; i++)
		out[i] = values[i];
}

static void scalars_work(const union twin_argument *a, int64_t program, int64_t programs,
			 struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = 15 * sizeof(double);
}

TWIN_BINARY({.name = "scalars",
	     .mix_mode = "aiv",
	     .arguments = "odfffffqwhbqwhbw",
	     .run = scalars,
	     .work = scalars_work});
