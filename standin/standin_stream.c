#include "standin/standin_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "standin/standin_context.h"
#include "tuner/base/units.h"
#include "tuner/process/thread.h"

enum { MS_NS = 1000000, S_NS = 1000000000, SHORT_NS = 20000 };

static int next_id = 3; /* of a stream: not that of a default stream */

static struct timespec at_ns(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / S_NS, .tv_nsec = ns % S_NS};
}

/* Sleeps until a time with the lock released. */
static void pass_until(int64_t ns)
{
	const struct timespec at = at_ns(ns);

	const int64_t left_ns = ns - clock_now_ns();

	if (left_ns <= 0)
		return;
	pthread_mutex_unlock(&standin_lock);
	while (left_ns >= SHORT_NS &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
	while (clock_now_ns() < ns) /* what is too short to sleep */
		;
	pthread_mutex_lock(&standin_lock);
}

bool standin_await(bool (*done)(const void *of), const void *of, int64_t timeout_ms)
{
	const int64_t limit = clock_now_ns() + timeout_ms * MS_NS;
	const struct timespec at = at_ns(limit);
	int rc = 0;

	while (!done(of) && rc != ETIMEDOUT)
		rc = timeout_ms < 0 ? pthread_cond_wait(&standin_progress, &standin_lock)
				    : pthread_cond_timedwait(&standin_progress, &standin_lock, &at);
	return done(of);
}

/* ---- the thread ---- */

static void run_first(struct standin_stream *s)
{
	struct standin_task *t = s->first;

	s->first = t->next;
	if (!s->first)
		s->last = &s->first;
	s->busy = true;
	/* After an execution error nothing runs any more. */
	if (!standin_lost() && !s->stop)
		t->run(t, s);
	t->free(t);
	s->busy = false;
	pthread_cond_broadcast(&standin_progress);
}

static void *serve(void *user)
{
	struct standin_stream *s = user;

	pthread_mutex_lock(&standin_lock);
	while (s->first || !s->stop) {
		if (s->first)
			run_first(s);
		else
			pthread_cond_wait(&s->work, &standin_lock);
	}
	pthread_mutex_unlock(&standin_lock);
	return NULL;
}

int standin_stream_make(struct standin_stream **out)
{
	struct standin_stream *s = standin_new(STANDIN_STREAM, sizeof *s);

	if (!s)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a stream");
	s->context = standin_context_current();
	s->id = next_id++;
	s->last = &s->first;
	s->waited_for = true;
	pthread_cond_init(&s->work, NULL);
	if (thread_start(&s->thread, NULL, serve, s)) {
		standin_free(s);
		return standin_fail(RT_MEMORY_ALLOCATION, "no thread for a stream");
	}
	*out = s;
	return STANDIN_OK;
}

int standin_stream_check(const struct standin_stream *s)
{
	if (!standin_is(STANDIN_STREAM, s))
		return standin_fail(RT_PARAM_INVALID, "%p is no stream", (const void *)s);
	if (s->context != standin_context_current())
		return standin_fail(RT_STREAM_CONTEXT, "stream %d is of another context", s->id);
	return STANDIN_OK;
}

void standin_stream_add(struct standin_stream *s, struct standin_task *t)
{
	t->queued_ns = s->waited_for ? clock_now_ns() : 0;
	s->waited_for = false;
	t->next = NULL;
	*s->last = t;
	s->last = &t->next;
	pthread_cond_signal(&s->work);
}

void *standin_stream_room(struct standin_stream *s, size_t bytes)
{
	if (bytes > s->room_bytes) {
		free(s->room);
		s->room = malloc(bytes);
		s->room_bytes = s->room ? bytes : 0;
	}
	return s->room;
}

static bool is_idle(const void *of)
{
	const struct standin_stream *s = of;

	return !s->first && !s->busy;
}

static bool is_settled(const void *of)
{
	const struct standin_stream *s = of;

	return s->hangs || is_idle(s);
}

int standin_stream_wait(struct standin_stream *s, int32_t timeout_ms)
{
	const int64_t limit = clock_now_ns() + (int64_t)timeout_ms * MS_NS;

	const int64_t compute_ms = standin_get_control()->compute_ms;

	if (!standin_await(is_settled, s, timeout_ms < 0 ? STANDIN_FOREVER_MS : compute_ms))
		return standin_fail(RT_FEATURE_NOT_SUPPORT,
				    "the stand-in has computed for %lld ms on stream %d: these "
				    "tensors are too large for it",
				    (long long)compute_ms, s->id);
	if (s->hangs && timeout_ms < 0)
		(void)standin_await(is_idle, s, STANDIN_FOREVER_MS);
	const bool late = timeout_ms >= 0 && (s->hangs || s->end_ns > limit);
	pass_until(late ? limit : s->end_ns);
	s->waited_for = is_idle(s);
	if (standin_lost())
		return standin_lost();
	return late ? standin_fail(RT_STREAM_SYNC_TIMEOUT, "stream %d needs more than %d ms", s->id,
				   timeout_ms)
		    : STANDIN_OK;
}

int standin_streams_wait(const struct standin_context *c)
{
	struct standin_stream *s = standin_first(STANDIN_STREAM);
	int code = STANDIN_OK;

	while (s && code == STANDIN_OK) {
		if (s->context != c || s->waited_for) {
			s = (struct standin_stream *)s->object.next;
			continue;
		}
		code = standin_stream_wait(s, STANDIN_FOREVER_MS);
		/* Streams come and go while the lock is released. */
		s = standin_first(STANDIN_STREAM);
	}
	return code;
}

static void end(struct standin_stream *s)
{
	s->stop = true;
	pthread_cond_signal(&s->work);
	pthread_cond_broadcast(&standin_progress);
	pthread_mutex_unlock(&standin_lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&standin_lock);
	pthread_cond_destroy(&s->work);
	free(s->room);
	standin_free(s);
}

void standin_stream_destroy(struct standin_stream *s)
{
	if (!is_idle(s)) {
		standin_log("warning: stream %d is destroyed with work in it", s->id);
		(void)standin_await(is_idle, s, STANDIN_FOREVER_MS);
	}
	end(s);
}

void standin_streams_end(const struct standin_context *c)
{
	struct standin_stream *s = standin_first(STANDIN_STREAM);

	while (s) {
		if (s->context == c) {
			end(s);
			s = standin_first(STANDIN_STREAM);
		} else {
			s = (struct standin_stream *)s->object.next;
		}
	}
}
