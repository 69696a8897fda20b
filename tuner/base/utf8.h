/* Characters of UTF-8 text, told from bytes that are none. */
#ifndef ASCTUNE_BASE_UTF8_H
#define ASCTUNE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at s (n bytes are there), 1 to 4; 0 when there is none: an overlong form,
 * a surrogate, beyond U+10FFFF, cut short. */
size_t utf8_len(const char *s, size_t n);

/* May the character at s, of n bytes as utf8_len() has them, stand in a text for people and in XML
 * 1.0? Controls may not, nor marks, embeddings and isolates of direction, separators of lines and
 * paragraphs, what is no character. */
bool utf8_is_text(const char *s, size_t n);

/* Characters of a text; a byte that is none counts as one. */
size_t utf8_count(const char *text);

#endif
