/* Evidence of an exported table: where each of its rows comes from, in a file beside it, and which
 * of them are stale. */
#ifndef ASCTUNE_TABLES_EVIDENCE_H
#define ASCTUNE_TABLES_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/tables/readers/reader.h"
#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct buf;
struct dispatch;
struct export_request;
struct json_node;
struct sink;

#define EVIDENCE_ENDS   ".evidence.json"
#define EVIDENCE_FORMAT "asctune-evidence"

enum { EVIDENCE_VERSION = 1 };

struct evidence_pin { /* a row that holds the library's default, or a result that is unproved */
	const char *row, *reason;
	bool unproved;
};

struct evidence_table { /* a reader's table; borrowed */
	const char *reader;
	const char *triton;        /* version; NULL: not known */
	const struct buf *text;    /* the file as it was written */
	const struct buf *placed;  /* with rows of others, where it was merged with theirs */
	const struct buf *shipped; /* rows that the library takes without it, in the format of its
				      files: an imported file; empty: none is known */
	const struct evidence_pin *pins;
	size_t n_pins;
	bool unproved; /* sizes between the rows were not proved */
};

/* Adds NAME.evidence.json for the file NAME: of each rule the database, trial, interval, ties, the
 * library's default in the same rounds, device, tool chain and sources; and the rows that were left
 * out, with the reasons. Of a reader's table the rows that went into that file; NULL: it is none.
 */
enum asc_status evidence_add(const struct export_request *r, const char *exporter, const char *name,
			     const struct evidence_table *table, struct sink *to,
			     struct asc_err *e);

/* Appends a reader's file at `path` as asctune wrote it last, by the evidence beside it. Nothing
 * where there is none. */
enum asc_status evidence_read_table(const char *path, struct buf *out, struct asc_err *e);

struct evidence_library {               /* the package that has a kernel, as it is now; borrowed */
	const char *version;            /* NULL: not noted */
	const char *digest;             /* of the kernel's text; NULL: it cannot be cut out */
	const struct json_node *tables; /* {"NAME.json": TEXT, ...}, shipped in one folder */
};

struct evidence_gpu { /* that was measured on, of the machine's model and driver; borrowed */
	const char *fingerprint, *clock;
	const char *machine; /* its identity; NULL: not recorded */
};

struct evidence_machine {           /* the machine that the table is used on */
	const char *model, *driver; /* NULL: unknown */
	const char *unlike;         /* what is said of another GPU of that model */
	/* Finds the content key of a source file, as it is recorded with a result; ASC_ABSENT: that
	 * is not told by the file alone. */
	enum asc_status (*find_key)(const char *path, char key[HASH_TEXT_SIZE], struct asc_err *e);
	/* True for the machine's device, and for another one with its clocks, memory and other
	 * facts. NULL: no device is known. */
	bool (*is_alike)(const void *user, const struct evidence_gpu *gpu);
	/* Finds the version of the Triton that compiles here, and a kernel's package with its
	 * tables in a folder ("": none). ASC_NOTFOUND: neither can be told; ASC_INPUT: the package
	 * has no such kernel. */
	enum asc_status (*find_triton)(void *user, const char **version, struct asc_err *e);
	enum asc_status (*find_library)(void *user, const char *kernel, const char *tables,
					struct evidence_library *out, struct asc_err *e);
	/* Called with what the table is not compared with, such as its library, and why; NULL:
	 * nobody wants to know. */
	void (*pass_over)(void *user, const char *what, const char *reason);
	void *user;
	reader_ask_fn *ask; /* of readers that have to be asked */
	bool python;        /* the Python that is asked was named: it has to be there */
	bool package;       /* find_library looks in a package, which is not asked */
};

/* Called with each reason for which a row is stale, in words. */
typedef void evidence_stale_fn(void *user, const char *row, const char *reason);

/* Compares the evidence in the file at `path` with the best of each problem and implementation now,
 * with the machine's device, where it is of that model, and with the sources that are there; a
 * reader's table as reader_check_table() does. Counts the rows in *rows. */
enum asc_status evidence_check(const char *path, const struct dispatch *now,
			       const struct evidence_machine *here, evidence_stale_fn *stale,
			       void *user, size_t *rows, struct asc_err *e);

#endif
