/* Hard inputs: contents at which kernels go wrong that are right on random numbers. They are pure
 * functions of what the tensor's fill made and of its domain: every value lies between the least
 * and the largest that the fill made, or that the domain has.
 *
 * Integers, tensors with rules for their contents, and those whose numbers come from a function or
 * a file keep their contents: zeros there may be no valid input. A domain lifts the last. */
#ifndef ASCTUNE_WORKER_INPUTS_HARD_H
#define ASCTUNE_WORKER_INPUTS_HARD_H

#include <stdbool.h>
#include <stddef.h>

struct binding;

/* id, name, and what a failure says */
#define HARD_SET_LIST(X)                                                                           \
	X(NONE, "", "on ordinary numbers")                                                         \
	X(ZEROS, "zeros", "on zeros")                                                              \
	X(ONES, "ones", "on ones")                                                                 \
	X(ROWS, "rows", "on equal rows")                                                           \
	X(SINGLE, "single", "on zeros but for one value in a row")                                 \
	X(RANGE, "range", "on numbers from all of its domain")                                     \
	X(LIMITS, "limits", "on the largest numbers of the type")                                  \
	X(SPECIAL, "special", "on NaN and infinities")

enum hard_set {
#define X(id, name, text) HARD_##id,
	HARD_SET_LIST(X)
#undef X
		HARD_COUNT
};

const char *hard_set_name(enum hard_set s);
const char *hard_set_text(enum hard_set s);
bool hard_set_parse(const char *name, enum hard_set *out);

/* True where the set may change the input tensor. */
bool hard_set_has(enum hard_set s, const struct binding *b, size_t tensor);

/* Prints what tells references of hard inputs of a problem apart, "-zeros-" and a hash of the
 * domains that the problem's key does not have; "" for HARD_NONE. */
enum { HARD_KEY_SIZE = 40 };
void hard_set_print_key(enum hard_set s, const struct binding *b, char out[HARD_KEY_SIZE]);

/* Changes what the fill has made, `content` of the binding's size. */
void hard_set_make(enum hard_set s, const struct binding *b, size_t tensor, void *content);

#endif
