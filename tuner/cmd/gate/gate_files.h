/* Workload files of both trees, in pairs: those of the paths, and those of the same paths in the
 * base, by their path; what is left by the workload's name, since files are renamed; else by their
 * text, since workloads are, too (workload_likeness.h). */
#ifndef ASCTUNE_CMD_GATE_GATE_FILES_H
#define ASCTUNE_CMD_GATE_GATE_FILES_H

#include "tuner/cmd/gate/gate.h"

struct file_pair {
	char *paths[GATE_TREES]; /* heap; NULL: that tree has none */
	char *real; /* the head's from the root of the machine, its folder without links; heap */
	struct workload *workloads[GATE_TREES]; /* the gate's; NULL: none, or it is no workload */
	struct asc_err fault; /* why the head's cannot be opened, which the base has */
	bool beside; /* in the base, beside a path that it lacks: it may have been renamed */
};

struct file_pairs {
	struct file_pair *list;
	size_t n, room;
};

/* Opens all files; `out` is zeroed, and the caller's, whatever came of it. One of the head that
 * cannot be opened fails the kernels that the base has in it, and the gate where the base has none;
 * one of the base is said, and is none. */
enum asc_status file_pairs_open(struct gate *g, const char *const *paths, size_t n,
				struct file_pairs *out, struct asc_err *e);
void file_pairs_fini(struct file_pairs *p);

/* True for what is wrong with one side of a kernel: a file that is missing or none, a formula. What
 * the machine lacks ends the gate. */
bool gate_is_own(enum asc_status status);

#endif
