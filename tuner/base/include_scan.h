/* What a C or C++ text may include, by its directives alone: all branches of its conditions count,
 * and what a comment, a continued line or a digraph hides from a plain search is found. */
#ifndef ASCTUNE_BASE_INCLUDE_SCAN_H
#define ASCTUNE_BASE_INCLUDE_SCAN_H

struct buf;

/* The first letter of a word that include_scan() gives. */
enum include_word {
	INCLUDE_NAME = 'n',   /* a file's name, by #include, #import, #include_next, #embed or
				 __has_include */
	INCLUDE_BYTES = 'b',  /* one by .incbin: assemblers begin in the current folder */
	INCLUDE_MACRO = 'm',  /* the macro that an #include names its file by */
	INCLUDE_DEFINE = 'd', /* MACRO=VALUE, where the value may be a file's name or a macro */
	INCLUDE_OPAQUE = '?'  /* a file that the text does not name */
};

/* Appends words, each ended by NUL. */
void include_scan(const char *text, struct buf *words);

/* The word of `#define NAME VALUE` or -DNAME=VALUE; `rest` begins behind NAME's `n` bytes. Nothing
 * for a value that is neither a file's name nor a macro. */
void include_scan_define(const char *name, int n, const char *value, struct buf *words);

#endif
