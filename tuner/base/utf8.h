/* Characters of UTF-8 text, told from bytes that are none. */
#ifndef ASCTUNE_BASE_UTF8_H
#define ASCTUNE_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at s (n bytes are there), 1 to 4; 0 when there is none: an overlong form,
 * a surrogate, beyond U+10FFFF, cut short. */
size_t utf8_len(const char *s, size_t n);

#endif
