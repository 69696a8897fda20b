/* Writes every scalar as a double, floats of 16 and 8 bits and u64 by their bits. */
#include <stdint.h>

void scalars(double *out, double f64, float f32, uint16_t f16, uint16_t bf16, uint8_t f8e4m3,
	     uint8_t f8e5m2, int64_t i64, int32_t i32, int16_t i16, int8_t i8, uint64_t u64,
	     uint32_t u32, uint16_t u16, uint8_t u8, uint8_t truth)
{
	const double values[] = {f64,
				 f32,
				 f16,
				 bf16,
				 f8e4m3,
				 f8e5m2,
				 (double)i64,
				 i32,
				 i16,
				 i8,
				 (double)(u64 & 0xFFFFFFFF),
				 u32,
				 u16,
				 u8,
				 truth};
	for (int i = 0; i < 15; i++)
		out[i] = values[i];
}
