/* Counts each block of a grid of (2, 3, 4) in a cell of its own; counts[24] becomes 1 for a block
 * that is outside. */
extern "C" __global__ void visit(int *counts)
{
	if (blockIdx.x >= 2 || blockIdx.y >= 3 || blockIdx.z >= 4)
		counts[24] = 1;
	else
		counts[blockIdx.x + 2 * (blockIdx.y + 3 * blockIdx.z)]++;
}
