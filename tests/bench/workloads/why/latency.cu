/* Sums over lists of S nodes: eight numbers, of which the last is the index of the next node. Of each
 * list the first node and the middle one are known. A warp has a list, and a lane a number of a node.
 * The fault, FAULT 1: lists are walked from the first node; without it from both at once. */
extern "C" __global__ void walk(const int *nodes, const int *heads, int *out, long long steps)
{
	const int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	const int each = FAULT ? steps : steps / 2;
	int first = heads[2 * list], middle = heads[2 * list + 1], sum = 0;

	for (int i = 0; i < each; i++) {
		const int a = nodes[first * 8ll + lane % 8];
		const int b = FAULT ? 0 : nodes[middle * 8ll + lane % 8];

		sum += lane < 7 ? a + b : 0;
		first = __shfl_sync(~0u, a, 7);
		middle = FAULT ? 0 : __shfl_sync(~0u, b, 7);
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (lane == 0)
		out[list] = sum;
}
