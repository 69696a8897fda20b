/* Names from outside on their way into a picture. */
#ifndef ASCTUNE_PAGE_PLOT_PICTURE_TEXT_H
#define ASCTUNE_PAGE_PLOT_PICTURE_TEXT_H

#include <stddef.h>

struct buf;

enum { PICTURE_NAME_LENGTH = 60, PICTURE_TITLE_LENGTH = 120 };

/* Appends at most `length` characters (base/escape), in one line, the last one "…" where something
 * was cut. NULL: nothing. */
void picture_text_clean(struct buf *out, const char *text, size_t length);

/* Escapes text and attributes of XML: & < > " ' as entities. In one line, without cutting. */
void picture_text_escape(struct buf *out, const char *text);

/* Width of a text in pixels at 13 pixels' height, about; East Asian characters count as two. */
double picture_text_width(const char *text);

#endif
