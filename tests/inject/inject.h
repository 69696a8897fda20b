/* Failing calls: a library that is preloaded into asctune and its children (inject_calls.c) counts
 * their calls by kind of process and kind of call, and lets the n-th of one kind fail.
 *
 * Whoever starts the processes owns the file named by $INJECT_STATE, which holds the struct below;
 * every process maps it, so that counts are those of all processes of a kind together. */
#ifndef ASCTUNE_TESTS_INJECT_INJECT_H
#define ASCTUNE_TESTS_INJECT_INJECT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

/* name, what it is: `apart` is a forked process that asks a device, `other` a compiler or gnuplot
 */
#define INJECT_PROCESSES(X)                                                                        \
	X(COORDINATOR, "coordinator")                                                              \
	X(APART, "apart")                                                                          \
	X(WORKER, "worker")                                                                        \
	X(OTHER, "other")

/* name, its words, the error that it fails with, another one or 0 */
#define INJECT_CALLS(X)                                                                            \
	X(MALLOC, "malloc", ENOMEM, 0)                                                             \
	X(OPEN, "open", EMFILE, ENOSPC)                                                            \
	X(READ, "read", EIO, 0)                                                                    \
	X(WRITE, "write", ENOSPC, EIO)                                                             \
	X(CLOSE, "close", EIO, 0)                                                                  \
	X(STAT, "stat", EACCES, 0)                                                                 \
	X(RENAME, "rename", EACCES, ENOSPC)                                                        \
	X(UNLINK, "unlink", EIO, 0)                                                                \
	X(MKDIR, "mkdir", ENOSPC, 0)                                                               \
	X(SYNC, "fsync", EIO, 0)                                                                   \
	X(TRUNCATE, "ftruncate", EIO, ENOSPC)                                                      \
	X(CONTROL, "fcntl", EIO, 0)                                                                \
	X(MAP, "mmap", ENOMEM, 0)                                                                  \
	X(START, "fork", EAGAIN, ENOMEM)                                                           \
	X(THREAD, "thread", EAGAIN, 0)                                                             \
	X(PIPE, "pipe", EMFILE, 0)                                                                 \
	X(MESSAGE, "message", ENOBUFS, 0)                                                          \
	X(POLL, "poll", ENOMEM, 0)                                                                 \
	X(STEP, "step", EIO, 0)

enum inject_process {
#define X(code, name) INJECT_##code,
	INJECT_PROCESSES(X)
#undef X
		INJECT_PROCESS_COUNT
};

enum inject_call {
#define X(code, name, error, other) INJECT_##code,
	INJECT_CALLS(X)
#undef X
		INJECT_CALL_COUNT
};

struct inject_state {
	atomic_long count[INJECT_PROCESS_COUNT][INJECT_CALL_COUNT];
	atomic_long failed; /* calls that were made to fail */
	/* What is to fail: the n-th call, from 1; 0: none. With `ever`, all after it as well. */
	enum inject_process process;
	enum inject_call call;
	long n;
	bool ever;
	bool trace; /* the failing call's callers are printed to stderr */
	int error;  /* errno of the failure */
};

#endif
