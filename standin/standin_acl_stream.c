/* libascendcl.so of the stand-in: streams and events. */
#include "standin/standin_acl.h"
#include "standin/standin_event.h"
#include "standin/standin_stream.h"

/* aclrtStreamStatus; aclrtEventRecordedStatus and aclrtEventStatus, in opposite order. */
enum { KNOWN_FLAGS = 0x3f }; /* of aclrtCreateStreamWithConfig */
enum { STREAM_COMPLETE = 0, STREAM_NOT_READY = 1 };
enum { RECORDED_NOT_READY = 0, RECORDED_COMPLETE = 1 };
enum { EVENT_COMPLETE = 0, EVENT_NOT_READY = 1 };

/* ---- streams ---- */

int aclrtCreateStream(void **stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_stream *s = NULL;

	code = code ? code : standin_stream_make(&s);
	if (code == STANDIN_OK)
		*stream = s;
	return standin_leave(__func__, code, "%p", (void *)s);
}

int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flags)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_stream *s = NULL;

	if (code == STANDIN_OK && (flags & ~(uint32_t)KNOWN_FLAGS))
		code = standin_fail(RT_PARAM_INVALID, "a stream with flags %#x", flags);
	code = code ? code : standin_stream_make(&s);
	if (code == STANDIN_OK)
		*stream = s;
	return standin_leave(__func__, code, "%p %u %#x", (void *)s, priority, flags);
}

static int destroy(const char *name, struct standin_stream *s, bool with_work)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_stream_check(s);
	if (code == STANDIN_OK)
		code = with_work ? standin_stream_abandon(s) : standin_stream_destroy(s);
	return standin_leave(name, code, "%p", (void *)s);
}

int aclrtDestroyStream(void *stream)
{
	return destroy(__func__, stream, false);
}

int aclrtDestroyStreamForce(void *stream)
{
	return destroy(__func__, stream, true);
}

static int wait(const char *name, struct standin_stream *s, int32_t timeout_ms)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_stream_check(s);
	code = code ? code : standin_stream_wait(s, timeout_ms);
	return standin_leave(name, code, "%p %d", (void *)s, timeout_ms);
}

int aclrtSynchronizeStream(void *stream)
{
	return wait(__func__, stream, STANDIN_FOREVER_MS);
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t timeout_ms)
{
	return wait(__func__, stream, timeout_ms);
}

int aclrtStreamQuery(void *stream, unsigned *status)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_stream_check(stream);
	if (code == STANDIN_OK)
		*status = standin_stream_is_idle(stream) ? STREAM_COMPLETE : STREAM_NOT_READY;
	return standin_leave(__func__, code, "%p", stream);
}

int aclrtStreamGetId(void *stream, int32_t *id)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_stream_check(stream);
	if (code == STANDIN_OK)
		*id = ((const struct standin_stream *)stream)->id;
	return standin_leave(__func__, code, "%p", stream);
}

/* ---- events ---- */

static int create(const char *name, void **out, uint32_t flags, bool extended)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);
	struct standin_event *e = NULL;

	code = code ? code : standin_event_make(flags, extended, &e);
	if (code == STANDIN_OK)
		*out = e;
	return standin_leave(name, code, "%p %#x", (void *)e, flags);
}

int aclrtCreateEvent(void **event)
{
	return create(__func__, event, STANDIN_TIME_LINE, false);
}

int aclrtCreateEventWithFlag(void **event, uint32_t flags)
{
	return create(__func__, event, flags, false);
}

int aclrtCreateEventExWithFlag(void **event, uint32_t flags)
{
	return create(__func__, event, flags, true);
}

int aclrtDestroyEvent(void *event)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_event_check(event);
	code = code ? code : standin_event_destroy(event);
	return standin_leave(__func__, code, "%p", event);
}

static int check_both(struct standin_event *e, struct standin_stream *s)
{
	const int code = standin_event_check(e);

	return code ? code : standin_stream_check(s);
}

int aclrtRecordEvent(void *event, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check_both(event, stream);
	code = code ? code : standin_event_record(event, stream);
	return standin_leave(__func__, code, "%p %p", event, stream);
}

int aclrtResetEvent(void *event, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check_both(event, stream);
	code = code ? code : standin_event_reset(event);
	return standin_leave(__func__, code, "%p %p", event, stream);
}

int aclrtStreamWaitEvent(void *stream, void *event)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check_both(event, stream);
	code = code ? code : standin_event_hold(event, stream);
	return standin_leave(__func__, code, "%p %p", stream, event);
}

static int wait_event(const char *name, struct standin_event *e, int32_t timeout_ms)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_event_check(e);
	code = code ? code : standin_event_wait(e, timeout_ms);
	return standin_leave(name, code, "%p %d", (void *)e, timeout_ms);
}

int aclrtSynchronizeEvent(void *event)
{
	return wait_event(__func__, event, STANDIN_FOREVER_MS);
}

int aclrtSynchronizeEventWithTimeout(void *event, int32_t timeout_ms)
{
	return wait_event(__func__, event, timeout_ms);
}

int aclrtQueryEvent(void *event, unsigned *status)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_event_check(event);
	if (code == STANDIN_OK && ((const struct standin_event *)event)->extended)
		code = standin_fail(RT_PARAM_INVALID, "an extended event is queried by "
						      "aclrtQueryEventStatus");
	if (code == STANDIN_OK)
		*status = standin_event_is_complete(event) ? EVENT_COMPLETE : EVENT_NOT_READY;
	return standin_leave(__func__, code, "%p", event);
}

int aclrtQueryEventStatus(void *event, unsigned *status)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_event_check(event);
	if (code == STANDIN_OK)
		*status = standin_event_is_complete(event) ? RECORDED_COMPLETE : RECORDED_NOT_READY;
	return standin_leave(__func__, code, "%p", event);
}

int aclrtEventElapsedTime(float *ms, void *begin, void *end)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_event_check(begin);
	code = code ? code : standin_event_check(end);
	code = code ? code : standin_event_elapsed(begin, end, ms);
	return standin_leave(__func__, code, "%p %p", begin, end);
}

int aclrtEventGetTimestamp(void *event, uint64_t *microseconds)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_event_check(event);
	code = code ? code : standin_event_time(event, microseconds);
	return standin_leave(__func__, code, "%p", event);
}
