/* Prints what a gate found, for people and as JSON lines. */
#ifndef ASCTUNE_CMD_GATE_GATE_TEXT_H
#define ASCTUNE_CMD_GATE_GATE_TEXT_H

#include <stdint.h>

#include "tuner/base/err.h"

struct gate;

/* Sorts the kernels for printing: the worst first, then as they were found. */
void gate_sort(struct gate *g);

/* Prints the base, and what is to be said of the checkout. */
void gate_print_base(const struct gate *g);

/* Says which file another gate is for. */
void gate_print_saved(const char *path);

/* Prints a line for each kernel that is not unchanged, the worst first, and the totals. `spent_ns`:
 * of the whole gate. With --watch, what the gate before has not said. */
void gate_print(const struct gate *g, int64_t spent_ns);

/* The same as JSON lines, of all kernels; the last one has the totals. */
enum asc_status gate_print_json(const struct gate *g, int64_t spent_ns, struct asc_err *e);

#endif
