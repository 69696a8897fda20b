extern "C" __global__ void scale(const unsigned short *in, float *out, long long n)
{
}
