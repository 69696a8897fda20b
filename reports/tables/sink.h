/* The place for an exporter's files: a folder into which a set of them is put at once, or one text.
 *
 * The caller owns the storage: `struct sink s = {.folder = ...}` or `{.text = ...}`, sink_add() for
 * each file, sink_place(), then sink_fini(). Until sink_place() no file stands under its own name;
 * if that fails, or is not called, the folder is left as it was. If the process is killed, the next
 * export into the folder ends its set: puts it in place if it was complete, else removes it. Other
 * processes that export into the folder wait from the first sink_add() to sink_fini(), if its file
 * system has locks. */
#ifndef ASCTUNE_TABLES_SINK_H
#define ASCTUNE_TABLES_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tuner/base/err.h"

struct buf;

enum sink_existing {             /* an existing file that asctune did not write */
		     SINK_KEEP,  /* is a failure */
		     SINK_MERGE, /* is merged with the new one, where its kind can be; so is one
				    that asctune wrote, to which somebody may have added */
		     SINK_REPLACE
};

/* A kind of file. */
struct sink_kind {
	const char *begins; /* first bytes of every file of this kind that asctune writes */
	/* True for a file at `path` that asctune wrote, of a format that has no room for such
	 * bytes; NULL: `begins` tells. */
	bool (*is_own)(const void *user, const char *path, const struct buf *there);
	bool aside; /* it goes with another file: a text has no place for it */
	/* Appends to `out` what is there, `path` with its content, with `own` entries in place of
	 * asctune's earlier ones; NULL: files of this kind cannot be merged. */
	enum asc_status (*merge)(const void *user, const char *path, const struct buf *there,
				 const struct buf *own, struct buf *out, struct asc_err *e);
	const void *user; /* what the two functions get */
};

struct sink {
	const char *folder; /* made when needed */
	struct buf *text;   /* destination of a single file's text instead; or NULL */
	enum sink_existing existing;

	FILE *begun; /* beginning of a long text, in a file without a name; NULL: all is in `text`
		      */
	size_t n;    /* files, without those of kinds that are `aside` */
	struct sink_file *list;
	size_t n_list, room;
	char **folders; /* that were made for names with a '/'; the outer ones first */
	size_t n_folders, folders_room;
	struct sink_stage *stage; /* NULL: nothing was added */
	bool made;                /* the folder is new, and nothing is in place yet */
};

/* Adds a file; a name that was added before is a failure, and so is a second file where a text is
 * the place. A '/' in the name stands for folders within the sink's own, made when needed. */
enum asc_status sink_add(struct sink *s, const struct sink_kind *kind, const char *name,
			 const struct buf *text, struct asc_err *e);

/* Adds more to the file that was added last, and empties `text`: files of all trials are longer
 * than what is to be held. Not for kinds that can be merged, or are `aside`. */
enum asc_status sink_append(struct sink *s, struct buf *text, struct asc_err *e);

/* Texts from this length on are worth an append. */
enum { SINK_PART_BYTES = 1 << 20 };

/* Prints the text, with all that was appended, where that is the place. */
enum asc_status sink_print(struct sink *s, FILE *to, struct asc_err *e);

/* Gives all files their names, or none. */
enum asc_status sink_place(struct sink *s, struct asc_err *e);
void sink_fini(struct sink *s);

/* Name of the file in the folder that was added as number `i` of `n_list`; borrowed. */
const char *sink_get_name(const struct sink *s, size_t i);

/* Appends the content of the file that was added last, as it will be in place: merged with what is
 * there. Nothing where a text is the place. */
enum asc_status sink_read_last(const struct sink *s, struct buf *out, struct asc_err *e);

/* Adds one more part to a file's name: letters, digits, '.', '_' and '-' as they are, anything else
 * as '_'; cut where it is long, so different texts may give the same. NULL adds nothing. */
void sink_add_name(struct buf *name, const char *part);

#endif
