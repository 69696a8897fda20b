/* Launches that are compared: how many, what precedes them, what a device that refuses makes of it.
 * covers: repeats.c launch.c */
#include "tuner/worker/repeats.h"

#include <string.h>
#include <time.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/hash.h"
#include "tuner/base/units.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/measurement.h"

static struct simulated device;
static int64_t wrong_at;  /* launch that is wrong, counted from 1; 0: none */
static int64_t nap_ns;    /* a launch takes so long by the clock, */
static int64_t busy_each; /* and so long on processors */
static bool refuses;      /* the device does not say what is in its memory */
static bool errs_soon;    /* a launch whose predecessor was not looked at is wrong */
static bool looked_at;    /* the last launch was */
static int64_t answered;  /* launches that found what the one before had left */

static int64_t launch(void *user, double truth_ns)
{
	(void)user;
	if (nap_ns > 0)
		(void)nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
	return (int64_t)truth_ns;
}

static void write_output(void *user, double truth_ns, float *out)
{
	(void)user, (void)truth_ns;
	answered += out[0] == 1;
	for (int i = 0; i < SIMULATED_ELEMENTS; i++)
		out[i] = (float)(i + 1 + (device.launches == wrong_at) + (errs_soon && !looked_at));
	looked_at = false;
}

static enum asc_status digest(struct device *d, struct device_buffer *const *buffers, size_t n,
			      uint64_t *digests, struct asc_err *e)
{
	float out[SIMULATED_ELEMENTS];

	(void)n;
	looked_at = true;
	if (refuses)
		return asc_err_set(e, ASC_IO, "an illegal address");
	device.problem->ops->read(d, buffers[0], out, sizeof out, e);
	digests[0] = hash_bytes(out, sizeof out);
	return ASC_OK;
}

static int reads; /* of the output */
static enum asc_status (*simulated_read)(struct device *d, const struct device_buffer *b,
					 void *data, size_t bytes, struct asc_err *e);

static enum asc_status count_read(struct device *d, const struct device_buffer *b, void *data,
				  size_t bytes, struct asc_err *e)
{
	reads++;
	return simulated_read(d, b, data, bytes, e);
}

static void use(struct device *d, struct device_use *out)
{
	(void)d;
	out->busy_ns = device.launches * busy_each;
}

static enum asc_status hear(void *user, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e)
{
	(void)user, (void)id, (void)phase, (void)step, (void)e;
	return ASC_OK;
}

struct bench {
	struct device_ops ops;
	struct race race;
	struct result result;
	struct measurement m;
	struct repeats repeats;
};

static void begin(struct bench *b, bool counts_use)
{
	struct asc_err e;

	simulated_init(&device, launch, NULL);
	simulated_add_output(&device);
	device.write = write_output;
	b->ops = *device.problem->ops;
	simulated_read = b->ops.read;
	b->ops.read = count_read;
	b->ops.digest = digest;
	b->ops.use = counts_use ? use : NULL;
	device.problem->ops = &b->ops;
	b->race = (struct race){.policy = policy_default, .watch = {hear, NULL, NULL}};
	b->repeats = (struct repeats){0};
	result_init(&b->result);
	b->result.status = RESULT_OK;
	b->m = (struct measurement){
		.race = &b->race, .config = simulated_load(&device, 1, 1000), .result = &b->result};
	wrong_at = nap_ns = busy_each = 0;
	refuses = errs_soon = false;
	tap_int(launch_verify_anew(&b->m, &e), ASC_OK, "a verified launch");
	tap_int(repeats_note(&b->m, &b->repeats, &e), ASC_OK, "its digest");
	device.launches = device.flushes = 0;
	answered = 0;
}

static void run(struct bench *b, struct repeats_limits limits)
{
	struct asc_err e;

	tap_int(repeats_run(&b->m, &b->repeats, &limits, &e), ASC_OK, "launched on");
}

static void end(struct bench *b)
{
	worker_config_free(b->m.config);
	result_fini(&b->result);
	simulated_fini(&device);
}

static void test_numbers(void)
{
	enum { TRIES = 5 };
	struct bench b;

	begin(&b, false);
	run(&b, (struct repeats_limits){.least = 100, .most = 100, .plenty = INT64_MAX});
	tap_int(b.result.bits.compared, 100, "so many are compared as are asked for");
	tap_int(device.launches, 100 + 100 / 8, "one of a burst comes behind another one");
	tap_ok(answered <= 2 * (100 / 8) + 1, "all but two of a burst find poison: %lld do not",
	       (long long)answered);
	tap_ok(device.flushes >= 1, "some behind a flush: %lld", (long long)device.flushes);
	/* Where another process takes the processor first, flushes have time for all launches. */
	for (int k = 1; k < TRIES && device.flushes >= 100; k++) {
		end(&b);
		begin(&b, false);
		run(&b, (struct repeats_limits){.least = 100, .most = 100, .plenty = INT64_MAX});
	}
	tap_ok(device.flushes < 100, "but not all: %lld", (long long)device.flushes);
	end(&b);

	begin(&b, false);
	b.result.bits.compared = 30;
	run(&b, (struct repeats_limits){
			.least = 10, .most = INT64_MAX, .enough = 50, .free_ns = INT64_MAX});
	tap_ok(b.result.bits.compared >= 50 && b.result.bits.compared < 58,
	       "launches of the rounds count towards what is enough: %lld",
	       (long long)b.result.bits.compared);
	end(&b);

	begin(&b, false);
	run(&b, (struct repeats_limits){
			.most = INT64_MAX, .part_ns = INT64_MAX, .plenty = 90, .enough = 50});
	tap_ok(b.result.bits.compared >= 90 && b.result.bits.compared < 98,
	       "where that is plenty, time that is left is not used: %lld",
	       (long long)b.result.bits.compared);
	end(&b);

	begin(&b, false);
	run(&b, (struct repeats_limits){.least = 10, .most = INT64_MAX, .enough = INT64_MAX});
	tap_ok(b.result.bits.compared >= 10 && b.result.bits.compared < 18,
	       "no time: the least number, %lld", (long long)b.result.bits.compared);
	end(&b);
}

/* A launch of 0.1 ms on its processor, which other programs keep it from for as long again. */
static void test_busy_processor(void)
{
	const struct repeats_limits l = {
		.most = INT64_MAX, .enough = INT64_MAX, .free_ns = 5000000};
	struct bench b;

	begin(&b, true);
	nap_ns = 200000;
	busy_each = 100000;
	const int64_t begun_ns = clock_now_ns();

	run(&b, l);
	/* Where a nap lasts twice as long as it should, a quarter of the clock's time counts. */
	tap_ok(device.launches < 58 &&
		       (device.launches >= 50 || clock_now_ns() - begun_ns >= 4 * l.free_ns),
	       "it has 5 ms of a processor: %lld launches", (long long)device.launches);
	end(&b);

	begin(&b, true);
	nap_ns = 200000;
	busy_each = 1000;
	run(&b, l);
	tap_ok(device.launches <= 108,
	       "one that sleeps has at most four times that by the clock: %lld",
	       (long long)device.launches);
	end(&b);

	begin(&b, true);
	nap_ns = 2000000;
	busy_each = 1000000;
	run(&b, l);
	tap_ok(device.launches <= 5, "long launches end with their time: %lld",
	       (long long)device.launches);
	end(&b);
}

static void test_wrong(void)
{
	struct bench b;

	begin(&b, false);
	wrong_at = 77;
	run(&b, (struct repeats_limits){.least = 100, .most = 100, .plenty = INT64_MAX});
	tap_int(device.launches, 77, "the first launch that is wrong is the last");
	tap_str(result_status_name(b.result.status), "wrong", "it is the result");
	tap_ok(strncmp(result_reason(&b.result), "in 1 of 69 launches: ", 21) == 0, "%s",
	       result_reason(&b.result));
	end(&b);

	begin(&b, false);
	errs_soon = true;
	run(&b, (struct repeats_limits){.least = 100, .most = 100, .plenty = INT64_MAX});
	tap_ok(strncmp(result_reason(&b.result),
		       "in 1 of 8 launches, one right behind another: ", 46) == 0,
	       "%s", result_reason(&b.result));
	end(&b);

	begin(&b, false);
	refuses = true;
	run(&b, (struct repeats_limits){.least = 100, .most = 100, .plenty = INT64_MAX});
	tap_str(result_status_name(b.result.status), "launch_failed",
		"what the device refuses behind a launch is the launch's");
	tap_str(result_reason(&b.result), "an illegal address", "with its words");
	end(&b);
}

/* Outputs with the device's digest of the last ones have their bits, which are not read again. */
static void test_bits(void)
{
	struct bench b;
	struct asc_err e;
	char first[sizeof b.result.bits.digest];

	begin(&b, false);
	for (int again = 0; again < 2; again++) {
		reads = 0;
		*b.result.bits.digest = '\0';
		tap_int(repeats_find_bits(&b.m, &b.repeats, &e), ASC_OK, "bits are found");
		tap_ok(again ? reads == 0 && strcmp(b.result.bits.digest, first) == 0
			     : reads == 1 && *b.result.bits.digest,
		       "%s by %d reads", b.result.bits.digest, reads);
		memcpy(first, b.result.bits.digest, sizeof first);
	}
	b.repeats.digests[0]++;
	tap_ok(repeats_find_bits(&b.m, &b.repeats, &e) == ASC_OK && reads == 1,
	       "outputs with another one are read");
	end(&b);
}

int main(void)
{
	test_numbers();
	test_busy_processor();
	test_wrong();
	test_bits();
	return tap_done();
}
