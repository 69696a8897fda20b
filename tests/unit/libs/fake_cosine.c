/* A library that stands in front of libm when it is preloaded. */
double cos(double x);

double cos(double x)
{
	return x + 7;
}
