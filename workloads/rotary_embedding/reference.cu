/* Reference on a GPU: in double what reference.c computes, for tensors that take a CPU too long. */
#include "../cuda/reference.h"

extern "C" __global__ void rotary_embedding_reference(const double *positions, const double *query,
						      const double *key, const double *table,
						      double *query_out, double *key_out,
						      long long tokens, long long heads,
						      long long other_heads, long long d, long long r,
						      bool neox)
{
	const long long all = heads + other_heads;
	each_element(tokens * all * d, [=](long long at) {
		const long long token = at / d / all, head = at / d % all, i = at % d;
		const double *const row = table + (long long)positions[token] * r;
		const long long own = head < heads ? (token * heads + head) * d
						   : (token * other_heads + head - heads) * d;
		const auto pair = [=](long long j) { return neox ? j % (r / 2) : j / 2; };
		(head < heads ? query_out : key_out)[own + i] = rotated(
			(head < heads ? query : key) + own, i, r, neox,
			[=](long long j) { return row[pair(j)]; },
			[=](long long j) { return row[r / 2 + pair(j)]; });
	});
}
