/* The coordinator's end of one worker: start, requests, messages, end.
 *
 * The caller owns the storage: a zeroed struct worker_link is one without a process; link_start(),
 * then link_kill() or link_reap(), after which it is one again. */
#ifndef ASCTUNE_TUNE_EVALUATE_WORKER_LINK_H
#define ASCTUNE_TUNE_EVALUATE_WORKER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/process/channel.h"
#include "tuner/process/proc.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/tune/evaluate/evaluator.h"

struct evaluator_problem;
struct evaluator_target;
struct incumbent;
struct prerequisites;
struct trial;

/* Bytes of a worker's stderr that are kept: the first ones, and the last ones, in which a crash is
 * explained. */
enum { LINK_FIRST_STDERR = 7168, LINK_LAST_STDERR = 1024, LINK_WORDS = 1000 };

struct worker_link {
	bool alive; /* has a process, which may have died unnoticed */
	struct proc proc;
	struct channel channel;
	char *folder;       /* the worker's own; removed with it */
	char *places;       /* of functions that the user's Python, which it is, has imported
			       (python_worker.h); NULL: it is no Python */
	dev_t cache_device; /* the folder that the cache was at the start */
	ino_t cache_file;
	size_t grants;    /* of the sandbox at the start */
	bool open;        /* the device is open */
	bool asked;       /* the problem was sent */
	bool ready;       /* the problem is set up */
	bool peaks_asked; /* peaks were asked for, and have not come */
	char doing[160];  /* what it does that is no launch: code of the workload, or other
			     inputs; "": nothing */
	bool used;        /* has run a configuration */
	const struct implementation *called; /* the last Python function that it ran; NULL: none */
	bool called_several;                 /* there were others */
	bool announced;     /* a launch was announced, and its result has not come */
	uint64_t at;        /* the trial of that launch */
	struct buf printed; /* stderr since it was last cleared; a line "..." stands for the middle
			       of what is long */
	uint64_t best;      /* number in struct workers of the incumbent that was sent last */
	bool keeps;         /* keeps an incumbent loaded (worker/incumbent_check): */
	uint64_t kept;      /* the trial that it is of, and its score */
	double kept_score;
	int64_t heard_ns; /* time of the last message, or of the first request */
	int64_t clock_ns; /* the worker's clock in its last message; before one the time of its
			     start */
	/* That clock may run slow. It is right where a message says the time at which it is read,
	 * and wrong where it answers with a time from before it was asked; between the two, where
	 * messages are late, it is in doubt. */
	int64_t sure_ns;   /* time at which it was right last */
	int64_t begun_ns;  /* time of the first message about what the worker is at */
	bool doubted;      /* the last message with a time does not show it */
	uint64_t doubt_at; /* the trial that the worker was at when doubt began */
	int64_t asked_ns;  /* time at which the worker was asked for it; 0: not, or answered */
	struct link_message *held; /* the result that waits for that; heap, or NULL */
};

/* Starts `PROGRAM worker`, or where there are `places` the user's Python, and has it begin to open
 * the device, or where the caller awaits that, say when it is open. Takes the folder (heap, or
 * NULL: none), which is the worker's own and goes with it. */
enum asc_status link_start(struct worker_link *l, const struct evaluator_target *t,
			   const char *places, char *folder, bool awaits, struct asc_err *e);
/* Ends the connection, after which the worker closes its device and ends by itself. */
void link_hang_up(struct worker_link *l);
void link_kill(struct worker_link *l); /* `printed` stays until link_start() */

/* True when the worker's sandbox lacks a folder: the cache was removed and made again since the
 * start, or a later workload names more. */
bool link_is_shut_out(const struct worker_link *l, const struct evaluator_target *t);

/* Reads what was printed, so that the worker never waits for a reader. */
void link_read_stderr(struct worker_link *l);
void link_clear_stderr(struct worker_link *l);
/* Prints ": " and the last line that the worker has printed on stderr, perhaps an assertion's
 * message; where that line is about a denial, what sandbox_explain() adds to it. Prints "" where
 * the worker has printed nothing. `size` is LINK_WORDS. Returns `text`. */
const char *link_print_last_line(const struct worker_link *l, char *text, size_t size);
int link_stderr_fd(const struct worker_link *l); /* -1: closed */

/* Waits for the process after the end of its stream, and writes to `text` how it ended. Returns its
 * status as waitpid() gives it, -1 for one that has closed its connection and lives. */
int link_reap(struct worker_link *l, char *text, size_t size);

/* Requests; each is sent without waiting for its answer. */

/* The device and the probes: the first request, sent by link_start(). */
enum asc_status link_ask_open(struct worker_link *l, const struct evaluator_target *t, bool awaits,
			      struct asc_err *e);

/* Another problem and its policy. */
enum asc_status link_ask_problem(struct worker_link *l, const struct evaluator_problem *p,
				 const struct prerequisites *built, struct asc_err *e);

/* The best configuration so far, which others race against from now on. */
enum asc_status link_ask_incumbent(struct worker_link *l, const struct incumbent *best,
				   struct asc_err *e);

/* Load, measure and drop in one message: one trial, or all of rounds. */
enum asc_status link_ask_trials(struct worker_link *l, struct trial *const *list, size_t n,
				struct asc_err *e);

enum link_event {
	LINK_NOTHING,
	LINK_READY,
	LINK_DOING,
	LINK_NOTE,
	LINK_PHASE,
	LINK_FINALS,
	LINK_PEAKS,
	LINK_CLOCK,  /* not handed out */
	LINK_FAILED, /* an error, ASC_CHILD or ASC_INPUT */
	LINK_RESULT
};

struct link_message {
	enum link_event event;
	uint64_t id;                   /* PHASE, RESULT */
	enum phase phase;              /* PHASE */
	int64_t step;                  /* PHASE: as in struct measurement */
	int64_t sets;                  /* READY: of inputs; 0: not of a problem */
	struct finals_progress finals; /* FINALS */
	struct peaks peaks;            /* PEAKS */
	char note[160];                /* NOTE of a Python, about a call; "": it was printed */
	struct result result;          /* RESULT: owned by the taker */
};

/* Takes one message, without waiting; a result once the worker's clock is known to have been right,
 * of which it is asked where that is in doubt. ASC_IO when the stream has ended; ASC_CHILD with the
 * worker's reason when it cannot do what it was asked for, ASC_INPUT when that is the workload's
 * fault or that of a file which it reads; ASC_PROTOCOL for a message that no worker sends, or not
 * now: once a kernel has run in the process, it may be the kernel's. */
enum asc_status link_receive(struct worker_link *l, struct link_message *out, struct asc_err *e);

/* Peaks like those of device_ops.peaks, from a worker that has nothing else to do. ASC_CHILD with
 * the worker's reason when the device cannot measure them, ASC_IO when the worker is gone,
 * ASC_TIMEOUT when it takes too long, at `until_ns` of clock_now_ns() at the latest (0: no limit).
 */
enum asc_status link_find_peaks(struct worker_link *l, enum dtype type, struct peaks *out,
				int64_t until_ns, struct asc_err *e);

#endif
