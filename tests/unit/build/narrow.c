/* n is int64_t. */
void add(float *out, const float *in, int n, long x)
{
	out[0] = in[0] + (float)(n + x);
}
