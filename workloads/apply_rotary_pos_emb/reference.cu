/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. */
#include "../cuda/reference.h"

extern "C" __global__ void apply_rotary_pos_emb_reference(const double *query, const double *key,
							  const double *cosines, const double *sines,
							  double *query_out, double *key_out,
							  long long tokens, long long heads,
							  long long other_heads, long long d)
{
	const long long all = heads + other_heads;
	each_element(tokens * all * d, [=](long long at) {
		const long long token = at / d / all, head = at / d % all, i = at % d;
		const long long own = head < heads ? (token * heads + head) * d
						   : (token * other_heads + head - heads) * d;
		(head < heads ? query_out : key_out)[own + i] = rotated(
			(head < heads ? query : key) + own, i, d, true,
			[=](long long j) { return cosines[token * d + j]; },
			[=](long long j) { return sines[token * d + j]; });
	});
}
