/* Threads beside those of the program, which signals stay with. */
#ifndef ASCTUNE_BASE_THREAD_H
#define ASCTUNE_BASE_THREAD_H

#include <pthread.h>

/* As pthread_create(), with all signals blocked in the new thread. `attributes` may be NULL. */
int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		 void *user);

/* How many it has started in this process so far. */
long thread_started(void);

#endif
