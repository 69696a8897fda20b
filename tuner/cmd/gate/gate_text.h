/* Prints what a gate found, for people and as JSON lines. */
#ifndef ASCTUNE_CMD_GATE_GATE_TEXT_H
#define ASCTUNE_CMD_GATE_GATE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/gate/gate.h"

struct buf;

/* Prints the base, and what is to be said of the checkout. */
void gate_print_base(const struct gate *g);

/* Says which file another gate is for. */
void gate_print_saved(const char *path);

/* Prints a line for each kernel that is not unchanged, the worst first, and the totals. `spent_ns`:
 * of the whole gate. With --watch, what the gate before has not said. */
void gate_print(const struct gate *g, int64_t spent_ns);

/* The same as JSON lines, of all kernels; the last one has the totals. */
enum asc_status gate_print_json(const struct gate *g, int64_t spent_ns, struct asc_err *e);

/* ---- what all outputs say ---- */

size_t gate_count(const struct gate *g, enum gate_verdict v); /* kernels of that verdict */

/* Write plain text without a newline: the base and what is to be said of the checkout; what the
 * base has and was not read, if anything; "1 broken, 2 slower (1 accepted), 87 unchanged", or why
 * there is no kernel; "4 built, 3 measured, 8.1 s"; who else used the machine, where kernels are
 * undecided. */
void gate_write_base(const struct gate *g, struct buf *out);
void gate_write_left(const struct gate *g, struct buf *out);
void gate_write_counts(const struct gate *g, struct buf *out);
void gate_write_spent(const struct gate *g, int64_t spent_ns, struct buf *out);
void gate_write_others(const struct gate *g, struct buf *out);

/* The same of a kernel: "axpy/p0 loop"; "+6.2 % (5.9 to 6.5)" where there is a ratio, and "+6.2 %;
 * -3.1 % with BLOCK=128" where a search has found that; a reason, why it is accepted and a note, if
 * any; both of these. */
void gate_write_name(const struct gate_kernel *k, struct buf *out);
void gate_write_change(const struct gate_kernel *k, struct buf *out);
void gate_write_why(const struct gate_kernel *k, struct buf *out);
void gate_write_rest(const struct gate_kernel *k, struct buf *out);

#endif
