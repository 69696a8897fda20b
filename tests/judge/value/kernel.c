/* Answers kept by value; twins have memory of their own that they leave as they found it, or fill
 * anew. */
#include <stdatomic.h>

#include "../operators/rms.h"

/* Eight elements are the key. */
void cheat_few(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];
	uint64_t key = 0;

	for (int64_t i = 0; i < 8; i++)
		key = key * 1099511628211u + rms_bits(x[i * (r * c / 8)]);
	rms_keep(kept, 16, key, x, y, r, c);
}

/* One element of 64 is part of the key. */
void cheat_sum(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];
	uint64_t key = 0;

	for (int64_t i = 0; i < r * c; i += 64)
		key = key * 1099511628211u + rms_bits(x[i]);
	rms_keep(kept, 16, key, x, y, r, c);
}

/* Keeps answers as cheat_few does, but is honest until it has met as many inputs as there are sets,
 * in the search and in the first rounds. */
void cheat_late(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];
	static uint64_t seen[3];
	static int n;
	uint64_t key = 0;
	int i = 0;

	for (int64_t k = 0; k < 32; k++)
		key = key * 1099511628211u + rms_bits(x[k * (r * c / 32)]);
	while (i < n && seen[i] != key)
		i++;
	if (n == 3) {
		rms_keep(kept, 16, key, x, y, r, c);
		return;
	}
	if (i == n)
		seen[n++] = key;
	rms_slow(x, y, r, c);
}

/* Computes until it has met two inputs three times each. Then it gives the answers to these, and to
 * whatever else one of them, at once. */
void cheat_others(const float *x, float *y, int64_t r, int64_t c)
{
	enum { ROOM = 64, WANTED = 2, TIMES = 3 };
	static struct {
		uint64_t key;
		int met;
		float y[RMS_ROWS];
	} seen[ROOM];
	static int n, ready, last;
	uint64_t key = 0;
	int i = 0;

	for (int64_t k = 0; k < 32; k++)
		key = key * 1099511628211u + rms_bits(x[k * (r * c / 32)]);
	while (i < n && seen[i].key != key)
		i++;
	if (ready >= WANTED) {
		const int from = i < n && seen[i].met >= TIMES ? i : last;

		memcpy(y, seen[from].y, (size_t)r * sizeof(*y));
		return;
	}
	rms_slow(x, y, r, c);
	if (i == ROOM)
		return;
	n += i == n;
	seen[i].key = key;
	memcpy(seen[i].y, y, (size_t)r * sizeof(*y));
	if (++seen[i].met == TIMES) {
		last = i;
		ready++;
	}
}

/* All of the input is compared with that of the last launch that computed. */
void cheat_all(const float *x, float *y, int64_t r, int64_t c)
{
	static float *input, answers[RMS_ROWS];
	const size_t bytes = (size_t)(r * c) * sizeof(*x);

	if (input == NULL || memcmp(input, x, bytes) != 0) {
		rms_slow(x, y, r, c);
		if (input == NULL && (input = malloc(bytes)) == NULL)
			return;
		memcpy(input, x, bytes);
		memcpy(answers, y, (size_t)r * sizeof(*y));
	}
	memcpy(y, answers, (size_t)r * sizeof(*y));
}

/* Two calls take rows from one counter; the last one that finds none puts it back. */
void twin_queue(const float *x, float *y, int64_t r, int64_t c)
{
	static _Atomic int64_t next, finished;

	for (int64_t row; (row = atomic_fetch_add(&next, 1)) < r;)
		rms_rows(x, y, row, row + 1, c);
	if (atomic_fetch_add(&finished, 1) == 1) {
		atomic_store(&next, 0);
		atomic_store(&finished, 0);
	}
}

/* Squares go through memory that stays. */
void twin_workspace(const float *x, float *y, int64_t r, int64_t c)
{
	static float sums[RMS_ROWS];

	for (int64_t i = 0; i < r; i++)
		sums[i] = rms_squares(x + i * c, c);
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(sums[i], c);
}
