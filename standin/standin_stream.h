/* Streams of the stand-in: a queue with a thread each, in which tasks run one after the other, and
 * a timeline on which a model says when each would have ended.
 *
 * Device times are nanoseconds of CLOCK_MONOTONIC, counted by the model alone: the first task after
 * a wait begins when it was queued, every other one when the task before it has ended, however late
 * the host, busy with computing or with other programs, came to queue it. A wait for a stream ends
 * when its time has passed; its limit counts that time, and what computing takes has a limit of its
 * own. */
#ifndef ASCTUNE_STANDIN_STANDIN_STREAM_H
#define ASCTUNE_STANDIN_STANDIN_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "standin/standin_core.h"

struct standin_context;
struct standin_stream;

/* Work in a queue; the owner's structure begins with it. `run` is called on the stream's thread
 * with the lock held, and may release it in between; `free` after it, or instead of it. */
struct standin_task {
	struct standin_task *next;
	int64_t queued_ns; /* 0: behind a task that nothing was waited for since */
	void (*run)(struct standin_task *t, struct standin_stream *s);
	void (*free)(struct standin_task *t);
};

struct standin_stream {
	struct standin_object object;
	struct standin_context *context;
	int id;
	pthread_t thread;
	pthread_cond_t work;
	struct standin_task *first, **last;
	bool busy, stop, hangs;
	bool waited_for;  /* nothing was queued since the last wait */
	int64_t end_ns;   /* on the timeline, of the last task that has run */
	int64_t launches; /* so far */
	void *room;       /* where its tasks compute, kept for the next one */
	size_t room_bytes;
};

enum { STANDIN_FOREVER_MS = -1 }; /* a timeout that never passes */

int standin_stream_make(struct standin_stream **out);
void standin_stream_destroy(struct standin_stream *s);    /* after its work */
int standin_stream_check(const struct standin_stream *s); /* 0: it is one of the current context */

/* Appends a task; the stream owns it. */
void standin_stream_add(struct standin_stream *s, struct standin_task *t);

/* Waits until the queue has run, and its time has passed; releases the lock meanwhile. A wait with
 * a limit is refused where the stand-in computes longer than the control's compute_ms. */
int standin_stream_wait(struct standin_stream *s, int32_t timeout_ms);

/* Room for a task of the stream to compute in until it ends; what it holds is not cleared. NULL:
 * without host memory. */
void *standin_stream_room(struct standin_stream *s, size_t bytes);

/* Waits, the lock released, until `done` is true or a timeout in milliseconds has passed: false. */
bool standin_await(bool (*done)(const void *of), const void *of, int64_t timeout_ms);

/* Waits for each stream of a context, as standin_stream_wait() does without a limit. */
int standin_streams_wait(const struct standin_context *c);

/* Ends the streams of a context after their work; without waiting for a kernel that hangs. */
void standin_streams_end(const struct standin_context *c);

#endif
