/* The coordinator's end of one worker: starting it, asking it, hearing from it, ending it.
 *
 * The caller owns the storage: a zeroed struct worker_link is one without a process; link_start(),
 * then link_kill() or link_bury(), after which it is one again. */
#ifndef ASCTUNE_RUN_WORKER_LINK_H
#define ASCTUNE_RUN_WORKER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/base/proc.h"
#include "tuner/model/result.h"
#include "tuner/model/roofline.h"
#include "tuner/run/protocol.h"

struct evaluator_finals;
struct evaluator_options;
struct rival;
struct rule;

enum { LINK_MAX_WORDS = 8192 };

struct worker_link {
	bool alive; /* has a process, which may have died without our having looked */
	struct proc proc;
	struct channel channel;
	bool asked;       /* has been sent its problem */
	bool ready;       /* and has it set up */
	char doing[160];  /* the workload's code that it runs to get ready, "": none */
	bool used;        /* has run a configuration */
	bool announced;   /* it has said whose launch comes next, and not yet what came of it */
	uint64_t at;      /* whose */
	bool mute;        /* has closed its stderr */
	struct buf words; /* what it has printed to stderr since words were last cleared: at most
			     the first LINK_MAX_WORDS bytes */
	uint64_t best;    /* that it races against: its number in struct crew */
	int64_t heard_ns; /* when it last said something, or was given the first thing to do */
};

/* Starts `PROGRAM worker` and has it open the device. */
enum asc_status link_start(struct worker_link *l, const struct evaluator_options *o,
			   struct asc_err *e);
void link_kill(struct worker_link *l); /* its words stay until link_start() or link_forget() */

/* Reads what it has printed, so that it never waits for us. */
void link_listen(struct worker_link *l);
void link_forget(struct worker_link *l);        /* its words */
int link_words_fd(const struct worker_link *l); /* readable when it prints; -1: it does not */

/* For one whose stream has ended: waits for the process and says in `text` how it ended. */
void link_bury(struct worker_link *l, char *text, size_t size);

/* `artifacts` as of struct preparation. */
enum asc_status link_ask_problem(struct worker_link *l, const struct evaluator_options *o,
				 char *const *artifacts, struct asc_err *e);

struct link_job { /* borrowed */
	uint64_t id;
	const char *implementation, *artifact;
	const struct config *config;
	const char *const *names;
	bool unraced;     /* as in struct evaluator_job */
	int64_t until_ns; /* as there */
};

/* Load, measure and drop in one message. `best` NULL: as in the request before, at first nobody. */
enum asc_status link_ask_job(struct worker_link *l, const struct link_job *job,
			     const struct rule *rule, const struct rival *best, struct asc_err *e);

/* Load all, measure them in rounds, drop all, in one message. */
enum asc_status link_ask_finals(struct worker_link *l, const struct link_job *jobs, size_t n,
				const struct rule *rule, const struct evaluator_finals *how,
				struct asc_err *e);

enum asc_status link_ask_peaks(struct worker_link *l, enum dtype type, struct asc_err *e);

enum link_event {
	LINK_NOTHING,
	LINK_READY,
	LINK_DOING,
	LINK_PHASE,
	LINK_ROUND,
	LINK_PEAKS,
	LINK_RESULT
};

struct link_message {
	enum link_event event;
	uint64_t id;          /* PHASE, RESULT */
	enum phase phase;     /* PHASE */
	int64_t done, most;   /* ROUND */
	struct peaks peaks;   /* PEAKS */
	struct result result; /* RESULT: owned by the taker */
};

/* Takes what has arrived, without waiting. ASC_IO when the stream has ended; ASC_CHILD with the
 * worker's own words when it cannot do what it was asked for. */
enum asc_status link_hear(struct worker_link *l, struct link_message *out, struct asc_err *e);

#endif
