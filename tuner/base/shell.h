/* Text that a person pastes into a shell: words that mean themselves. */
#ifndef ASCTUNE_BASE_SHELL_H
#define ASCTUNE_BASE_SHELL_H

struct buf;

/* Appends one word, in single quotes where a shell would take it for something else. */
void shell_add_word(struct buf *out, const char *word);

#endif
