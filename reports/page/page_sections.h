/* The sections of the page, in the order of reading; each is written by a file of its own. */
#ifndef ASCTUNE_PAGE_PAGE_SECTIONS_H
#define ASCTUNE_PAGE_PAGE_SECTIONS_H

#include "reports/page/page.h"

page_write_fn page_write_verdict, page_write_changes, page_write_history, page_write_parameters,
	page_write_runs, page_write_method;

#endif
