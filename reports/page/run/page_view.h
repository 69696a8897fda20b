/* What the views of a kernel's newest run share: the run as it was read, and the list of views. A
 * run is read once (page_run.c); each view writes its part of it or, where the facts were not
 * recorded, notes that it has nothing to show. page_run_write() frees what it holds. */
#ifndef ASCTUNE_RUN_PAGE_VIEW_H
#define ASCTUNE_RUN_PAGE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "db/run_view.h"
#include "reports/page/parts/page_number.h"
#include "reports/results/run_effects.h"
#include "reports/results/run_finals.h"
#include "reports/results/run_table.h"
#include "tuner/base/buf.h"
#include "tuner/base/err.h"

struct html_table;
struct page;
struct page_kernel;
struct run_comparison;

enum { PAGE_RUN_TOP = 20, PAGE_RUN_TRIALS = 200000 };

struct page_run {
	struct page *p;
	const struct page_kernel *kernel;
	const struct db_run_view *row; /* its newest run */
	const char *id;                /* id of the kernel */
	struct run_table table;
	struct run_finals finals;  /* finals of the newest run */
	struct run_finals decided; /* finals that gave the answer, where those of an earlier run */
	struct run_place top[PAGE_RUN_TOP]; /* the best first */
	size_t n_top;
	size_t winner;              /* implementation of the best, as a number in the table */
	struct run_effects effects; /* effects of its parameters */
	struct buf missing;         /* views that have nothing to show, with the reasons */
};

/* Reads the newest run and the finals that gave the answer, which comes first in `top`. */
enum asc_status page_run_read(struct page_run *r, struct asc_err *e);

typedef enum asc_status page_run_fn(struct page_run *r, struct asc_err *e);

page_run_fn page_run_search, page_run_distribution, page_run_importance, page_run_heat,
	page_run_space, page_run_energy, page_run_spent, page_run_first, page_run_before;

/* The parts of the card: finalists beside the chosen one, the best time for each value of a
 * parameter, and what limits a launch. */
page_run_fn page_run_forest, page_run_slices, page_run_profile;

/* Writes the heading of a view. */
void page_run_heading(struct page_run *r, const char *title);

/* Notes that a view has nothing to show, and why. */
void page_run_lacks(struct page_run *r, const char *what);

/* Gets the finals that gave the answer. */
const struct run_finals *page_run_decided(const struct page_run *r);

/* Writes one of the first configurations: samples, noise, clocks, errors, the compiler's output. */
enum asc_status page_run_detail(struct page_run *r, size_t place, struct asc_err *e);

/* Finds a parameter of the implementation of the best. */
const struct run_parameter *page_run_parameter(const struct page_run *r, size_t number);

/* Writes the result of a comparison, with a picture under `id`. */
void page_comparison_write(struct page *p, const char *id, const struct run_comparison *c,
			   const char *before, const char *after);

/* Replaces a part that is damaged in the database by a note; other failures are returned. */
enum asc_status page_run_forgive(struct page *p, enum asc_status status, struct asc_err *e);

/* Writes a cell "11.9 [11.7, 12.2] µs". */
void page_cell_interval(struct html_table *t, double ns, double low_ns, double high_ns);

#endif
