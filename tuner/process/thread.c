#include "tuner/process/thread.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_long started;

int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		 void *user)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failure = pthread_create(thread, attributes, run, user);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failure)
		atomic_fetch_add(&started, 1);
	return failure;
}

long thread_started(void)
{
	return atomic_load(&started);
}
