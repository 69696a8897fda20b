/* What an answer is to have the least of: time, energy or their product; and the choice by it among
 * configurations whose energy was measured. Pure. */
#ifndef ASCTUNE_RESULT_OBJECTIVE_H
#define ASCTUNE_RESULT_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>

/* id, name */
#define OBJECTIVE_LIST(X)                                                                          \
	X(TIME, "time")     /* of a launch */                                                      \
	X(ENERGY, "energy") /* of a launch */                                                      \
	X(EDP, "edp")       /* energy of a launch, times its time */

enum objective {
#define X(id, name) OBJECTIVE_##id,
	OBJECTIVE_LIST(X)
#undef X
		OBJECTIVE_COUNT
};

const char *objective_name(enum objective o);
bool objective_parse(const char *name, enum objective *out);

/* A figure with its interval. */
struct objective_figure {
	double value, low, high; /* NaN: not known */
};

struct objective_cost { /* of a launch of one configuration */
	struct objective_figure ns, joules;
};

struct objective_answer {               /* what an answer by energy rests on */
	enum objective objective;       /* OBJECTIVE_TIME: it is no such answer */
	struct objective_figure joules; /* of a launch */
	size_t measured; /* configurations whose energy was compared, itself among them */
	size_t ties;     /* those of them that may have as little, itself among them */
};

/* Figure that the objective is about: ns, J or J s; its interval is that of the worst case. */
struct objective_figure objective_of(enum objective o, const struct objective_cost *c);

/* Chooses among n > 0 configurations. Those whose interval reaches down to that of the least may
 * have as little, and are `ties`; of them the fastest is chosen. A time without an interval is
 * exact, an energy without one has been measured once, and may be 3 % less or more. */
size_t objective_choose(enum objective o, const struct objective_cost *list, size_t n,
			size_t *ties);

#endif
