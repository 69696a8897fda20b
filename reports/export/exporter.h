/* An exporter: writes best configurations in the form that one consumer reads. */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORTER_H
#define ASCTUNE_REPORTS_EXPORT_EXPORTER_H

#include "tuner/base/err.h"

struct db;

enum { EXPORTER_OPS_VERSION = 1 };

struct exporter_ops {
	int version;
	const char *name;
	const char *summary;
	/* Writes its files into `folder` (made when needed); *files counts them. */
	enum asc_status (*write)(struct db *d, const char *folder, int *files, struct asc_err *e);
};

extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

#endif
