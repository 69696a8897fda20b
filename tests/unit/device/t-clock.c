/* The batch loop of devices that queue, with a device and a clock of the tests.
 * covers: clock.c */
#include "tuner/device/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { LOG_BYTES = 4096 };

struct device {
	char log[LOG_BYTES]; /* a letter for each call */
	int64_t launched;
	int64_t lose; /* number of launches whose times are lost, the first ones of each batch */
	int64_t lose_batches; /* in so many batches */
	size_t fail;          /* launch that fails; 0: none */
};

static struct asc_err e;

static void note(struct device *d, char what)
{
	const size_t n = strlen(d->log);

	if (n + 1 < sizeof d->log)
		d->log[n] = what;
}

static enum asc_status flush(struct device *d, struct asc_err *err)
{
	(void)err;
	note(d, 'f');
	return ASC_OK;
}

static enum asc_status launch(struct device *d, const struct device_sequence *s,
			      struct asc_err *err)
{
	(void)s;
	note(d, 'l');
	if (++d->launched == (int64_t)d->fail)
		return asc_err_set(err, ASC_IO, "launch %zu", d->fail);
	return ASC_OK;
}

static enum asc_status wait_all(struct device *d, const char *what, struct asc_err *err)
{
	(void)what, (void)err;
	note(d, 'w');
	return ASC_OK;
}

static enum asc_status restore(struct device *d, const struct device_sequence *s,
			       struct asc_err *err)
{
	(void)s, (void)err;
	note(d, '=');
	return ASC_OK;
}

static const struct clock_stream stream = {flush, launch, wait_all, restore};
static const struct clock_stream keeps_nothing = {flush, launch, wait_all, NULL};

static enum asc_status before(struct device *d, size_t i, struct asc_err *err)
{
	(void)i, (void)err;
	note(d, '<');
	return ASC_OK;
}

static enum asc_status after(struct device *d, size_t i, struct asc_err *err)
{
	(void)i, (void)err;
	note(d, '>');
	return ASC_OK;
}

static enum asc_status hold(struct device *d, const struct device_sequence *s, struct asc_err *err)
{
	(void)s, (void)err;
	note(d, 'h');
	return ASC_OK;
}

static void release(struct device *d)
{
	note(d, 'r');
}

/* A launch takes as many nanoseconds as launches were made with it. */
static enum asc_status read_times(struct device *d, const struct device_sequence *s, size_t n,
				  int64_t *times, int64_t *sums, struct asc_err *err)
{
	(void)s, (void)err;
	note(d, 'R');
	for (size_t i = 0; i < n; i++) {
		times[i] = (int64_t)n;
		sums[i] = 1;
		if (d->lose_batches > 0 && (int64_t)i < d->lose)
			times[i] = -1;
	}
	d->lose_batches--;
	return ASC_OK;
}

static const struct clock_ops full = {.name = "full",
				      .most = 4,
				      .most_kernels = 6,
				      .before = before,
				      .after = after,
				      .hold = hold,
				      .release = release,
				      .read = read_times};
static const struct clock_ops plain = {
	.name = "plain", .most = 4, .most_kernels = 4, .read = read_times};

static enum asc_status run(struct device *d, const struct clock_ops *clock, size_t kernels,
			   struct device_batch batch, int64_t *ns)
{
	return clock_run(d, clock, &stream, &(struct device_sequence){.n = kernels}, &batch, ns,
			 &e);
}

static void test_order(void)
{
	struct device d = {0}, cold = {0}, bare = {0}, none = {0};
	int64_t ns[2];

	tap_int(run(&d, &full, 1, (struct device_batch){.samples = 1, .launches = 2}, ns), ASC_OK,
		"two launches");
	tap_str(d.log, "h=<l>=<l>rwR",
		"are put into a stream that is held, marked, waited for once");
	(void)run(&cold, &full, 1, (struct device_batch){.samples = 2, .launches = 1, .cold = true},
		  ns);
	tap_str(cold.log, "h=f<l>=f<l>rwR",
		"what is restored and flushed is outside of the marks, in this order");
	(void)run(&bare, &plain, 1, (struct device_batch){.samples = 1, .launches = 1}, ns);
	tap_str(bare.log, "=lwR", "a clock of records marks nothing");
	(void)clock_run(&none, &plain, &keeps_nothing, &(struct device_sequence){.n = 1},
			&(struct device_batch){.samples = 1, .launches = 1}, ns, &e);
	tap_str(none.log, "lwR", "where kernels keep nothing, nothing is restored");
}

static void test_batches(void)
{
	struct device d = {0}, several = {0};
	int64_t ns[3], sums[3];

	tap_int(run(&d, &full, 1,
		    (struct device_batch){.samples = 3, .launches = 3, .kernels_ns = sums}, ns),
		ASC_OK, "nine launches, four at a time");
	tap_str(d.log, "h=<l>=<l>=<l>=<l>rwRh=<l>=<l>=<l>=<l>rwRh=<l>rwR", "are three batches");
	tap_ok(ns[0] == 12 && ns[1] == 12 && ns[2] == 9, "a sample goes over two of them");
	tap_ok(sums[0] == 3 && sums[1] == 3 && sums[2] == 3, "so do the sums");
	(void)run(&several, &full, 4, (struct device_batch){.samples = 1, .launches = 3}, ns);
	tap_str(several.log, "h=<l>=<l>rwRh=<l>rwR",
		"launches of four kernels: as many as begin within six");
}

static void test_lost(void)
{
	struct device d = {.lose = 3, .lose_batches = 1}, gone = {.lose = 4, .lose_batches = 99};
	struct device late = {.lose = 4, .lose_batches = 7};
	int64_t ns[2], lost = 0;

	tap_int(run(&d, &plain, 1,
		    (struct device_batch){.samples = 2, .launches = 2, .lost = &lost}, ns),
		ASC_OK, "three of four times are lost");
	tap_int(lost, 3, "they are counted");
	tap_str(d.log, "=l=l=l=lwR=l=l=lwR", "those launches are made again");
	tap_ok(ns[0] == 4 + 3 && ns[1] == 3 + 3, "each sample has its launches");
	tap_int(run(&late, &plain, 1, (struct device_batch){.samples = 1, .launches = 4}, ns),
		ASC_OK, "an eighth batch is tried");
	tap_int(run(&gone, &plain, 1, (struct device_batch){.samples = 1, .launches = 4}, ns),
		ASC_IO, "no time at all is no time of 0");
	tap_str(e.text, "the clock \"plain\" has no time of 32 launches", "it is an error");
	tap_int(gone.launched, 32, "after as many");
}

static void test_failure(void)
{
	struct device d = {.fail = 2};
	int64_t ns;

	tap_int(run(&d, &full, 1, (struct device_batch){.samples = 1, .launches = 4}, &ns), ASC_IO,
		"a launch fails");
	tap_str(d.log, "h=<l>=<l>r",
		"the clock ends what it began, the stream goes on, nothing is waited for");
}

static bool never(char *reason, size_t size)
{
	(void)snprintf(reason, size, "never");
	return false;
}

static const struct clock_ops absent = {.name = "absent", .check = never};
static const struct clock_ops *const list[] = {&absent, &full, &plain, NULL};
static const struct clock_kind kind = {"T_CLOCK", list, {flush, launch, wait_all, NULL}};

/* Checks which clock is taken, and what is said of those before it. */
static void check_chosen(const char *variable, const char *name, const char *passed)
{
	struct device_info info = {0};

	if (variable)
		(void)setenv(kind.variable, variable, 1);
	else
		(void)unsetenv(kind.variable);
	tap_int(clock_describe(&kind, &info, &e), ASC_OK, "a clock");
	tap_str(info.clock, name, "its name");
	tap_str(info.clock_passed, passed, "why none before it is");
}

static void test_choose(void)
{
	const struct clock_ops *chosen = &full;
	struct device_info info = {0};
	struct device d = {0};

	check_chosen(NULL, "full", "absent: never");
	check_chosen("", "full", "absent: never");
	check_chosen("plain", "plain", "");
	check_chosen("absent", "absent", "");
	(void)setenv(kind.variable, "sun", 1);
	tap_int(clock_describe(&kind, &info, &e), ASC_USAGE, "a name that is none");
	tap_str(e.text, "T_CLOCK is \"sun\", expected absent, full or plain", "names the clocks");
	tap_int(clock_open(&kind, &d, &chosen, &e), ASC_USAGE, "nor is it opened");
	tap_ok(!chosen, "and nothing is to be closed");
	clock_close(chosen, &d);
}

static enum asc_status refuse(struct device *d, struct asc_err *err)
{
	note(d, 'o');
	return asc_err_set(err, ASC_ABSENT, "refused");
}

static void note_close(struct device *d)
{
	note(d, 'c');
}

static enum asc_status begin(struct device *d, const struct device_sequence *s, struct asc_err *err)
{
	(void)s;
	note(d, '!');
	return d->fail ? asc_err_set(err, ASC_ABSENT, "claimed by others") : ASC_OK;
}

static void test_open(void)
{
	static const struct clock_ops closing = {
		.name = "closing", .open = refuse, .close = note_close, .read = read_times};
	static const struct clock_ops claiming = {
		.name = "claiming", .most = 4, .begin = begin, .read = read_times};
	static const struct clock_ops *const one[] = {&closing, NULL};
	static const struct clock_kind refusing = {"T_CLOCK", one, {flush, launch, wait_all, NULL}};
	const struct clock_ops *chosen = NULL;
	struct device d = {0}, other = {0};
	int64_t ns;

	(void)unsetenv(refusing.variable);
	tap_int(clock_open(&refusing, &d, &chosen, &e), ASC_ABSENT, "a clock that is refused");
	clock_close(chosen, &d);
	tap_str(d.log, "oc", "is closed for what it has made");
	tap_int(clock_forget(chosen, &d, &e), ASC_OK, "one that notes nothing has nothing to drop");

	d.fail = other.launched = 1;
	tap_int(run(&d, &claiming, 1, (struct device_batch){.samples = 1, .launches = 1}, &ns),
		ASC_ABSENT, "what another process has is not launched for");
	tap_str(d.log, "oc!", "nothing is launched");
	(void)run(&other, &claiming, 1, (struct device_batch){.samples = 1, .launches = 1}, &ns);
	tap_str(other.log, "!=lwR", "it is claimed before the batch");
}

int main(void)
{
	test_order();
	test_batches();
	test_lost();
	test_failure();
	test_choose();
	test_open();
	return tap_done();
}
