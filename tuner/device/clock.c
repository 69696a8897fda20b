#include "tuner/device/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/device_kernel.h"

/* Launches in a row without a time, of several batches: some may be unlucky. */
enum { MAX_LOST = 32, MAX_LOST_BATCHES = 2 };

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

enum asc_status clock_begin(const struct clock_ops *clock, struct device *d,
			    const struct device_sequence *s, struct asc_err *e)
{
	return clock->begin ? clock->begin(d, s, e) : ASC_OK;
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
	bool cold;
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

	if (clock_begin(clock, d, t->sequence, e) ||
	    (clock->hold && clock->hold(d, t->sequence, e)))
		return e->status;
	for (size_t i = 0; i < n && !s; i++) {
		s = restore(t->stream, d, t->sequence, e);
		if (!s && t->cold)
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

enum asc_status clock_run(struct device *d, const struct clock_ops *clock,
			  const struct clock_stream *stream, const struct device_sequence *s,
			  const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	struct timing t = {.clock = clock, .stream = stream, .sequence = s, .cold = batch->cold};
	/* As many launches as begin within the room for kernels. */
	const size_t room = s->n > 1 ? clock->most_kernels : clock->most;
	const int64_t all = batch->samples * batch->launches;
	const int64_t most = (int64_t)((room + s->n - 1) / s->n);
	int64_t lost = 0, lost_batches = 0;

	memset(ns, 0, (size_t)batch->samples * sizeof *ns);
	if (batch->kernels_ns)
		memset(batch->kernels_ns, 0, (size_t)batch->samples * sizeof *ns);

	for (int64_t done = 0; done < all;) {
		const int64_t n = all - done < most ? all - done : most;
		int64_t timed = 0;

		if (run_queued(d, &t, (size_t)n, e))
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

	for (int64_t i = 0; i < n; i++)
		if (restore(stream, d, s, e) || stream->launch(d, s, e))
			return e->status;
	return ASC_OK;
}

enum asc_status clocked_wait(struct device *d, struct asc_err *e)
{
	if (of(d)->kind->stream.wait(d, "the launch", e))
		return e->status;
	return clock_forget(of(d)->clock, d, e);
}

enum asc_status clocked_run(struct device *d, const struct device_sequence *s,
			    const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	if (device_check_bound(s, e))
		return e->status;
	return clock_run(d, of(d)->clock, &of(d)->kind->stream, s, batch, ns, e);
}
