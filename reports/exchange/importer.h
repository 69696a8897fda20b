/* Importers: each reads results that another program has measured, in the format of one file. */
#ifndef ASCTUNE_EXCHANGE_IMPORTER_H
#define ASCTUNE_EXCHANGE_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/exchange/formats/t4.h"
#include "tuner/base/err.h"

struct json_doc;

/* Content of a file, borrowed during the call. */
struct import_content {
	const char *path, *text;
	size_t len;
	struct json_doc *doc; /* the same as JSON; NULL: it is none */
};

struct importer_ops {
	const char *name;
	const char *summary;
	bool json;          /* its files are JSON */
	bool rows;          /* it reads results one at a time, and a document without them */
	bool untimed;       /* they have configurations, and no times */
	const char *ending; /* of their names, by which they are found in a folder, and known before
			       their content; NULL: the content alone says what they are */
	bool (*recognise)(const struct import_content *c);
	/* Reads the content; takes c->doc, whatever comes of it, and leaves NULL. ASC_INPUT, with
	 * the path, for what is none of its files. */
	enum asc_status (*open)(struct import_content *c, void **file, struct asc_err *e);
	size_t (*count)(const void *file); /* subjects whose results the file has; NULL: one */
	const struct t4_subject *(*subject)(const void *file, size_t i);
	enum asc_status (*each)(const void *file, size_t i, t4_visit_fn *visit, void *user,
				struct asc_err *e);
	void (*end_records)(
		void *file); /* frees what each() needs, behind the last; NULL: nothing */
	void (*close)(void *file);
};

/* Entries are defined in importer.c, those of libraries' tables in reader_import.c. The first one
 * reads files that none recognises: its messages say what was expected. */
extern const struct importer_ops vllm_importer, sglang_importer, fla_importer, triton_importer;
extern const struct importer_ops *const importer_list[];
const struct importer_ops *importer_find(const char *name);

/* Finds the importer of files with such a name; NULL: names of its files say nothing. */
const struct importer_ops *importer_find_named(const char *path);

/* Finds the importer of a content; the first of the list where none recognises it. */
const struct importer_ops *importer_choose(const struct import_content *c);

#endif
