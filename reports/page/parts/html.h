/* Text from outside as HTML, escaped for the place where it stands.
 *
 * What is written is well-formed as XML, too (base/escape); carriage returns are left out. NULL
 * writes nothing. */
#ifndef ASCTUNE_PARTS_HTML_H
#define ASCTUNE_PARTS_HTML_H

#include <stddef.h>

struct buf;

void html_text(struct buf *out, const char *text); /* between tags */

void html_attribute(struct buf *out, const char *text); /* between double quotes */

/* writes JSON of base/json inside <script>: "<", ">" and "&" as \u003c and so on */
void html_json(struct buf *out, const char *json);

/* Writes a name, isolated from the text around it. A name of more than `most` characters is cut in
 * the middle, and stands in a tooltip, itself cut at 400. A line may end after a comma. */
void html_name(struct buf *out, const char *name, size_t most);

/* Writes text that a button copies. Text of more than 400 characters is cut in the middle, and
 * stands whole in a tooltip, which the button copies. A line ends after a blank or a comma. */
void html_copy(struct buf *out, const char *text);

#endif
