/* The batch loop of devices that queue, with a device and a clock of the tests.
 * covers: clock.c hold_limit.c */
#include "tuner/device/clock.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/device/device_kernel.h"
#include "tuner/device/libs/work.h"

enum { LOG_BYTES = 4096 };

struct device {
	struct clocked_device queue;
	char log[LOG_BYTES]; /* a letter for each call */
	int64_t launched;
	int64_t lose; /* number of launches whose times are lost, the first ones of each batch */
	int64_t lose_batches; /* in so many batches */
	size_t fail;          /* launch that fails; 0: none */
	size_t n_work;        /* records of a launch's work */
	bool flushed;         /* in the stream that is watched */
	uint64_t behind;      /* when that flush ends, on the records' clock */
	atomic_bool entered;  /* a launch was begun */
	atomic_bool let_go;   /* the stream was let go */
	bool waits;           /* launches wait until it is */
	bool elsewhere;       /* launches are not between the marks */
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
	d->flushed = true;
	return ASC_OK;
}

static enum asc_status launch(struct device *d, const struct device_sequence *s,
			      struct asc_err *err)
{
	(void)s;
	note(d, 'l');
	atomic_store(&d->entered, true); /* what another thread notes comes behind that */
	while (d->waits && !atomic_load(&d->let_go))
		(void)sched_yield();
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

static enum asc_status wait_device(struct device *d, const char *what, struct asc_err *err)
{
	(void)what, (void)err;
	note(d, 'W');
	return ASC_OK;
}

/* A device_batch.restore, for launches that change what they read. */
static enum asc_status put_back(void *user, struct asc_err *err)
{
	(void)err;
	note(user, '~');
	return ASC_OK;
}

static const struct clock_stream stream = {flush, launch, wait_all, wait_device, restore};
static const struct clock_stream keeps_nothing = {flush, launch, wait_all, NULL, NULL};

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
	while (d->waits && !atomic_load(&d->entered))
		(void)sched_yield();
	note(d, 'r');
	atomic_store(&d->let_go, true);
}

/* A launch takes as many nanoseconds as launches were made with it. */
static enum asc_status read_times(struct device *d, const struct device_sequence *s, size_t n,
				  int64_t *times, int64_t *sums, struct asc_err *err)
{
	(void)s, (void)err;
	note(d, 'R');
	for (size_t i = 0; i < n; i++) {
		times[i] = d->elsewhere ? 0 : (int64_t)n;
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
	struct device d = {0}, several = {0}, vendor = {0};
	struct device_kernel kernel = {.vendor = (struct vendor_kernel *)&d};
	struct device_kernel *const function = &kernel;
	struct clock_ops small = full;
	int64_t ns[3], sums[3];

	small.most_kernels = 2;
	tap_int(run(&d, &full, 1,
		    (struct device_batch){.samples = 3, .launches = 3, .kernels_ns = sums}, ns),
		ASC_OK, "nine launches, four at a time");
	tap_str(d.log, "h=<l>=<l>=<l>=<l>rwRh=<l>=<l>=<l>=<l>rwRh=<l>rwR", "are three batches");
	tap_ok(ns[0] == 12 && ns[1] == 12 && ns[2] == 9, "a sample goes over two of them");
	tap_ok(sums[0] == 3 && sums[1] == 3 && sums[2] == 3, "so do the sums");
	(void)run(&several, &full, 4, (struct device_batch){.samples = 1, .launches = 3}, ns);
	tap_str(several.log, "h=<l>=<l>rwRh=<l>rwR",
		"launches of four kernels: as many as begin within six");
	(void)clock_run(&vendor, &small, &stream, &(struct device_sequence){&function, 1},
			&(struct device_batch){.samples = 1, .launches = 3}, ns, &e);
	tap_str(vendor.log, "h=<l>=<l>rwRh=<l>rwR",
		"of a vendor's function, which may have several, no more than there is room for");
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

/* A launch that is made again would find what the one before it has left. */
static void test_put_back(void)
{
	struct device d = {.lose = 1, .lose_batches = 2}, none = {0};
	struct device_batch batch = {.samples = 1, .launches = 1, .restore = put_back, .user = &d};
	int64_t ns;

	tap_int(run(&d, &plain, 1, batch, &ns), ASC_OK, "two launches without a time");
	tap_str(d.log, "=lwR~=lwR~=lwR", "what they have changed is put back");
	batch.user = &none;
	(void)run(&none, &plain, 1, batch, &ns);
	tap_str(none.log, "=lwR", "nothing is, where no launch is made again");
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

/* ---- launches that may work anywhere ---- */

static enum asc_status watch(struct device *d, struct asc_err *err)
{
	(void)err;
	note(d, '(');
	d->flushed = false;
	return ASC_OK;
}

/* A kernel of 100 ns and copies of 30 ns, each 10 ns behind the one before, and the flush, where it
 * was watched. */
static enum asc_status watched(struct device *d, size_t expected, const struct work **list,
			       size_t *n, struct asc_err *err)
{
	static const struct work work[] = {{.kind = WORK_KERNEL, .start = 1000, .end = 1100},
					   {.kind = WORK_COPY, .start = 1110, .end = 1140},
					   {.kind = WORK_COPY, .start = 1150, .end = 1180}};
	static struct work all[4];

	(void)expected, (void)err;
	note(d, ')');
	memcpy(all, work, sizeof work);
	all[d->n_work] = (struct work){.kind = WORK_FILL, .start = 500, .end = d->behind};
	*list = all;
	*n = d->n_work + d->flushed;
	return ASC_OK;
}

static const struct clock_ops records = {.name = "records",
					 .most = 4,
					 .most_kernels = 6,
					 .before = before,
					 .after = after,
					 .hold = hold,
					 .release = release,
					 .read = read_times,
					 .watch = watch,
					 .watched = watched};

/* Runs a sequence of a kernel and a function that may work anywhere. */
static enum asc_status run_anywhere(struct device *d, const struct clock_ops *clock,
				    struct device_kernel *k, struct device_batch batch, int64_t *ns)
{
	struct device_kernel plain_kernel = {0};
	struct device_kernel *const kernels[] = {&plain_kernel, k};

	memset(d->log, 0, sizeof d->log);
	return clock_run(d, clock, &stream, &(struct device_sequence){kernels, 2}, &batch, ns, &e);
}

static void test_anywhere(void)
{
	struct device_kernel k = {.anywhere = true};
	struct device d = {.n_work = 3, .behind = 990};
	struct device_work work = {0};
	int64_t ns[2], sums[2];
	struct device_batch batch = {
		.samples = 2, .launches = 1, .cold = true, .kernels_ns = sums, .work = &work};

	tap_int(run_anywhere(&d, &records, &k, batch, ns), ASC_OK, "what may work anywhere");
	tap_str(d.log, "=fW(lrW)=W(hflrW)",
		"is launched alone between waits for all streams, held from the second time on, "
		"and "
		"then right behind the flush");
	tap_ok(ns[0] == 180 && ns[1] == 180, "takes from the first start to the last end");
	tap_ok(sums[0] == 160 && sums[1] == 160, "the sum has no gaps");
	tap_ok(work.pieces == 3 && work.held && !work.waits, "its work is counted");
	batch = (struct device_batch){.samples = 1, .launches = 2};
	(void)run_anywhere(&d, &records, &k, batch, ns);
	tap_int(ns[0], 360, "a sample adds up its launches");
	(void)run_anywhere(&d, &full, &k, batch, ns);
	tap_str(d.log, "=Wh<l>rWR=Wh<l>rWR", "a clock without records reads its marks");
}

/* Work that does not wait for the stream would run beside the flush. */
static void test_apart(void)
{
	struct device_kernel k = {.anywhere = true, .timed = true};
	struct device d = {.n_work = 3, .behind = 1050};
	int64_t ns[2];
	const struct device_batch batch = {
		.samples = 2, .launches = 1, .cold = true, .restore = put_back, .user = &d};

	tap_int(run_anywhere(&d, &records, &k, batch, ns), ASC_OK, "work on another stream");
	tap_str(d.log, "=W(hflrW)~=fW(hlrW)=fW(hlrW)",
		"is launched again, behind a flush that has ended, and so from there on");
	tap_ok(ns[0] == 180 && ns[1] == 180, "its time is of its own work");
}

/* A function that waits for the device is let go by another thread, once. */
static void test_waits(void)
{
	struct device_kernel k = {.anywhere = true, .timed = true};
	struct device d = {.n_work = 1, .waits = true};
	struct device_work work = {0};
	const struct device_batch batch = {.samples = 1, .launches = 1, .work = &work};
	int64_t ns;

	tap_int(run_anywhere(&d, &records, &k, batch, &ns), ASC_OK, "a function that waits");
	tap_str(d.log, "=W(hlrrW)", "is let go while it is called");
	tap_ok(work.waits && k.waits, "which is noted");
	(void)run_anywhere(&d, &records, &k, batch, &ns);
	tap_str(d.log, "=W(lrW)", "the stream is not held for it again");
	tap_ok(work.waits, "it still waits");
}

static void test_nothing(void)
{
	struct device_kernel k = {.anywhere = true};
	struct device d = {.n_work = 0}, failing = {.fail = 1, .n_work = 1};
	const struct device_batch batch = {.samples = 1, .launches = 1};
	struct clock_ops loses = records;
	int64_t ns;

	tap_int(run_anywhere(&d, &records, &k, batch, &ns), ASC_INPUT, "nothing on the device");
	tap_str(e.text,
		"the device did nothing that the clock \"records\" has a record of: expected a "
		"kernel, a copy or a fill",
		"has no time");
	tap_int(run_anywhere(&failing, &records, &k, batch, &ns), ASC_IO, "a launch that fails");
	tap_str(failing.log, "=W(hlr)", "the stream goes on, and the watch ends");
	d.elsewhere = true;
	tap_int(run_anywhere(&d, &full, &k, batch, &ns), ASC_INPUT, "nothing between the marks");
	tap_str(e.text,
		"nothing ran in the stream that the clock \"full\" has its marks in, and it has no "
		"records of other work",
		"is no time of 0");
	loses.loses = true;
	d.n_work = 2;
	tap_int(run_anywhere(&d, &loses, &k, batch, &ns), ASC_OK, "two records");
	d.n_work = 1;
	tap_int(run_anywhere(&d, &loses, &k, batch, &ns), ASC_IO, "and one, where some get lost");
	tap_has(e.text, "has no time of 32 launches", "is no shorter launch");
}

static void set_pause(struct device *d, bool pause)
{
	note(d, pause ? '-' : '+');
}

/* A profiler leaves for launches whose time on the host counts, and for no others. */
static void test_undisturbed(void)
{
	static const struct clock_kind paused = {
		"T_CLOCK", NULL, {flush, launch, wait_all, wait_device, NULL}};
	struct clock_ops clock = records;
	struct device_kernel anywhere = {.bound = true, .anywhere = true}, own = {.bound = true};
	struct device_kernel *const first = &anywhere, *const second = &own;
	struct device d = {.queue = {&paused, &clock}};

	clock.pause = set_pause;
	clocked_undisturbed(&d, true);
	(void)clocked_launch(&d, &(struct device_sequence){&first, 1}, 3, &e);
	(void)clocked_wait(&d, &e);
	clocked_undisturbed(&d, false);
	tap_str(d.log, "W-wlllWw+", "while nothing runs, on any stream");
	memset(d.log, 0, sizeof d.log);
	(void)clocked_launch(&d, &(struct device_sequence){&first, 1}, 3, &e);
	(void)clocked_launch(&d, &(struct device_sequence){&second, 1}, 3, &e);
	(void)clocked_wait(&d, &e);
	tap_str(d.log, "wlllWlllw", "but not for launches in a row alone");
	clock.pause = NULL;
	memset(d.log, 0, sizeof d.log);
	clocked_undisturbed(&d, true);
	tap_str(d.log, "", "nor does it wait where the clock makes no records");
}

static bool never(char *reason, size_t size)
{
	(void)snprintf(reason, size, "never");
	return false;
}

static const struct clock_ops absent = {.name = "absent", .check = never};
static const struct clock_ops *const list[] = {&absent, &full, &plain, NULL};
static const struct clock_kind kind = {"T_CLOCK", list, {flush, launch, wait_all, NULL, NULL}};

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

static enum asc_status begin(struct device *d, struct asc_err *err)
{
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
	static const struct clock_kind refusing = {
		"T_CLOCK", one, {flush, launch, wait_all, NULL, NULL}};
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
	test_put_back();
	test_failure();
	test_anywhere();
	test_apart();
	test_waits();
	test_nothing();
	test_undisturbed();
	test_choose();
	test_open();
	return tap_done();
}
