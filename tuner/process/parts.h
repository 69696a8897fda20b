/* Work in parts that know nothing of each other, by as many threads as there are processors. */
#ifndef ASCTUNE_PROCESS_PARTS_H
#define ASCTUNE_PROCESS_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

enum { PARTS_MOST_HANDS = 64 /* more threads than that wait for memory, not for processors */ };

typedef enum asc_status parts_fn(void *user, size_t part, struct asc_err *e);

struct parts { /* lives from parts_begin() to parts_end() at one place */
	parts_fn *run;
	void *user;
	size_t n;
	atomic_size_t next; /* part that no thread has begun */
	struct parts_hand {
		struct parts *all;
		pthread_t thread;
		bool running;
		enum asc_status status;
		struct asc_err failure;
	} hands[PARTS_MOST_HANDS]; /* the first one is the caller */
	size_t n_hands;
};

/* Starts threads that run parts 0 to n - 1. A thread that cannot be had is done without. */
void parts_begin(struct parts *p, size_t n, parts_fn *run, void *user);

/* Works, too, until all parts are done or a thread has met a failure, and waits for the others;
 * gives one of the failures. Has to follow parts_begin(), whatever happens between. */
enum asc_status parts_end(struct parts *p, struct asc_err *e);

/* Runs all parts, and waits for them. */
enum asc_status parts_run(size_t n, parts_fn *run, void *user, struct asc_err *e);

/* Has threads pass over n elements: `pass` gets those from `begin` to `end` - 1. */
void parts_pass(size_t n, void (*pass)(void *user, size_t begin, size_t end), void *user);

#endif
