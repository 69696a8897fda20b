/* Child processes: started in a process group of their own, killed and reaped as a group, ended
 * with this process and with what they left behind, never through a shell. */
#ifndef ASCTUNE_PROCESS_PROC_H
#define ASCTUNE_PROCESS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/err.h"

struct buf;
struct pollfd;
struct sandbox;

struct proc {
	pid_t pid;   /* 0: not running, or reaped */
	int output;  /* read end of stdout and stderr when captured, else -1; does not block; closed
			by proc_collect at the end of the stream, and by proc_reap */
	int channel; /* our end of the socket pair given to the child as descriptor 3, else -1;
			closed by proc_reap */
	int input;   /* write end of the child's stdin when fed, else -1; closed by proc_reap, or
			before that by proc_feed */
	int end;     /* readable once the child has ended; -1 where the kernel has no descriptors of
			processes; closed by proc_reap */
	int status;  /* as waitpid gives it; valid once pid is 0 */
};

struct proc_options {
	const char *const *argv;      /* argv[0] is looked up in PATH; NULL-terminated */
	const char *folder;           /* working folder, or NULL */
	const char *const *variables; /* "NAME=VALUE", in place of those inherited;
					 NULL-terminated, or NULL */
	bool capture; /* stdout and stderr into `output`; else both go where `quiet` says */
	bool quiet;   /* stdout to /dev/null (stderr is inherited) */
	bool mute;    /* stderr to /dev/null, also where stdout is captured */
	bool channel; /* give the child a socket pair as descriptor 3 */
	bool feed;    /* stdin comes from proc_feed */
	bool alone;   /* `variables` are the whole environment: nothing is inherited */
	const struct sandbox *sandbox; /* or NULL: the child does as it likes */
};

/* stdin is /dev/null unless it is fed; no other descriptor is inherited. ASC_NOTFOUND when argv[0]
 * is not in PATH, ASC_ABSENT when it is no program for this machine, ASC_LIMIT when the system
 * cannot start a process. */
enum asc_status proc_start(struct proc *p, const struct proc_options *o, struct asc_err *e);

/* Writes all of the child's stdin: at most PIPE_BUF bytes, so that this never waits. A child that
 * no longer reads is no failure here: its end says what became of it. */
void proc_feed(struct proc *p, const char *text);

/* Appends what the child has written by now, dropping what would make `out` longer than
 * `max_bytes`. Some other process may keep the stream open after the child has ended: then collect
 * once more, and reap. */
void proc_collect(struct proc *p, size_t max_bytes, struct buf *out);

/* Adds the descriptors that are readable when there is something to collect or to receive, or when
 * the child has ended, to `n` others, as far as there is room for `max`; returns their number. */
enum { PROC_POLLFDS = 3 };
size_t proc_add_pollfds(const struct proc *p, struct pollfd *fds, size_t n, size_t max);

/* True when the child has ended: leftovers of its group are killed; it still is to be reaped. */
bool proc_ended(const struct proc *p);

/* Waits for the child's end, `limit_ns` at most; as proc_ended(). */
bool proc_await_end(struct proc *p, int64_t limit_ns);

/* True when the child has ended; then it is reaped, its descriptors are closed and leftovers of its
 * group are killed. */
bool proc_reap(struct proc *p);

/* SIGKILL to the whole group, without a wait: processes that are to end together end beside each
 * other, each then by proc_kill(). Harmless on a process that is not running. */
void proc_signal_end(struct proc *p);

/* SIGKILL to the whole group, then reap (waits). Harmless on a process that is not running. */
void proc_kill(struct proc *p);

/* Runs to the end within `limit_ns`, in a sandbox or NULL, collecting at most `max_output` bytes of
 * stdout and stderr (the rest is read and dropped). ASC_TIMEOUT when the limit passed (the group is
 * killed). *status as waitpid gives it. */
enum asc_status proc_run(const char *const *argv, const struct sandbox *sandbox, int64_t limit_ns,
			 size_t max_output, struct buf *output, int *status, struct asc_err *e);

/* Runs a child of options, which captures, to the end as proc_run() does; `input` is all of its
 * stdin, as for proc_feed(), where it is fed. */
enum asc_status proc_run_options(const struct proc_options *o, const char *input, int64_t limit_ns,
				 size_t max_output, struct buf *output, int *status,
				 struct asc_err *e);

/* "exited with status 1", "was killed by SIGSEGV (Segmentation fault)" */
const char *proc_print_status(int status, char *text, size_t size);

/* Absolute path of a program in PATH, or of a path with a slash; heap string or NULL, with errno
 * ENOMEM where memory is short. */
char *proc_find(const char *name);

#endif
