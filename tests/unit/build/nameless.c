void subtract(float *out, const float *in, long n, long x)
{
	out[0] = in[0] - (float)(n + x);
}
