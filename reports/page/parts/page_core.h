/* The state of a page while it is written, and the memory that lives as long as the page.
 *
 * All three folders of the page share this state: page.c makes it; page_best.c, page_kernels.c and
 * others fill it in from the database; sections and views are written from it. */
#ifndef ASCTUNE_PARTS_PAGE_CORE_H
#define ASCTUNE_PARTS_PAGE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_groups.h"
#include "tuner/base/err.h"

struct buf;
struct db;
struct db_cover_cell;
struct page_best;
struct page_block;
struct page_figure;
struct page_finding;
struct page_kernel;
struct page_series;
struct plotter;
struct track_comparison;
struct track_history;
struct track_side;

struct page_request { /* borrowed during the call */
	struct db *db;
	const char *path;    /* path of the database */
	const char *file;    /* path of the page, for the command that makes it again */
	const char *version; /* version of asctune */
	const char *command; /* that makes a comparison again; NULL: `report` with its sides */
	const char *plotter; /* drawing program; NULL: gnuplot in PATH */
	/* Sides and result of a comparison, which the page is about then, and `db` is not asked;
	 * NULL: a page of the whole database. */
	const struct track_side *sides;
	const struct track_comparison *comparison;
};

/* State that the sections share. */
struct page {
	const struct page_request *request;
	const struct page_section *sections; /* in the order of reading; ended by a NULL id */
	struct buf *out;
	struct db *db;
	const struct track_history *history; /* NULL: no ended run measured anything */
	struct page_series *series;          /* places, one for each series of the history */
	const struct page_best *best;        /* best configurations of the database */
	size_t n_best;
	const struct db_cover_cell *cover; /* what was measured for covers */
	size_t n_cover;
	const struct page_kernel *kernels; /* what was tuned, in the order of the page */
	size_t n_kernels;
	struct track_groups groups;          /* of the history */
	const struct page_finding *findings; /* changes of the newest nights that have cards */
	size_t n_findings;
	const struct plotter *plotter; /* program that draws large pictures */
	bool tracks;                   /* a history is judged: a page of nights */
	bool several_devices;          /* several models were measured on */
	struct page_figure *figures;
	size_t n_figures, figures_room;
	struct page_block *blocks; /* memory of page_alloc() */
};

typedef enum asc_status page_write_fn(struct page *p, struct asc_err *e);

struct page_section {
	const char *id, *title; /* id of the <section>, and text of its <h2> and of its link */
	page_write_fn *write;
	bool (*is_empty)(const struct page *p); /* it is left out; NULL: never */
};

enum { PAGE_HEAT_STEPS = 12 }; /* classes of colours of heat maps: h0, the fastest, to h11 */

enum {
	PAGE_BYTES = 3000000,     /* bytes of the page beyond which pictures are left out */
	PAGE_BYTES_MOST = 5000000 /* bytes beyond which sections are left out */
};

/* Allocates zeroed memory that lives as long as the page, for the data of pictures; NULL when out
 * of memory, which page_write() then reports. */
void *page_alloc(struct page *p, size_t bytes);

/* Prints a text into memory of page_alloc(); "" when out of memory. */
const char *page_print(struct page *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees all memory of page_alloc(). */
void page_free(struct page *p);

/* Writes words for a shell, to be copied. */
void page_write_command(const struct buf *words, struct buf *out);

/* Prints "asctune COMMAND --db DATABASE" into memory of page_alloc(). */
const char *page_print_command(struct page *p, const char *command);

#endif
