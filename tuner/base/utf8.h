/* Characters of UTF-8 text, and bytes that are not part of one. */
#ifndef ASCTUNE_BASE_UTF8_H
#define ASCTUNE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the character at s (n bytes are available), 1 to 4; 0 when there is none: an overlong
 * form, a surrogate, beyond U+10FFFF, cut short. */
size_t utf8_len(const char *s, size_t n);

/* True when the character at s, of n bytes by utf8_len(), may stand in a text for people and in
 * XML 1.0. Controls may not, nor marks, embeddings and isolates of direction, separators of lines
 * and paragraphs, nor noncharacters. */
bool utf8_is_text(const char *s, size_t n);

/* Number of characters of a text; a byte outside of any counts as one. */
size_t utf8_count(const char *text);

/* Length of the longest beginning of at most `max` bytes that does not end inside a character of a
 * text of n bytes. */
size_t utf8_cut(const char *text, size_t n, size_t max);

#endif
