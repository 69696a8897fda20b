/* Rotary embedding: pairs of a head's first ROTARY elements turned by a position's angles, the
 * others passed through. Constants of the problem: HEAD, the elements of a head; ROTARY; NEOX, a
 * pair is an element of each half, or else two neighbours. */
#ifndef ASCTUNE_CUDA_ROTARY_H
#define ASCTUNE_CUDA_ROTARY_H

#include "rows.h"

constexpr int kHalf = ROTARY / 2;

static_assert(kHalf % VECTOR == 0 && HEAD % VECTOR == 0, "a pack lies in one half");

/* Cosines and sines of VECTOR pairs: for the first and for the second element of each. */
struct Angles {
	Pack<Element> cosine[2], sine[2];
};

/* Query and key of a token, or their results: `heads` of HEAD elements in a row of the one, the
 * other heads in the other. */
template <class Pointer> struct Heads {
	Pointer query, key;
	long long stride_query, stride_key;
	int heads;

	__device__ Pointer head(int token, int number) const
	{
		const Pointer first = number < heads ? query : key - heads * HEAD;
		return first + token * (number < heads ? stride_query : stride_key) + number * HEAD;
	}
};

/* Place in a head of the first or the second pack of `pair`. */
__device__ int pack_place(int pair, int second)
{
	return NEOX ? pair + second * kHalf : 2 * pair + second * VECTOR;
}

/* angles(place(token), pair) are those of VECTOR pairs from `pair` on: they are asked for once for
 * all heads of a token where a thread has the same pairs of each, and the place before the heads
 * are read, as its reading takes as long. `other_heads` are those of the key. */
template <class Place, class Find>
__device__ void rows_rotate(const Heads<element *> &to, const Heads<const element *> &from,
			    int tokens, int other_heads, Place place, Find angles)
{
	typedef Pair<Element, Element> Two;
	const int heads = from.heads + other_heads;

	parts_walk(tokens, heads * kHalf, [&](int token, int begin, int end) {
		const auto angles_place = place(token);
		const Row own(begin, end, [&](int at) {
			const element *const head = from.head(token, at / kHalf);
			return Two{pack_load_once<Element>(head + pack_place(at % kHalf, 0)),
				   pack_load_once<Element>(head + pack_place(at % kHalf, 1))};
		});
		constexpr bool same = kStep % kHalf == 0;
		Angles kept;
		if (same && own.first < end)
			kept = angles(angles_place, own.first % kHalf);
		own.each([&](const Two &p, int at, int) {
			element *const head = to.head(token, at / kHalf);
			const Angles a = same ? kept : angles(angles_place, at % kHalf);
			const auto turned = [&](int i, int second) {
				const float x = NEOX             ? p.x[i]
						: 2 * i < VECTOR ? p.x[2 * i % VECTOR]
								 : p.y[2 * i % VECTOR];
				const float y = NEOX                 ? p.y[i]
						: 2 * i + 1 < VECTOR ? p.x[(2 * i + 1) % VECTOR]
								     : p.y[(2 * i + 1) % VECTOR];
				return second ? y * a.cosine[1][i] + x * a.sine[1][i]
					      : x * a.cosine[0][i] - y * a.sine[0][i];
			};
#pragma unroll
			for (int half = 0; half < 2; half++)
				pack_store<Element>(
					head + pack_place(at % kHalf, half), [&](int i) {
						const int number = half * VECTOR + i;
						return NEOX ? turned(i, half)
							    : turned(number / 2, number % 2);
					});
		});
	});
	if (ROTARY == HEAD || to.query == from.query)
		return;
	constexpr int rest = HEAD - ROTARY > 0 ? HEAD - ROTARY : 1;
	parts_walk(tokens, heads * rest, [&](int token, int begin, int end) {
		const Row own(begin, end, [&](int at) {
			return pack_load_once<Element>(from.head(token, at / rest) + ROTARY +
						       at % rest);
		});
		own.each([&](const Pack<Element> &p, int at, int) {
			pack_write<Element>(to.head(token, at / rest) + ROTARY + at % rest, p);
		});
	});
}

#endif
