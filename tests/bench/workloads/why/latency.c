/* Sums over lists of S nodes: eight numbers, of which the last is the index of the next node. Of
 * each list the first node and the middle one are known. The fault, FAULT 1: lists are walked node
 * after node, one after the other; without it four lists at once, from both. */
#include <stdint.h>

enum { WORDS = 8, CHAINS = FAULT ? 1 : 8, LISTS = FAULT ? 1 : 4 };

void walk(const int32_t *nodes, const int32_t *heads, int32_t *out, int64_t steps, int64_t lists,
	  int64_t block)
{
	const int64_t each = FAULT ? steps : steps / 2;

	for (int64_t l = block * lists; l < (block + 1) * lists; l += LISTS) {
		int32_t at[CHAINS], sum[CHAINS] = {0};

		for (int c = 0; c < CHAINS; c++)
			at[c] = heads[FAULT ? 2 * l : 2 * l + c];
		for (int64_t s = 0; s < each; s++)
			for (int c = 0; c < CHAINS; c++) {
				const int32_t *node = nodes + (int64_t)at[c] * WORDS;

				for (int k = 0; k < WORDS - 1; k++)
					sum[c] += node[k];
				at[c] = node[WORDS - 1];
			}
		for (int k = 0; k < LISTS; k++)
			out[l + k] = FAULT ? sum[0] : sum[2 * k] + sum[2 * k + 1];
	}
}
