/* The list of all exporters, those of tables and those of other formats. */
#ifndef ASCTUNE_EXCHANGE_EXPORTER_LIST_H
#define ASCTUNE_EXCHANGE_EXPORTER_LIST_H

#include "reports/tables/exporter.h"

extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

#endif
