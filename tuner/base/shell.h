/* Text that a person pastes into a shell: words that mean themselves. */
#ifndef ASCTUNE_BASE_SHELL_H
#define ASCTUNE_BASE_SHELL_H

struct buf;

/* Appends one word, in single quotes where a shell would take it for something else. */
void shell_add_word(struct buf *out, const char *word);

/* Appends a word of a command; a blank goes before it unless it is the first. */
void shell_add_argument(struct buf *out, const char *word);

/* The word that starts this program, in quotes where a shell needs them: "asctune" until it is set,
 * as the program was started then. NULL, "" and what is longer than a path set nothing. */
const char *shell_program(void);
void shell_set_program(const char *word);

/* Appends that word, as shell_add_argument() does. */
void shell_add_program(struct buf *out);

/* Appends an option and its value; nothing where that is NULL. */
void shell_add_option(struct buf *out, const char *name, const char *value);

#endif
