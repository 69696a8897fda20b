/* Writes one byte at `at`, inside the tensor or not. */
extern "C" __global__ void poke(unsigned char *out, long long at)
{
	out[at] = 7;
}
