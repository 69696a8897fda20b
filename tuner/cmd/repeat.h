/* Commands as text for a shell: what a person pastes to do something again. */
#ifndef ASCTUNE_CMD_REPEAT_H
#define ASCTUNE_CMD_REPEAT_H

struct buf;
struct run_options;

struct repeat_trial {     /* all borrowed */
	const char *file; /* the workload's */
	const char *problem, *implementation;
	const char *config; /* NAME=VALUE,... */
};

/* Appends one word, quoted where a shell would take it for something else; a blank goes before it
 * unless it is the first. */
void repeat_add_word(struct buf *out, const char *word);

/* Appends `asctune run FILE -p P --impl I --config K=V,...`, with those options of the run that
 * change how a trial ends. */
void repeat_add_trial(struct buf *out, const struct run_options *o, const struct repeat_trial *t);

#endif
