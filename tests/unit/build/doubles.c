/* A reference: no macros of a problem or configuration. */
#if defined(DTYPE_T) || defined(WIDTH)
#error "sees the problem"
#endif

void add(double *out, const double *in, long n, long x)
{
	out[0] = in[0] + (double)(n + x);
}
