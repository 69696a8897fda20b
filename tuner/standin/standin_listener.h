/* What profilers are told of: libmspti.so and libmsprofiler.so of the stand-in listen. All members
 * are called with the core's lock held; NULL: not told. */
#ifndef ASCTUNE_STANDIN_STANDIN_LISTENER_H
#define ASCTUNE_STANDIN_STANDIN_LISTENER_H

#include <stdint.h>

/* One kernel of a launch that has ended. */
struct standin_record {
	const char *name, *type;
	int device, stream;
	uint64_t correlation;
	int64_t begin_ns, end_ns;
};

/* A host's mark: of a range's begin or end, or of a moment. */
struct standin_mark {
	const char *message;
	uint64_t id;
	uint32_t flag; /* msptiActivityFlag */
	int64_t at_ns;
};

struct standin_listener {
	void (*kernel)(const struct standin_record *r); /* on the stream's thread */
	void (*launch)(uint64_t correlation);           /* in the thread that queues a kernel */
	void (*mark)(const struct standin_mark *m);
};

enum standin_listener_of { STANDIN_MSPTI, STANDIN_PROFILER, STANDIN_N_LISTENERS };

extern const struct standin_listener *standin_listeners[STANDIN_N_LISTENERS]; /* NULL: none */

/* Calls a member of all that listen. */
#define STANDIN_TELL(member, argument)                                                             \
	do {                                                                                       \
		for (int who = 0; who < STANDIN_N_LISTENERS; who++)                                \
			if (standin_listeners[who] && standin_listeners[who]->member)              \
				standin_listeners[who]->member(argument);                          \
	} while (0)

#endif
