#include "tuner/base/md5.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64 };

/* Integer part of 2^32 * |sin(i + 1)|, the constants of step i (RFC 1321, 3.4). */
static const uint32_t sines[BLOCK] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391};

/* Bits that each step of a round turns, in fours, and how the round takes the words of a block. */
static const struct md5_round {
	unsigned turns[4];
	unsigned factor, offset;
} rounds[4] = {{{7, 12, 17, 22}, 1, 0},
	       {{5, 9, 14, 20}, 5, 1},
	       {{4, 11, 16, 23}, 3, 5},
	       {{6, 10, 15, 21}, 7, 0}};

static uint32_t mix(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
	switch (round) {
	case 0: return (x & y) | (~x & z);
	case 1: return (x & z) | (y & ~z);
	case 2: return x ^ y ^ z;
	default: return y ^ (x | ~z);
	}
}

static void add_block(uint32_t state[4], const unsigned char block[BLOCK])
{
	uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];

	for (size_t i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 |
			   (uint32_t)block[4 * i + 2] << 16 | (uint32_t)block[4 * i + 3] << 24;
	for (unsigned i = 0; i < BLOCK; i++) {
		const struct md5_round *r = &rounds[i / 16];
		const unsigned turn = r->turns[i % 4];
		const uint32_t sum = a + mix(i / 16, b, c, d) + sines[i] +
				     words[(r->factor * i + r->offset) % 16];

		a = d;
		d = c;
		c = b;
		b += sum << turn | sum >> (32 - turn);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void md5_print(const void *data, size_t n, char text[MD5_TEXT_SIZE])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	const unsigned char *bytes = data;
	unsigned char last[2 * BLOCK] = {0};
	const size_t rest = n % BLOCK, whole = n - rest;
	const size_t padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (size_t i = 0; i < whole; i += BLOCK)
		add_block(state, bytes + i);
	/* The end: a bit of one, zeros, and the length in bits. */
	if (rest > 0)
		memcpy(last, bytes + whole, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[padded - 8 + i] = (unsigned char)((uint64_t)n * 8 >> (8 * i));
	for (size_t i = 0; i < padded; i += BLOCK)
		add_block(state, last + i);
	for (size_t i = 0; i < 16; i++)
		(void)snprintf(text + 2 * i, 3, "%02x",
			       (unsigned)(state[i / 4] >> (8 * (i % 4)) & 0xff));
}
