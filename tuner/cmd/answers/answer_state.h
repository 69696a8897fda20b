/* State of an answer: whether its run ended, and whether its kernel broke or became slower since,
 * with the commands that go on. */
#ifndef ASCTUNE_CMD_ANSWERS_ANSWER_STATE_H
#define ASCTUNE_CMD_ANSWERS_ANSWER_STATE_H

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

struct db;
struct best_row;
struct json_writer;
struct repeat_ending;
struct repeat_run;
struct track_kernel;

struct answer_state {
	const char *db;                /* as given with --db; NULL: not given */
	struct track_history *history; /* NULL: nothing was measured to the end */
	struct buf commands;           /* a line each */
};

/* Reads the histories; fini in any case. */
enum asc_status answer_state_init(struct answer_state *s, struct db *d, const char *db,
				  struct asc_err *e);
void answer_state_fini(struct answer_state *s);

/* Appends "not finished: 7 of 12 trials, no finals" and notes the command that goes on, or the one
 * that has more time where that ran out; nothing for a run that ended in order. */
void answer_state_add_ending(struct answer_state *s, const struct repeat_ending *ending,
			     const struct repeat_run *run, struct buf *out);

/* Appends the verdict on a kernel since: "broken: no configuration of rows passed on 2026-11-22
 * (run 368)", "slower (probably the machine): rows +12.0 % since 2026-11-19 (run 344)"; nothing
 * where none fails. */
void answer_state_add_since(const struct answer_state *s, const struct track_kernel *kernel,
			    struct buf *out);

/* Appends both, for a best configuration. */
void answer_state_add_best(struct answer_state *s, const struct best_row *b, struct buf *out);

/* Writes the member "since", the same verdict for programs; null where none fails, and for a kernel
 * NULL. */
void answer_state_write_since(const struct answer_state *s, const struct track_kernel *kernel,
			      struct json_writer *w);

/* Writes that of a best configuration, and the member "run", how its run ended: outcome null is
 * that of a run that was killed or goes on. */
void answer_state_write_best(const struct answer_state *s, const struct best_row *b,
			     struct json_writer *w);

/* Prints the commands, each broken as a shell reads it. */
enum asc_status answer_state_print_commands(struct answer_state *s, struct asc_err *e);

#endif
