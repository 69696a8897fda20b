extern "C" __global__ void absent(int *out, const float *missing, char *scratch, long long bytes)
{
	for (long long i = 0; i < bytes; i++)
		scratch[i] = (char)i;
	out[0] = missing == nullptr ? 1 : 2;
	out[1] = scratch[bytes - 1];
}
