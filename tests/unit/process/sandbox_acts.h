/* Acts that a child of t-sandbox tries, by their names. */
#ifndef ASCTUNE_TESTS_UNIT_BASE_SANDBOX_ACTS_H
#define ASCTUNE_TESTS_UNIT_BASE_SANDBOX_ACTS_H

/* Tries an act; what `argument` is (a path, seconds, nothing) depends on the act. Returns 0 when it
 * could, 1 when it could not, 2 when there is no such act. */
int sandbox_act(const char *name, const char *argument);

#endif
