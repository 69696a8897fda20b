void rows_reference(const double *x, double *out);

/* Never called: tests look at spaces alone. */
void rows_reference(const double *x, double *out)
{
	out[0] = x[0];
}
