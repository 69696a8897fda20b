/* The tensors are float. */
void add(double *out, const float *in, long n, long x)
{
	out[0] = in[0] + (double)(n + x);
}
