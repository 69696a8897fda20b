/* libascendcl.so of the stand-in: events, which are points of a stream's timeline. */
#include <math.h>
#include <stdlib.h>

#include "standin/standin_abi.h"
#include "standin/standin_stream.h"
#include "tuner/base/units.h"

/* Flags of all releases; events that the hardware holds at a time, those of
 * aclrtCreateEventExWithFlag not counted. */
enum { KNOWN_FLAGS = 0x7b, MAX_EVENTS = 65536 };

struct event {
	struct standin_object object;
	bool timed;      /* it takes the time */
	bool recorded;   /* at least once */
	int64_t pending; /* records that are queued */
	int64_t at_ns;   /* on the timeline, of the last record that has run */
};

static int check(const struct event *e)
{
	return standin_is(STANDIN_EVENT, e)
		       ? STANDIN_OK
		       : standin_fail(RT_PARAM_INVALID, "%p is no event", (const void *)e);
}

/* ---- make and destroy ---- */

static int make(uint32_t flags, bool limited, struct event **out)
{
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return standin_fail(RT_PARAM_INVALID, "an event with flags %#x", flags);
	if (limited && standin_alive(STANDIN_EVENT) >= MAX_EVENTS)
		return standin_fail(RT_MEMORY_ALLOCATION, "more than %d events", MAX_EVENTS);
	*out = standin_new(STANDIN_EVENT, sizeof **out);
	if (!*out)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for an event");
	(*out)->timed = flags & NPU_EVENT_TIME_LINE;
	return STANDIN_OK;
}

static int create(const char *name, void **out, uint32_t flags, bool limited)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);
	struct event *e = NULL;

	code = code ? code : make(flags, limited, &e);
	if (code == STANDIN_OK)
		*out = e;
	return standin_leave(name, code, "%p %#x", (void *)e, flags);
}

int aclrtCreateEvent(void **event)
{
	return create(__func__, event, NPU_EVENT_TIME_LINE, true);
}

int aclrtCreateEventWithFlag(void **event, uint32_t flags)
{
	return create(__func__, event, flags, true);
}

int aclrtCreateEventExWithFlag(void **event, uint32_t flags)
{
	return create(__func__, event, flags, false);
}

static bool is_recorded(const void *of)
{
	return ((const struct event *)of)->pending == 0;
}

static void destroy(struct event *e)
{
	if (e->pending) {
		standin_log("warning: an event is destroyed before it was recorded");
		(void)standin_await(is_recorded, e, STANDIN_FOREVER_MS);
	}
	standin_free(e);
}

int aclrtDestroyEvent(void *event)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : check(event);
	if (code == STANDIN_OK)
		destroy(event);
	return standin_leave(__func__, code, "%p", event);
}

/* ---- record ---- */

struct event_task {
	struct standin_task task;
	struct event *event;
};

static void run(struct standin_task *t, struct standin_stream *s)
{
	if (s->end_ns < t->queued_ns)
		s->end_ns = t->queued_ns;
	((struct event_task *)t)->event->at_ns = s->end_ns;
}

static void release(struct standin_task *t)
{
	((struct event_task *)t)->event->pending--;
	free(t);
}

static int record(struct event *e, struct standin_stream *s)
{
	struct event_task *t = calloc(1, sizeof *t);

	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a task");
	t->task.run = run;
	t->task.free = release;
	t->event = e;
	e->pending++;
	e->recorded = true;
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

int aclrtRecordEvent(void *event, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check(event);
	code = code ? code : standin_stream_check(stream);
	code = code ? code : record(event, stream);
	return standin_leave(__func__, code, "%p %p", event, stream);
}

/* ---- time ---- */

/* Checks that the event has a time stamp. */
static int check_stamp(const struct event *e)
{
	if (!e->recorded)
		return standin_fail(RT_INTERNAL_ERROR, "an event that was never recorded");
	if (!e->timed || e->pending > 0 || e->at_ns > clock_now_ns())
		return standin_fail(RT_EVENT_TIMESTAMP_INVALID, "an event without a time stamp");
	return STANDIN_OK;
}

static double stamp_ns(const struct event *e)
{
	const double tick_ns = standin_get_control()->rates.tick_ns;

	return floor((double)e->at_ns / tick_ns) * tick_ns;
}

/* The time is negative where the end was recorded first. */
int aclrtEventElapsedTime(float *ms, void *begin, void *end)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check(begin);
	code = code ? code : check(end);
	code = code ? code : check_stamp(begin);
	code = code ? code : check_stamp(end);
	if (code == STANDIN_OK)
		*ms = (float)((stamp_ns(end) - stamp_ns(begin)) / 1e6);
	return standin_leave(__func__, code, "%p %p", begin, end);
}
