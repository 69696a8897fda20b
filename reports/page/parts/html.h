/* Text from outside as HTML, escaped for the place where it stands.
 *
 * What is written is well-formed as XML, too (base/escape); carriage returns are left out. NULL
 * writes nothing. */
#ifndef ASCTUNE_PARTS_HTML_H
#define ASCTUNE_PARTS_HTML_H

#include <stddef.h>

struct buf;

void html_text(struct buf *out, const char *text); /* between tags */

/* writes JSON of base/json inside <script>: "<", ">" and "&" as \u003c and so on */
void html_json(struct buf *out, const char *json);

/* Writes a name, isolated from the text around it: of more than `most` characters the middle is
 * "…", as it is in a tooltip of more than 400. A line may end after a comma. */
void html_name(struct buf *out, const char *name, size_t most);

/* Writes text that a button copies: of more than 400 characters the middle is "…", and all of it is
 * in a tooltip, which is what the button copies. A line ends after a blank or a comma. */
void html_copy(struct buf *out, const char *text);

#endif
