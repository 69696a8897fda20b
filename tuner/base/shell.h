/* Text that a person pastes into a shell: words that mean themselves. */
#ifndef ASCTUNE_BASE_SHELL_H
#define ASCTUNE_BASE_SHELL_H

struct buf;

/* Appends one word, in single quotes where a shell would take it for something else. */
void shell_add_word(struct buf *out, const char *word);

/* Appends a word of a command; a blank goes before it unless it is the first. */
void shell_add_argument(struct buf *out, const char *word);

/* Appends an option and its value; nothing where that is NULL. */
void shell_add_option(struct buf *out, const char *name, const char *value);

#endif
