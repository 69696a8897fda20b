/* Text from outside as HTML, escaped for the place where it stands.
 *
 * What is written is well-formed as XML, too (base/escape); carriage returns are left out. NULL
 * writes nothing. */
#ifndef ASCTUNE_PAGE_HTML_H
#define ASCTUNE_PAGE_HTML_H

#include <stddef.h>

struct buf;

void html_text(struct buf *out, const char *text); /* between tags */

/* Writes words of the page's own, those between backticks as code. */
void html_words(struct buf *out, const char *words);

/* writes JSON of base/json inside <script>: "<", ">" and "&" as \u003c and so on */
void html_json(struct buf *out, const char *json);

/* Writes a name, isolated from the text around it: of more than `most` characters the first ones
 * and "…", and in a tooltip the first 400. A line may end after a comma. */
void html_name(struct buf *out, const char *name, size_t most);

#endif
