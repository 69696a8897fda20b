#include "tuner/device/hold_limit.h"

#include <pthread.h>
#include <time.h>

#include "tuner/process/thread.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* measures time as CLOCK_MONOTONIC does */
	bool runs, set, passed;
	void (*release)(struct device *d);
	struct device *device;
	struct timespec at;
} limit = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_due(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > limit.at.tv_sec ||
	       (now.tv_sec == limit.at.tv_sec && now.tv_nsec >= limit.at.tv_nsec);
}

/* `release` is called with the lock, so that the end of a limit waits for it. A wait that is over
 * may be that for an earlier limit: the clock decides. */
static void *serve(void *user)
{
	(void)pthread_mutex_lock(&limit.lock);
	for (;;) {
		if (!limit.set || limit.passed) {
			(void)pthread_cond_wait(&limit.changed, &limit.lock);
		} else if (is_due()) {
			limit.passed = true;
			limit.release(limit.device);
		} else {
			(void)pthread_cond_timedwait(&limit.changed, &limit.lock, &limit.at);
		}
	}
	return user;
}

static bool start(void)
{
	pthread_condattr_t monotonic;
	pthread_t thread;

	if (limit.runs)
		return true;
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&limit.changed, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	limit.runs = thread_start(&thread, NULL, serve, NULL) == 0;
	if (limit.runs)
		(void)pthread_detach(thread);
	return limit.runs;
}

bool hold_limit_begin(void (*release)(struct device *d), struct device *d, int64_t ns)
{
	enum { SECOND_NS = 1000000000 };

	(void)pthread_mutex_lock(&limit.lock);
	const bool runs = start();

	if (runs) {
		(void)clock_gettime(CLOCK_MONOTONIC, &limit.at);
		limit.at.tv_sec += (limit.at.tv_nsec + ns) / SECOND_NS;
		limit.at.tv_nsec = (limit.at.tv_nsec + ns) % SECOND_NS;
		limit.set = true;
		limit.passed = false;
		limit.release = release;
		limit.device = d;
		(void)pthread_cond_signal(&limit.changed);
	}
	(void)pthread_mutex_unlock(&limit.lock);
	return runs;
}

bool hold_limit_end(void)
{
	(void)pthread_mutex_lock(&limit.lock);
	const bool passed = limit.set && limit.passed;

	limit.set = false;
	(void)pthread_mutex_unlock(&limit.lock);
	return passed;
}
