/* Changes of the machine code of kernels, behind their verdicts: figures, opcodes and
 * instructions of the base and the head, as `asctune code --against` finds them. */
#ifndef ASCTUNE_CMD_GATE_GATE_CODE_H
#define ASCTUNE_CMD_GATE_GATE_CODE_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct code_against;
struct gate;
struct gate_kernel;
struct json_writer;

struct gate_code {                 /* of one kernel; zeroed: nothing is told */
	struct code_against *list; /* kernels of the head's launch, in its order, then those that
				      the base's alone has; one that a launch lacks has one side;
				      heap */
	size_t n;
	const struct gate_kernel *as; /* another kernel whose code changed likewise; NULL: none */
};

/* Finds it for all kernels that were built on both sides, differ and were measured, in the order of
 * the list, for 20 s at most. For people those that are `same` are left out, and all behind the
 * first five. Fails only when out of memory. */
enum asc_status gate_code_find(struct gate *g, struct asc_err *e);

/* Appends lines of at most `columns`, each ended: what differs in figures, the opcodes whose counts
 * differ most, the first instructions that only one side has. Nothing where nothing is told. */
void gate_code_print(const struct gate_kernel *k, size_t columns, struct buf *out);

/* Finds a kernel of which gate_code_print() leaves lines out; NULL: there is none. */
const struct code_against *gate_code_find_cut(const struct gate_kernel *k);

/* Appends why lines, or all of it, are missing of some kernels: once for all; nothing where nothing
 * is. */
void gate_code_print_missing(const struct gate *g, struct buf *out);

/* Writes the member `code` of an open object, if something is told. */
void gate_code_write(const struct gate_kernel *k, struct json_writer *w);

void gate_code_fini(struct gate_code *c);

#endif
