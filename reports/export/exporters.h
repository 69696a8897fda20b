/* The exporters that there are, one for each file of this folder. */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORTERS_H
#define ASCTUNE_REPORTS_EXPORT_EXPORTERS_H

#include "reports/export/exporter.h"

extern const struct exporter_ops t1_exporter, t4_exporter, csv_exporter;

#endif
