/* Lines of outputs that are poisoned: whole ones, within a megabyte at a place that is drawn.
 * covers: worker_problem.c */
#include <stdlib.h>
#include <string.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/device/device.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/workload.h"

enum { LARGE = 8 << 20, SMALL = 100, LINE = 64, WINDOW = 1 << 20, ANSWER = 7, TURNS = 32 };

struct device_buffer {
	unsigned char *data;
};

static struct device_buffer buffer;
static struct worker_problem problem;
static struct workload workload;
static struct bound_tensor bound; /* of the output */
static struct tensor output = {.name = "out", .role = ROLE_OUT};

static void *address(const struct device_buffer *b)
{
	return b->data;
}

static enum asc_status write_buffer(struct device *d, struct device_buffer *b, const void *data,
				    size_t bytes, struct asc_err *e)
{
	return simulated_store(d, b->data, data, bytes, e);
}

static enum asc_status read_buffer(struct device *d, const struct device_buffer *b, void *data,
				   size_t bytes, struct asc_err *e)
{
	return simulated_fetch(d, b->data, data, bytes, e);
}

static struct device_ops ops = {.address = address,
				.write = write_buffer,
				.read = read_buffer,
				.fetch = simulated_fetch,
				.store = simulated_store};

/* Poisons lines of an output of so many bytes that holds an answer; gives the first and the last
 * byte that differs from that, and whether these are whole lines that hold `poison` (NULL: the
 * pattern). */
static bool poisons(size_t bytes, const unsigned char *poison, struct rng *rng, size_t *first,
		    size_t *last)
{
	bool whole = true;
	struct asc_err e;

	memset(buffer.data, ANSWER, bytes);
	bound.bytes = (int64_t)bytes;
	if (worker_problem_poison_lines(&problem, rng, &e))
		return false;
	*first = bytes;
	*last = 0;
	for (size_t at = 0; at < bytes; at++) {
		const bool changed = buffer.data[at] != ANSWER;

		whole &= changed == (buffer.data[at / LINE * LINE] != ANSWER);
		whole &= !changed || buffer.data[at] == (poison ? poison[at] : POISON_BYTE);
		*first = changed && at < *first ? at : *first;
		*last = changed ? at : *last;
	}
	return whole;
}

int main(void)
{
	unsigned char *poison = malloc(LARGE);
	size_t first = 0, last = 0, widest = 0, least = LARGE, most = 0;
	bool whole = true;
	struct rng rng;

	rng_init(&rng, 1);
	buffer.data = malloc(LARGE);
	workload = (struct workload){.tensors = &output, .n_tensors = 1};
	problem = (struct worker_problem){.ops = &ops, .workload = &workload};
	problem.binding.tensors = &bound;
	problem.buffers[0] = &buffer;
	problem.staging = malloc(LARGE);
	if (!poison || !buffer.data || !problem.staging)
		return 1;
	for (size_t i = 0; i < LARGE; i++)
		poison[i] = (unsigned char)(8 + i % 199);
	for (int turn = 0; turn < TURNS; turn++) {
		problem.poison[0] = turn % 2 ? poison : NULL;
		whole &= poisons(LARGE, problem.poison[0], &rng, &first, &last);
		widest = last - first > widest ? last - first : widest;
		least = first < least ? first : least;
		most = last > most ? last : most;
	}
	tap_ok(whole, "whole lines hold the output's own poison, or the pattern");
	tap_ok(widest < WINDOW && widest > WINDOW / 2, "within a megabyte: %zu bytes", widest);
	tap_ok(least < LARGE / 4 && most > LARGE - LARGE / 4, "anywhere: from %zu to %zu", least,
	       most);
	problem.poison[0] = NULL;
	most = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		whole &= poisons(SMALL, NULL, &rng, &first, &last);
		most = last > most ? last : most;
	}
	tap_ok(whole && most == SMALL - 1,
	       "of a small output the last line, too, which is shorter");
	output.place = PLACE_HOST;
	ops.fetch = NULL; /* its address is none of the device's */
	ops.store = NULL;
	tap_ok(poisons(LARGE, NULL, &rng, &first, &last) && last > first && last < WINDOW,
	       "of an output on the host lines at its begin, by read and write");
	free(problem.staging);
	free(buffer.data);
	free(poison);
	return tap_done();
}
