#include "tuner/device/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/device_kernel.h"
#include "tuner/device/hold_limit.h"
#include "tuner/device/libs/work.h"

/* Launches in a row without a time, of several batches: some may be unlucky. */
enum { MAX_LOST = 32, MAX_LOST_BATCHES = 2 };

/* Time after which a held stream is let go for a function that has not returned: many times what
 * asking for a launch takes on the host, and little where a function waits for the device. */
static const int64_t HELD_NS = 20000000;

/* ---- choosing ---- */

static const char *wanted(const char *variable)
{
	const char *name = getenv(variable);

	return name && *name ? name : NULL;
}

/* Finds the clock; NULL when the variable names none. `passed` gets why those before it are not
 * usable. */
static const struct clock_ops *choose(const struct clock_kind *k, char *passed, size_t size)
{
	const char *name = wanted(k->variable);
	char reason[256] = "";
	size_t used = 0;

	*passed = '\0';
	for (size_t i = 0; k->list[i]; i++) {
		const struct clock_ops *c = k->list[i];

		/* A clock that is named is not checked: opening it says why it fails. */
		if (name ? strcmp(c->name, name) == 0
			 : !c->check || c->check(reason, sizeof reason))
			return c;
		if (!name && used < size)
			used += (size_t)snprintf(passed + used, size - used, "%s%s: %s",
						 used > 0 ? "; " : "", c->name, reason);
	}
	return NULL;
}

static enum asc_status fail_unknown(const struct clock_kind *k, struct asc_err *e)
{
	struct buf names = {0};

	for (size_t i = 0; k->list[i]; i++)
		buf_print(&names, "%s%s",
			  i == 0           ? ""
			  : k->list[i + 1] ? ", "
					   : " or ",
			  k->list[i]->name);
	(void)asc_err_set(e, ASC_USAGE, "%s is \"%s\", expected %s", k->variable,
			  wanted(k->variable), buf_str(&names));
	buf_fini(&names);
	return e->status;
}

enum asc_status clock_describe(const struct clock_kind *k, struct device_info *out,
			       struct asc_err *e)
{
	const struct clock_ops *chosen = choose(k, out->clock_passed, sizeof out->clock_passed);

	if (!chosen)
		return fail_unknown(k, e);
	(void)snprintf(out->clock, sizeof out->clock, "%s", chosen->name);
	return ASC_OK;
}

/* ---- opening ---- */

enum asc_status clock_open(const struct clock_kind *k, struct device *d,
			   const struct clock_ops **chosen, struct asc_err *e)
{
	char passed[sizeof(struct device_info){0}.clock_passed];

	*chosen = choose(k, passed, sizeof passed);
	if (!*chosen)
		return fail_unknown(k, e);
	return (*chosen)->open ? (*chosen)->open(d, e) : ASC_OK;
}

void clock_close(const struct clock_ops *clock, struct device *d)
{
	if (clock && clock->close)
		clock->close(d);
}

enum asc_status clock_begin(const struct clock_ops *clock, struct device *d, struct asc_err *e)
{
	return clock->begin ? clock->begin(d, e) : ASC_OK;
}

enum asc_status clock_restore(const struct device_batch *batch, struct asc_err *e)
{
	return batch->restore ? batch->restore(batch->user, e) : ASC_OK;
}

enum asc_status clock_forget(const struct clock_ops *clock, struct device *d, struct asc_err *e)
{
	return clock->forget ? clock->forget(d, e) : ASC_OK;
}

/* ---- launching ---- */

/* Times of launches of one sequence. */
struct timing {
	const struct clock_ops *clock;
	const struct clock_stream *stream;
	const struct device_sequence *sequence;
	const struct device_batch *batch;
	struct device_work work; /* of the last launch that was timed alone */
	int64_t times[CLOCK_MAX_QUEUED], sums[CLOCK_MAX_QUEUED];
};

static enum asc_status restore(const struct clock_stream *stream, struct device *d,
			       const struct device_sequence *s, struct asc_err *e)
{
	return stream->restore ? stream->restore(d, s, e) : ASC_OK;
}

/* Queues `n` launches, waits for them and reads the time of each:
 *
 * 1. The clock claims what it needs, and learns what reading needs of these launches.
 * 2. The stream is held, where that is good: launches that are queued while it stands still follow
 *    each other without gaps.
 * 3. For each launch: restore, flush, mark, launch, mark. The first two are outside of the marks,
 *    and what is restored is flushed like everything else.
 * 4. The stream goes on, whatever has failed, and all of it is waited for once.
 * 5. Times are read when nothing runs. */
static enum asc_status run_queued(struct device *d, struct timing *t, size_t n, struct asc_err *e)
{
	const struct clock_ops *clock = t->clock;
	enum asc_status s = ASC_OK;
	struct asc_err second;

	if (clock_begin(clock, d, e) ||
	    (clock->learn && clock->learn(d, t->sequence, t->batch, e)) ||
	    (clock->hold && clock->hold(d, t->sequence, e)))
		return e->status;
	for (size_t i = 0; i < n && !s; i++) {
		s = restore(t->stream, d, t->sequence, e);
		if (!s && t->batch->cold)
			s = t->stream->flush(d, e);
		if (!s && clock->before)
			s = clock->before(d, i, e);
		if (s)
			break;
		s = t->stream->launch(d, t->sequence, e);
		/* Ends what the clock has begun, also of a launch that was refused: the first
		 * failure is the one to report. */
		if (clock->after && clock->after(d, i, s ? &second : e) && !s)
			s = e->status;
	}
	/* A stream that stays held would never end the wait of whoever cleans up. */
	if (clock->release)
		clock->release(d);
	if (s || t->stream->wait(d, "the launch", e))
		return e->status;
	return clock->read(d, t->sequence, n, t->times, t->sums, e);
}

static enum asc_status wait_all(const struct clock_stream *stream, struct device *d,
				struct asc_err *e)
{
	return (stream->wait_all ? stream->wait_all : stream->wait)(d, "the launch", e);
}

/* Reads the time of a launch that was made alone, from all that the device has done; where the
 * cache was `flushed` in the held stream, that is the first fill. A launch that began before the
 * flush had ended was not behind the stream: it has no time. */
static enum asc_status read_work(struct timing *t, struct device_kernel *k, const struct work *list,
				 size_t n, bool flushed, struct asc_err *e)
{
	const ptrdiff_t flush = flushed ? work_find_first_fill(list, n) : WORK_ALL;
	const size_t pieces = flush == WORK_ALL ? n : n - 1;
	struct work_sum sum = {0};

	t->times[0] = -1;
	t->sums[0] = 0;
	if (pieces == 0 && k->pieces == 0 && !t->clock->loses)
		return asc_err_set(e, ASC_INPUT,
				   "the device did nothing that the clock \"%s\" has a record of: "
				   "expected a kernel, a copy or a fill",
				   t->clock->name);
	if (pieces == 0 || (t->clock->loses && pieces < k->pieces))
		return ASC_OK;
	if (work_add_up(list, n, flush, &sum, e))
		return t->clock->loses ? ASC_OK : e->status;
	k->apart |= flush != WORK_ALL && sum.start < list[flush].end;
	if (k->apart && flush != WORK_ALL)
		return ASC_OK;
	t->times[0] = sum.span_ns;
	t->sums[0] = sum.sum_ns;
	t->work.pieces = pieces;
	k->pieces = pieces > k->pieces ? pieces : k->pieces;
	return ASC_OK;
}

/* Times one launch of what may work anywhere:
 *
 * 1. What precedes a launch, and a wait for all of it, on any stream: nothing runs.
 * 2. The clock watches all work from here on.
 * 3. The stream is held while functions are called, so that the host's gaps between the kernels do
 *    not count. A function that waits for the device would never return: the stream is let go
 *    after a while, and held no more for that function. Nor is it for the first launch. In a held
 *    stream the launch follows the flush at once, as in run_queued(): the cache has written back
 *    as little, and the device has not begun to rest. A function whose work does not wait for
 *    the stream is launched again, behind a flush that has ended.
 * 4. The stream goes on, whatever has failed, and all work is waited for.
 * 5. What the device has done between 2 and 4 is the launch's. A clock without records of work
 *    reads its marks: with nothing between them, the work was on another stream, or there was
 *    none. */
static enum asc_status run_alone(struct device *d, struct timing *t, struct device_kernel *k,
				 struct asc_err *e)
{
	const struct clock_ops *clock = t->clock;
	const struct work *list = NULL;
	struct asc_err second;
	size_t n = 0;

	/* 1 and 2 */
	bool holds = clock->hold && k->timed && !k->waits;
	const bool flushes = t->batch->cold && holds && !k->apart;

	if (clock_begin(clock, d, e) || restore(t->stream, d, t->sequence, e) ||
	    (t->batch->cold && !flushes && t->stream->flush(d, e)) || wait_all(t->stream, d, e))
		return e->status;
	enum asc_status s = clock->watch ? clock->watch(d, e) : ASC_OK;

	/* 3 */
	holds &= !s;
	if (holds) {
		s = clock->hold(d, t->sequence, e);
		/* The limit comes second: a stream that is let go before it is held stays held. */
		holds = !s && hold_limit_begin(clock->release, d, HELD_NS);
		if (!holds && !s)
			clock->release(d);
	}
	if (!s && flushes)
		s = t->stream->flush(d, e);
	if (!s && !clock->watch && clock->before)
		s = clock->before(d, 0, e);
	if (!s) {
		s = t->stream->launch(d, t->sequence, e);
		if (!clock->watch && clock->after && clock->after(d, 0, s ? &second : e) && !s)
			s = e->status;
	}

	/* 4 */
	if (holds)
		k->waits = hold_limit_end();
	if (clock->release)
		clock->release(d);
	k->timed = true;
	t->work = (struct device_work){.held = clock->hold != NULL, .waits = k->waits};
	if (!s)
		s = wait_all(t->stream, d, e);

	/* 5 */
	if (clock->watched && clock->watched(d, k->pieces + flushes, &list, &n, s ? &second : e) &&
	    !s)
		s = e->status;
	if (s)
		return s;
	if (clock->watched)
		return read_work(t, k, list, n, flushes, e);
	if (clock->read(d, t->sequence, 1, t->times, t->sums, e))
		return e->status;
	return t->times[0] != 0 ? ASC_OK
				: asc_err_set(e, ASC_INPUT,
					      "nothing ran in the stream that the clock \"%s\" has "
					      "its marks in, and it has no records of other work",
					      clock->name);
}

enum asc_status clock_run(struct device *d, const struct clock_ops *clock,
			  const struct clock_stream *stream, const struct device_sequence *s,
			  const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	struct timing t = {.clock = clock, .stream = stream, .sequence = s, .batch = batch};
	/* As many launches as begin within the room for kernels; a vendor's function may have
	 * several. */
	const bool several = s->n > 1 || (s->kernels && s->kernels[0]->vendor);
	const size_t room = several ? clock->most_kernels : clock->most;
	const int64_t all = batch->samples * batch->launches;
	struct device_kernel *const anywhere = device_kernel_anywhere(s);
	const size_t fit = (room + s->n - 1) / s->n;
	const int64_t most = anywhere ? 1 : (int64_t)(fit < clock->most ? fit : clock->most);
	int64_t lost = 0, lost_batches = 0;
	bool again = false;

	memset(ns, 0, (size_t)batch->samples * sizeof *ns);
	if (batch->kernels_ns)
		memset(batch->kernels_ns, 0, (size_t)batch->samples * sizeof *ns);

	for (int64_t done = 0; done < all;) {
		const int64_t n = all - done < most ? all - done : most;
		int64_t timed = 0;

		if ((again && clock_restore(batch, e)) ||
		    (anywhere ? run_alone(d, &t, anywhere, e) : run_queued(d, &t, (size_t)n, e)))
			return e->status;
		/* Launches with a time belong to the samples in order. One without is made again
		 * with the next batch: a sample has all of its launches, or it would look fast. */
		for (int64_t i = 0; i < n; i++) {
			const int64_t sample = (done + timed) / batch->launches;

			if (t.times[i] < 0)
				continue;
			ns[sample] += t.times[i];
			if (batch->kernels_ns)
				batch->kernels_ns[sample] += t.sums[i];
			timed++;
		}
		again = timed < n;
		if (batch->lost)
			*batch->lost += n - timed;
		/* Some batches may be unlucky; a clock that has lost several in a row is broken,
		 * and would be asked for ever. */
		lost = timed > 0 ? 0 : lost + n;
		lost_batches = timed > 0 ? 0 : lost_batches + 1;
		if (lost >= MAX_LOST && lost_batches >= MAX_LOST_BATCHES)
			return asc_err_set(e, ASC_IO,
					   "the clock \"%s\" has no time of %lld launches",
					   clock->name, (long long)lost);
		done += timed;
	}
	if (batch->work)
		*batch->work = t.work;
	return ASC_OK;
}

/* ---- devices that queue ---- */

static const struct clocked_device *of(const struct device *d)
{
	return (const struct clocked_device *)d;
}

enum asc_status clocked_flush(struct device *d, const struct device_sequence *s, struct asc_err *e)
{
	const struct clock_stream *stream = &of(d)->kind->stream;

	(void)s;
	return stream->flush(d, e) ? e->status : stream->wait(d, "a flush of the cache", e);
}

enum asc_status clocked_launch(struct device *d, const struct device_sequence *s, int64_t n,
			       struct asc_err *e)
{
	if (device_check_bound(s, e))
		return e->status;
	const struct clock_stream *stream = &of(d)->kind->stream;
	const bool anywhere = device_kernel_anywhere(s) != NULL;
	enum asc_status r = ASC_OK;
	struct asc_err second;

	/* Streams do not wait for each other: what may work anywhere begins when all before it has
	 * ended, and has ended itself before anything else is asked for. */
	if (anywhere && stream->wait(d, "what precedes a launch", e))
		return e->status;
	for (int64_t i = 0; i < n && !r; i++)
		r = restore(stream, d, s, e) ? e->status : stream->launch(d, s, e);
	if (anywhere && wait_all(stream, d, r ? &second : e) && !r)
		r = e->status;
	/* Nobody waits for a launch that was refused: what it has done is not the next one's. */
	if (anywhere && r)
		(void)clock_forget(of(d)->clock, d, &second);
	return r;
}

void clocked_undisturbed(struct device *d, bool begins)
{
	const struct clock_ops *clock = of(d)->clock;
	struct asc_err ignored; /* a device that fails says so at its next launch */

	if (clock->pause && (!begins || !wait_all(&of(d)->kind->stream, d, &ignored)))
		clock->pause(d, begins);
}

enum asc_status clocked_wait(struct device *d, struct asc_err *e)
{
	return of(d)->kind->stream.wait(d, "the launch", e) ? e->status
							    : clock_forget(of(d)->clock, d, e);
}

enum asc_status clocked_run(struct device *d, const struct device_sequence *s,
			    const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	if (device_check_bound(s, e))
		return e->status;
	return clock_run(d, of(d)->clock, &of(d)->kind->stream, s, batch, ns, e);
}

enum asc_status clocked_watch(struct device *d, struct asc_err *e)
{
	const struct clock_ops *clock = of(d)->clock;

	if (!clock->watch)
		return asc_err_set(e, ASC_ABSENT, "the clock \"%s\" has no records of work",
				   clock->name);
	if (clock_begin(clock, d, e) || wait_all(&of(d)->kind->stream, d, e))
		return e->status;
	return clock->watch(d, e);
}

enum asc_status clocked_watched(struct device *d, size_t expected, const struct work **list,
				size_t *n, struct asc_err *e)
{
	struct asc_err second;
	const enum asc_status s = wait_all(&of(d)->kind->stream, d, e);

	*n = 0;
	if (of(d)->clock->watched(d, expected, list, n, s ? &second : e) && !s)
		return e->status;
	return s;
}
