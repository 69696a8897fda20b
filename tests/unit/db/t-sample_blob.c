/* Samples as bytes of a database, and back.
 * covers: sample_blob.c */
#include "db/sample_blob.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

static bool round_trip(const int64_t *samples, size_t n, size_t *bytes)
{
	struct buf blob = {0};
	int64_t *back = NULL;
	size_t m = n + 1;
	struct asc_err e;

	sample_blob_write(samples, n, &blob);
	bool ok = sample_blob_read(blob.data, blob.len, &back, &m, &e) == ASC_OK && m == n &&
		  (n == 0 || memcmp(back, samples, n * sizeof *samples) == 0);

	*bytes = blob.len;
	free(back);
	buf_fini(&blob);
	return ok;
}

static void test_round_trips(void)
{
	static const int64_t extremes[] = {INT64_MAX, INT64_MIN, 0, -1, INT64_MIN, INT64_MAX, 1};
	int64_t one = 10000, random[500], times[32];
	struct rng rng;
	size_t bytes;

	rng_init(&rng, 1);
	for (size_t i = 0; i < 500; i++)
		random[i] = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64));
	for (size_t i = 0; i < 32; i++)
		times[i] = 1000000 + (int64_t)rng_below(&rng, 8000);
	tap_ok(round_trip(NULL, 0, &bytes) && bytes == 0, "no samples take no bytes");
	tap_ok(round_trip(&one, 1, &bytes) && bytes == 3, "10000 takes three bytes");
	tap_ok(round_trip(extremes, 7, &bytes), "differences that overflow survive");
	tap_ok(round_trip(random, 500, &bytes), "500 numbers of every size survive");
	tap_ok(round_trip(times, 32, &bytes) && bytes <= 66, "32 times take %zu bytes", bytes);
}

/* By hand: 1 is zigzag 2, the step from 1 to -63 is -64, zigzag 127, from -63 to 1 is 64, zigzag
 * 128. */
static void test_bytes(void)
{
	static const int64_t samples[] = {1, -63, 1};
	struct buf blob = {0};

	sample_blob_write(samples, 3, &blob);
	tap_ok(blob.len == 4 && memcmp(blob.data, "\x02\x7f\x80\x01", 4) == 0,
	       "the bytes are those of the format");
	buf_fini(&blob);
}

static void test_refusals(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *why;
	} bad[] = {
		{"\x80", 1, "the last number has no end"},
		{"\x02\x80\x80", 3, "the second number has no end"},
		{"\x80\x00", 2, "a number is longer than it needs to be"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, "a number exceeds 64 bits"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, "a number has eleven groups"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t *out;
		size_t n;
		struct asc_err e;

		tap_int(sample_blob_read(bad[i].bytes, bad[i].n, &out, &n, &e), ASC_INPUT, "%s",
			bad[i].why);
		tap_has(e.text, "damaged", "is called damaged");
	}
}

int main(void)
{
	test_round_trips();
	test_bytes();
	test_refusals();
	return tap_done();
}
