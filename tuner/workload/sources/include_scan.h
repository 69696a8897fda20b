/* Files that a text may include, by the text alone. Of C and C++ its directives are read: all
 * branches of its conditions count, and a directive behind a comment, a continued line or a digraph
 * is found too. */
#ifndef ASCTUNE_WORKLOAD_SOURCES_INCLUDE_SCAN_H
#define ASCTUNE_WORKLOAD_SOURCES_INCLUDE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/buf.h"

struct buf;

/* The first letter of a word that include_scan() gives. */
enum include_word {
	INCLUDE_NAME = 'n',   /* a file's name, by #include, #import, #include_next, #embed or
				 __has_include */
	INCLUDE_CLIMB = 'u',  /* such a name between < and > with a folder ".." in it */
	INCLUDE_BYTES = 'b',  /* a file's name, by .incbin or .include: assemblers begin in the
				 current folder */
	INCLUDE_MACRO = 'm',  /* the macro that an #include names its file by */
	INCLUDE_DEFINE = 'd', /* MACRO=VALUE, where the value may be a file's name or a macro */
	INCLUDE_IMPORT = 'p', /* a file that Python may import, looked for beside the text alone */
	INCLUDE_OPAQUE = '?'  /* a file that the text does not name */
};

/* True for a path with a folder "..". */
bool include_climbs(const char *name, size_t n);

/* Appends words, each ended by NUL. A text with NUL, or with a carriage return that is no part of a
 * line's end, is INCLUDE_OPAQUE: compilers differ in what it means. */
void include_scan(const char *text, size_t n, struct buf *words);

/* Appends INCLUDE_IMPORT words of the imports of a Python text, those within functions among them:
 * of `from ..rows import walk` "../rows/__init__.py", "../rows.py", "../rows/walk/__init__.py" and
 * "../rows/walk.py", whichever there are; of `import rows` those beside the text. A list of names
 * counts up to its line's end. */
void import_scan(const char *text, struct buf *words);

/* The word of `#define NAME VALUE` or -DNAME=VALUE; `rest` begins behind NAME's `n` bytes. Nothing
 * for a value that is neither a file's name nor a macro. */
void include_scan_define(const char *name, int n, const char *value, struct buf *words);

/* Files that a compiler's flags and environment make it read, as lists of strings, each ended by
 * NUL. The caller owns the storage: zeroed, source_places_fini(). */
struct source_places {
	struct buf folders; /* folders of headers, in addition to the source's own */
	struct buf words;   /* as include_scan() gives them: macros, headers included first */
	struct buf files;   /* files that a flag names: @FILE, a library, a script */
};

/* Adds the places of `flags` (NULL-terminated, or NULL). A word that names a folder counts as a
 * folder of headers whatever flag it belongs to: more in a key than needed does no harm. */
void source_places_add(struct source_places *p, const char *const *flags);

/* Adds the places of $CC after the program, $CPATH and $C_INCLUDE_PATH. */
void source_places_add_environment(struct source_places *p);
void source_places_fini(struct source_places *p);

#endif
