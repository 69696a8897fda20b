/* What happens in the stand-in, for libmspti.so, which records it. */
#ifndef ASCTUNE_STANDIN_STANDIN_LISTENER_H
#define ASCTUNE_STANDIN_STANDIN_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STANDIN_NO_STREAM = -1 };

/* One kernel of a launch that has ended. */
struct standin_record {
	const char *name, *type;
	int device, stream;
	uint64_t correlation;
	int64_t begin_ns, end_ns;
};

/* A copy, or a fill, that has ended; of no stream where the caller waited for it. */
struct standin_transfer {
	bool is_fill, from_device, to_device;
	int byte; /* of a fill */
	size_t bytes;
	int device, stream;
	uint64_t correlation;
	int64_t begin_ns, end_ns;
};

/* A call of a function of the vendor's, at its end. */
struct standin_call {
	const char *name;
	uint64_t correlation; /* of what it has queued; 0: nothing */
	int64_t begin_ns, end_ns;
};

/* A mark of a range's begin or end, by the host or in a stream. */
struct standin_mark {
	const char *message;
	uint64_t id;
	uint32_t flag; /* msptiActivityFlag */
	bool on_device;
	int device, stream;
	int64_t at_ns;
};

/* All members are called with the core's lock held. */
struct standin_listener {
	void (*kernel)(const struct standin_record *r); /* on the stream's thread */
	void (*transfer)(const struct standin_transfer *t);
	void (*launch)(uint64_t correlation); /* in the thread that queues a kernel */
	void (*call)(const struct standin_call *c);
	void (*mark)(const struct standin_mark *m);
};

extern const struct standin_listener *standin_listener; /* NULL: none */

/* Calls a member of the listener. */
#define STANDIN_NOTIFY(member, argument)                                                           \
	do {                                                                                       \
		if (standin_listener)                                                              \
			standin_listener->member(argument);                                        \
	} while (0)

#endif
