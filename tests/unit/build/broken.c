void add(float *out, const float *in, long n, long x)
{
	(void)in;
	(void)n;
	(void)x;
	out[0] = undeclared_thing;
}
