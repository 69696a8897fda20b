/* Names from outside on their way into a picture. */
#ifndef ASCTUNE_PLOT_PICTURE_TEXT_H
#define ASCTUNE_PLOT_PICTURE_TEXT_H

#include <stddef.h>

struct buf;

enum { PICTURE_NAME_LENGTH = 60 };

/* Appends at most `length` characters, the last one "…" where something was cut. Control characters
 * become spaces, what is no UTF-8 or no character of XML becomes U+FFFD. NULL: nothing. */
void picture_text_clean(struct buf *out, const char *text, size_t length);

/* For text and attributes of XML: & < > " ' as entities. Cleans, without cutting. */
void picture_text_escape(struct buf *out, const char *text);

/* Characters, and how wide they are about at 13 pixels, East Asian ones counting as two. */
size_t picture_text_length(const char *text);
double picture_text_width(const char *text);

#endif
