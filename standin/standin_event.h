/* Events of the stand-in: points of a stream's timeline. */
#ifndef ASCTUNE_STANDIN_STANDIN_EVENT_H
#define ASCTUNE_STANDIN_STANDIN_EVENT_H

#include "standin/standin_stream.h"

enum { STANDIN_TIME_LINE = 0x8 }; /* flag of an event that takes the time */

struct standin_event {
	struct standin_object object;
	bool timed, extended; /* extended: of aclrtCreateEventExWithFlag */
	bool recorded;        /* at least once since it was made or reset */
	int64_t pending;      /* records that are queued */
	int64_t at_ns;        /* on the timeline, of the last record that has run */
};

int standin_event_make(uint32_t flags, bool extended, struct standin_event **out);
int standin_event_check(const struct standin_event *e);
int standin_event_destroy(struct standin_event *e);

int standin_event_record(struct standin_event *e, struct standin_stream *s);
int standin_event_reset(struct standin_event *e);

/* Has all that comes later in the stream wait for the event's last record so far. */
int standin_event_hold(struct standin_event *e, struct standin_stream *s);

int standin_event_wait(struct standin_event *e, int32_t timeout_ms);
bool standin_event_is_complete(const struct standin_event *e);

/* Time between two events, negative where the end was first. Of whole ticks, in milliseconds. */
int standin_event_elapsed(const struct standin_event *begin, const struct standin_event *end,
			  float *ms);
int standin_event_time(const struct standin_event *e, uint64_t *microseconds);

#endif
