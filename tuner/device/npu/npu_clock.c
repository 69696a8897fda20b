#include "tuner/device/npu/npu_clock.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/device/clock.h"
#include "tuner/device/libs/mspti.h"
#include "tuner/device/npu/npu_device.h"
#include "tuner/device/npu/npu_kernel.h"

struct npu_clock {
	void *events[CLOCK_MAX_QUEUED][2]; /* at begin and end of each launch */
	uint64_t first;                    /* number of the batch's first launch */
	void *mark;                        /* memory that put_mark() fills; NULL: none yet */
};

/* ---- events ---- */

/* Makes an event with a time stamp, by the newest function that is here: its events are not limited
 * in number by the hardware. */
static enum asc_status make_event(struct device *d, void **out, struct asc_err *e)
{
	const struct acl_runtime *acl = d->acl;

	if (acl->event_create_ex_with_flag)
		return npu_check(d, acl->event_create_ex_with_flag(out, NPU_EVENT_TIME_LINE),
				 "aclrtCreateEventExWithFlag", e);
	if (acl->event_create_with_flag)
		return npu_check(d, acl->event_create_with_flag(out, NPU_EVENT_TIME_LINE),
				 "aclrtCreateEventWithFlag", e);
	return npu_check(d, acl->event_create(out), "aclrtCreateEvent", e);
}

static enum asc_status event_open(struct device *d, struct asc_err *e)
{
	for (size_t i = 0; i < CLOCK_MAX_QUEUED; i++)
		for (size_t k = 0; k < 2; k++)
			if (make_event(d, &d->clock->events[i][k], e))
				return e->status;
	return ASC_OK;
}

static void event_close(struct device *d)
{
	for (size_t i = 0; i < CLOCK_MAX_QUEUED; i++)
		for (size_t k = 0; k < 2; k++)
			if (d->clock->events[i][k])
				(void)d->acl->event_destroy(d->clock->events[i][k]);
}

static enum asc_status record(struct device *d, void *event, struct asc_err *e)
{
	return npu_check(d, d->acl->event_record(event, d->stream), "aclrtRecordEvent", e);
}

static enum asc_status event_before(struct device *d, size_t launch, struct asc_err *e)
{
	return record(d, d->clock->events[launch][0], e);
}

static enum asc_status event_after(struct device *d, size_t launch, struct asc_err *e)
{
	return record(d, d->clock->events[launch][1], e);
}

static enum asc_status event_read(struct device *d, const struct device_sequence *s, size_t n,
				  int64_t *times, int64_t *sums, struct asc_err *e)
{
	(void)s;
	for (size_t i = 0; i < n; i++) {
		void **pair = d->clock->events[i];
		float ms = 0;

		if (npu_check(d, d->acl->event_elapsed(&ms, pair[0], pair[1]),
			      "aclrtEventElapsedTime", e))
			return e->status;
		times[i] = llround((double)ms * 1e6);
		sums[i] = 0;
	}
	return ASC_OK;
}

static const struct clock_ops clock_npu_event = {
	.name = "event",
	.most = CLOCK_MAX_QUEUED,
	.most_kernels = CLOCK_MAX_QUEUED,
	.open = event_open,
	.close = event_close,
	.before = event_before,
	.after = event_after,
	.read = event_read,
};

/* ---- records of kernels by MSPTI ---- */

static void mspti_close(struct device *d)
{
	if (d->clock->mark)
		(void)d->acl->free(d->clock->mark);
	d->clock->mark = NULL;
	mspti_stop();
}

/* Numbers are not used again: what a batch that failed has left is no later launch's. */
static enum asc_status mspti_before(struct device *d, size_t launch, struct asc_err *e)
{
	if (launch == 0)
		d->clock->first += CLOCK_MAX_QUEUED;
	return mspti_push(d->clock->first + launch, e);
}

static enum asc_status mspti_after(struct device *d, size_t launch, struct asc_err *e)
{
	(void)d, (void)launch;
	return mspti_pop(e);
}

static enum asc_status mspti_forget(struct device *d, struct asc_err *e)
{
	struct mspti_records records;

	(void)d;
	return mspti_take(&records, 0, 0, e);
}

/* Takes the records of the batch's launches, which are waited for until there are `expected`. */
static enum asc_status take_launches(struct device *d, struct mspti_launch *launches, size_t n,
				     size_t expected, struct asc_err *e)
{
	struct mspti_records r;

	if (mspti_take(&r, d->clock->first, expected, e))
		return e->status;
	/* Some versions link kernels to numbers only while they record calls too. */
	if (r.n_kernels > 0 && r.n_links == 0 && !mspti_enable_calls())
		return asc_err_set(e, ASC_IO,
				   "MSPTI has records of %zu kernels, but none of their calls "
				   "(" NPU_CLOCK_VARIABLE "=event takes another clock)",
				   r.n_kernels);
	mspti_add_up(&r, d->clock->first, launches, n);
	return ASC_OK;
}

/* Makes launches to count their kernels, and takes whatever comes of them. */
static enum asc_status make_launches(struct device *d, const struct device_sequence *s,
				     const struct device_batch *batch,
				     struct mspti_launch *launches, size_t n, struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (mspti_before(d, i, e) || npu_kernels_launch(d, s, e) || mspti_after(d, i, e) ||
		    clock_restore(batch, e))
			return e->status;
	return npu_wait(d, "the launch", e) ? e->status
					    : take_launches(d, launches, n, SIZE_MAX, e);
}

/* Launches whose kernels are counted, to know how many each has: where all of the first ones have
 * the same number, no more. Of half of the records lost, two kernels are taken for one in one of
 * 100,000 cases. */
enum { FIRST_COUNTED = 8, ALL_COUNTED = 32 };

/* Finds the number of kernels that each launch has: the most of any, where two thirds have it. */
static enum asc_status learn_kernels(struct device *d, const struct device_sequence *s,
				     const struct device_batch *batch, struct asc_err *e)
{
	struct mspti_launch launches[ALL_COUNTED] = {0};
	size_t most = npu_kernels_least(s), complete = 0, all = 0;

	for (size_t n = FIRST_COUNTED; all < ALL_COUNTED && (all == 0 || complete < all);
	     n = ALL_COUNTED - FIRST_COUNTED) {
		if (make_launches(d, s, batch, launches, n, e))
			return e->status;
		all += n;
		for (size_t i = 0; i < n; i++) {
			/* One launch with more kernels shows all before it to be incomplete. */
			complete = launches[i].n_kernels > most ? 0 : complete;
			most = launches[i].n_kernels > most ? launches[i].n_kernels : most;
			complete += most > 0 && launches[i].n_kernels == most;
		}
	}
	if (most == 0)
		return asc_err_set(e, ASC_IO, "the clock \"mspti\" has no time of %zu launches",
				   all);
	/* With more than a third of the records lost, most batches would be made again and again.
	 */
	if (3 * complete < 2 * all)
		return asc_err_set(e, ASC_IO,
				   "the clock \"mspti\" loses records: %zu of %zu launches have "
				   "their %zu kernels (" NPU_CLOCK_VARIABLE
				   "=event takes another clock)",
				   complete, all, most);
	npu_kernels_set_recorded(s, most);
	return ASC_OK;
}

static enum asc_status mspti_begin(struct device *d, struct asc_err *e)
{
	(void)d;
	return mspti_start(e) ? asc_err_wrap(e, "the clock \"mspti\" (" NPU_CLOCK_VARIABLE
						"=event takes another)")
			      : ASC_OK;
}

/* Number of kernels that is to be learned, of binaries whose launches have more than one each. */
static const size_t SEVERAL = SIZE_MAX;

/* Learns how many kernels a launch has: that of a vendor's function, or of several. */
static enum asc_status mspti_learn(struct device *d, const struct device_sequence *s,
				   const struct device_batch *batch, struct asc_err *e)
{
	const size_t recorded = npu_kernels_recorded(s);

	if (recorded == SEVERAL || (recorded == 0 && npu_kernels_least(s) < s->n))
		return learn_kernels(d, s, batch, e);
	return ASC_OK;
}

/* A launch has a time where all of its kernels have records. A binary's may be several, on cores of
 * two kinds: then these launches are made again, when that number has been learned. */
static enum asc_status mspti_read(struct device *d, const struct device_sequence *s, size_t n,
				  int64_t *times, int64_t *sums, struct asc_err *e)
{
	struct mspti_launch launches[CLOCK_MAX_QUEUED] = {0};
	const size_t recorded = npu_kernels_recorded(s);
	const size_t each = recorded > 0 ? recorded : npu_kernels_least(s);
	bool timed = false;

	if (take_launches(d, launches, n, n * each, e))
		return e->status;
	size_t larger = 0;

	while (larger < n && launches[larger].n_kernels <= each)
		larger++;

	if (larger < n && recorded > 0)
		return asc_err_set(e, ASC_IO, "MSPTI has %zu kernels of a launch, and %zu before",
				   launches[larger].n_kernels, recorded);
	for (size_t i = 0; i < n; i++) {
		const struct mspti_launch *l = &launches[i];
		const bool known = larger == n && l->n_kernels == each && !l->broken;

		times[i] = known ? (int64_t)(l->end - l->start) : -1;
		sums[i] = known ? l->sum_ns : 0;
		timed |= known;
	}
	/* No time of this batch holds: a launch may lack records that nobody missed. */
	if (larger < n || timed)
		npu_kernels_set_recorded(s, larger < n ? SEVERAL : each);
	return ASC_OK;
}

static enum asc_status put_mark(void *user, struct asc_err *e)
{
	struct device *d = user;
	void **at = &d->clock->mark;

	if (!*at && npu_check(d, d->acl->alloc(at, MSPTI_MARK_BYTES, NPU_ALLOC_HUGE_FIRST),
			      "aclrtMalloc", e))
		return e->status;
	return npu_set(d, *at, 0, MSPTI_MARK_BYTES, e) ? e->status
						       : npu_wait(d, "the begin of a launch", e);
}

/* Work from here on, whatever thread asks for it. */
static enum asc_status mspti_watch_all(struct device *d, struct asc_err *e)
{
	d->clock->first += CLOCK_MAX_QUEUED;
	return mspti_watch(d->clock->first, put_mark, d, e);
}

static enum asc_status mspti_watched_all(struct device *d, size_t expected,
					 const struct work **list, size_t *n, struct asc_err *e)
{
	return mspti_watched(d->clock->first, expected, list, n, e);
}

static const struct clock_ops clock_mspti = {
	.name = "mspti",
	.most = CLOCK_MAX_QUEUED,
	.most_kernels = CLOCK_MAX_QUEUED,
	.check = mspti_check,
	.close = mspti_close,
	.begin = mspti_begin,
	.learn = mspti_learn,
	.before = mspti_before,
	.after = mspti_after,
	.forget = mspti_forget,
	.read = mspti_read,
	.watch = mspti_watch_all,
	.watched = mspti_watched_all,
	.loses = true,
};

/* ---- the clock of a device ---- */

/* Clocks in the order of preference. */
static const struct clock_ops *const clock_list[] = {&clock_mspti, &clock_npu_event, NULL};

const struct clock_kind npu_clocks = {
	NPU_CLOCK_VARIABLE,
	clock_list,
	{npu_flush_queue, npu_kernels_launch, npu_wait, npu_wait_all, NULL}};

enum asc_status npu_clock_open(struct device *d, struct asc_err *e)
{
	d->queue.kind = &npu_clocks;
	d->clock = calloc(1, sizeof *d->clock);
	return d->clock ? clock_open(&npu_clocks, d, &d->queue.clock, e) : asc_err_nomem(e);
}

void npu_clock_close(struct device *d)
{
	if (d->clock)
		clock_close(d->queue.clock, d);
	free(d->clock);
	d->clock = NULL;
}
