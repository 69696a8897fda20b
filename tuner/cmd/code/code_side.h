/* The machine code that `asctune code` is asked about: of the kernels of a configuration, or of a
 * file.
 *
 * The caller owns a struct code_side, zeroed: code_side_open_file() or code_side_build(), then
 * code_side_fini(). */
#ifndef ASCTUNE_CMD_CODE_CODE_SIDE_H
#define ASCTUNE_CMD_CODE_CODE_SIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"

struct buf;
struct cubin;
struct problem;
struct run_session;
struct workload;

struct code_kernel {  /* texts on the heap */
	char *path;   /* of the file with its code; NULL: there is none */
	char *entry;  /* name in the file; NULL: all that the source of a shared object made */
	char *name;   /* for messages: the entry, else the file's, on one line */
	char *source; /* path of its source; NULL: not known */
	struct asc_err why; /* why nothing is counted; status ASC_OK: counted */
	struct code_counts counts;
};

struct code_side {
	char *name; /* heap: "gemm/square-1024 simt BLOCK_M=64", or the file's path */
	struct code_kernel *kernels;
	size_t n, room;
	bool rebuilt; /* the recorded artifact is gone: this is another build */
	char *reason; /* heap: why it does not build; NULL: it does */
};

/* Finds the kernels of a cubin, or the code of a shared object. */
enum asc_status code_side_open_file(const char *path, struct code_side *out, struct asc_err *e);

/* A configuration of a workload; all borrowed. */
struct code_build {
	struct run_session *on;
	const struct workload *workload;
	const struct problem *problem;
	const char *implementation; /* NULL: the only one */
	const char *config;         /* NAME=VALUE,..., others have their default; NULL: all have */
	const char *recorded;       /* content key of the artifact of a trial, or NULL */
	unsigned rewrites_off;
	const volatile sig_atomic_t *stop;
};

/* Builds the configuration, as `asctune build` does, or takes the recorded artifact. */
enum asc_status code_side_build(const struct code_build *b, struct code_side *out,
				struct asc_err *e);
void code_side_fini(struct code_side *s);

/* Opens the kernel's file, whose bytes the caller frees whatever comes of it. ASC_ABSENT: it is no
 * cubin, so it has no `what`. */
enum asc_status code_kernel_open_cubin(const struct code_kernel *k, const char *what,
				       struct buf *bytes, struct cubin *out, struct asc_err *e);

#endif
