/* The newest nights and the kernels as a heat table: bad nights are columns, bad kernels rows. */
#ifndef ASCTUNE_PAGE_PAGE_NIGHTS_H
#define ASCTUNE_PAGE_PAGE_NIGHTS_H

struct page;

/* Writes the table; nothing where there are too few nights or kernels for one. */
void page_nights_write(struct page *p);

#endif
