#include "standin/standin_event.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/units.h"

enum { KNOWN_FLAGS = 0x7b, MAX_EVENTS = 65536, US_NS = 1000 };

struct event_task {
	struct standin_task task;
	struct standin_event *event;
};

int standin_event_make(uint32_t flags, bool extended, struct standin_event **out)
{
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return standin_fail(RT_PARAM_INVALID, "an event with flags %#x", flags);
	if (!extended && standin_alive(STANDIN_EVENT) >= MAX_EVENTS)
		return standin_fail(RT_MEMORY_ALLOCATION, "more than %d events", MAX_EVENTS);
	struct standin_event *e = standin_new(STANDIN_EVENT, sizeof *e);
	if (!e)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for an event");
	e->timed = flags & STANDIN_TIME_LINE;
	e->extended = extended;
	*out = e;
	return STANDIN_OK;
}

int standin_event_check(const struct standin_event *e)
{
	return standin_is(STANDIN_EVENT, e)
		       ? STANDIN_OK
		       : standin_fail(RT_PARAM_INVALID, "%p is no event", (const void *)e);
}

static bool is_recorded(const void *of)
{
	return ((const struct standin_event *)of)->pending == 0;
}

int standin_event_destroy(struct standin_event *e)
{
	if (e->pending) {
		standin_log("warning: an event is destroyed before it was recorded");
		(void)standin_await(is_recorded, e, STANDIN_FOREVER_MS);
	}
	standin_free(e);
	return STANDIN_OK;
}

static int add(struct standin_event *e, struct standin_stream *s,
	       void (*run)(struct standin_task *, struct standin_stream *),
	       void (*release)(struct standin_task *))
{
	struct event_task *t = calloc(1, sizeof *t);

	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a task");
	t->task.run = run;
	t->task.free = release;
	t->event = e;
	e->pending++;
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

static void release(struct standin_task *t)
{
	((struct event_task *)t)->event->pending--;
	free(t);
}

static void run_record(struct standin_task *t, struct standin_stream *s)
{
	struct standin_event *e = ((struct event_task *)t)->event;

	if (s->end_ns < t->queued_ns)
		s->end_ns = t->queued_ns;
	e->at_ns = s->end_ns;
}

int standin_event_record(struct standin_event *e, struct standin_stream *s)
{
	const int code = add(e, s, run_record, release);

	e->recorded = e->recorded || code == STANDIN_OK;
	return code;
}

int standin_event_reset(struct standin_event *e)
{
	if (e->extended)
		return standin_fail(RT_PARAM_INVALID, "an extended event cannot be reset");
	e->recorded = false;
	return STANDIN_OK;
}

/* Waits in the stream's thread: the task itself is one of those that are pending. */
static bool is_recorded_before(const void *of)
{
	return ((const struct standin_event *)of)->pending == 1;
}

static void run_hold(struct standin_task *t, struct standin_stream *s)
{
	struct standin_event *e = ((struct event_task *)t)->event;

	(void)standin_await(is_recorded_before, e, STANDIN_FOREVER_MS);
	if (s->end_ns < e->at_ns)
		s->end_ns = e->at_ns;
}

int standin_event_hold(struct standin_event *e, struct standin_stream *s)
{
	return e->recorded ? add(e, s, run_hold, release) : STANDIN_OK;
}

int standin_event_wait(struct standin_event *e, int32_t timeout_ms)
{
	if (!standin_await(is_recorded, e, timeout_ms))
		return standin_fail(RT_EVENT_SYNC_TIMEOUT, "an event was not recorded within %d ms",
				    timeout_ms);
	standin_pass_until(e->at_ns);
	return standin_lost();
}

bool standin_event_is_complete(const struct standin_event *e)
{
	return e->pending == 0 && e->at_ns <= clock_now_ns();
}

/* Checks that the event has a time stamp. */
static int check_stamp(const struct standin_event *e)
{
	if (!e->recorded)
		return standin_fail(RT_INTERNAL_ERROR, "an event that was never recorded");
	if (!e->timed || !standin_event_is_complete(e))
		return standin_fail(RT_EVENT_TIMESTAMP_INVALID, "an event without a time stamp");
	return STANDIN_OK;
}

static double stamp_ns(const struct standin_event *e)
{
	const double tick_ns = standin_get_control()->rates.tick_ns;

	return floor((double)e->at_ns / tick_ns) * tick_ns;
}

int standin_event_elapsed(const struct standin_event *begin, const struct standin_event *end,
			  float *ms)
{
	int code = check_stamp(begin);

	if (code == STANDIN_OK)
		code = check_stamp(end);
	if (code == STANDIN_OK)
		*ms = (float)((stamp_ns(end) - stamp_ns(begin)) / 1e6);
	return code;
}

int standin_event_time(const struct standin_event *e, uint64_t *microseconds)
{
	const int code = check_stamp(e);

	if (code == STANDIN_OK)
		*microseconds = (uint64_t)e->at_ns / US_NS;
	return code;
}
