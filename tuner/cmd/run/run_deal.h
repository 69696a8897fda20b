/* The problems of a command dealt out to its devices: each device takes the next one when it has
 * ended its last, the longest expected first.
 *
 * The caller owns the storage: struct run_deal, with a list of items. */
#ifndef ASCTUNE_CMD_RUN_RUN_DEAL_H
#define ASCTUNE_CMD_RUN_RUN_DEAL_H

#include <stddef.h>

enum deal_state { DEAL_OPEN, DEAL_TAKEN, DEAL_DONE };

#define DEAL_NONE ((size_t)-1)

struct deal_item {
	double took;     /* time that it took before; 0: not known */
	double work;     /* operations, or bytes; 0: not known */
	size_t begun;    /* device that has a part of it on record; DEAL_NONE: none has */
	double expected; /* set by run_deal_begin() */
	enum deal_state state;
};

struct run_deal {
	struct deal_item *items;
	size_t n;
};

/* Works out what is expected of each: the time that it took; else its work, at the rate of those
 * whose time is known; else the mean of the others. */
void run_deal_begin(struct run_deal *d);

/* Index of the item that a device would take next: the longest that it has begun, else the longest
 * that none has, else the longest; DEAL_NONE: none is open. Equals go by their order. */
size_t run_deal_find(const struct run_deal *d, size_t device);

/* Number of the items that are in this state. */
size_t run_deal_count(const struct run_deal *d, enum deal_state state);

#endif
