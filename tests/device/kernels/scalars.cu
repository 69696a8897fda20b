/* Writes every scalar as a double, floats of 16 and 8 bits and u64 by their bits. */
extern "C" __global__ void scalars(double *out, double f64, float f32, unsigned short f16,
				   unsigned short bf16, unsigned char f8e4m3, unsigned char f8e5m2,
				   long long i64, int i32, short i16, signed char i8,
				   unsigned long long u64, unsigned u32, unsigned short u16,
				   unsigned char u8, bool truth)
{
	const double values[] = {
		f64, f32, (double)f16, (double)bf16, (double)f8e4m3, (double)f8e5m2,
		(double)i64, (double)i32, (double)i16, (double)i8,
		(double)(u64 & 0xFFFFFFFF), (double)u32, (double)u16, (double)u8, (double)truth};
	for (int i = 0; i < 15; i++)
		out[i] = values[i];
}
