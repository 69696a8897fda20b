/* The machine code that `asctune code` is asked about: of the kernels of a configuration, or of a
 * file.
 *
 * The caller owns a struct code_side, zeroed: code_side_open_file(), code_side_build() or
 * code_side_take(), then code_side_fini(). */
#ifndef ASCTUNE_CMD_CODE_CODE_SIDE_H
#define ASCTUNE_CMD_CODE_CODE_SIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"
#include "tuner/code/run_digest.h"

struct buf;
struct build_event;
struct cubin;
struct problem;
struct run_session;
struct workload;

struct code_kernel {  /* texts on the heap */
	char *path;   /* of the file with its code; NULL: there is none */
	char *entry;  /* name in the file; NULL: all that the source of a shared object made */
	char *name;   /* for messages: the entry, else the file's, on one line */
	char *source; /* path of its source; NULL: not known */
	char runs[RUN_DIGEST_SIZE]; /* digest of what runs of the file; "": not known */
	int64_t dynamic_bytes;      /* of shared memory, which its launch asks for; 0 of a file */
	struct asc_err why;         /* why nothing is counted; status ASC_OK: counted */
	struct code_counts counts;  /* its bytes even where nothing else is */
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

/* Takes the kernels of a configuration that was built, uncounted, with its name; or the reason why
 * it was not. */
enum asc_status code_side_take(struct code_side *out, const struct build_event *event,
			       struct asc_err *e);
/* Counts the code of kernels that were taken. */
enum asc_status code_side_count(struct code_side *s, struct asc_err *e);

void code_side_fini(struct code_side *s);

/* Opens the kernel's file, whose bytes the caller frees whatever comes of it. ASC_ABSENT: it is no
 * cubin, so it has no `what`. */
enum asc_status code_kernel_open_cubin(const struct code_kernel *k, const char *what,
				       struct buf *bytes, struct cubin *out, struct asc_err *e);

#endif
