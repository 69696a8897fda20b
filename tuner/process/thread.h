/* Threads that receive no signals, which stay with the program's own. */
#ifndef ASCTUNE_PROCESS_THREAD_H
#define ASCTUNE_PROCESS_THREAD_H

#include <pthread.h>

/* Starts a thread like pthread_create(), with all signals blocked in it; `attributes` or NULL. */
int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		 void *user);

/* Number of threads that thread_start() has started in this process. */
long thread_started(void);

#endif
