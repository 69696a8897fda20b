/* Copies the tile of 8 rows of 16 floats at row 8, column 16 of a tensor by a bulk tensor copy. */
struct alignas(64) tensor_map {
	char opaque[128];
};

extern "C" __global__ void tile(const __grid_constant__ tensor_map map, float *out)
{
	__shared__ alignas(128) float tile[8 * 16];
	__shared__ alignas(8) unsigned long long barrier;
	unsigned to = (unsigned)__cvta_generic_to_shared(tile);
	unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
	unsigned done = 0;

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
			     "r"((unsigned)sizeof tile)
			     : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
			     "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
			     "l"(&map), "r"(16), "r"(8), "r"(bar)
			     : "memory");
	}
	__syncthreads();
	while (!done)
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p; }"
			     : "=r"(done)
			     : "r"(bar)
			     : "memory");
	out[threadIdx.x] = tile[threadIdx.x];
}
