/* The samples of the chosen configuration beside those of the next one, in the rounds of the finals
 * that gave the answer. */
#include <stdlib.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/plot/sample_bars.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

enum { NAME = 40 };

static void write_key(const struct sample_set sets[2], const char *other, struct buf *out)
{
	buf_print(out,
		  "<p class=\"mut\">Samples, one a round: <span class=\"good\">▲ chosen</span> "
		  "(%zu), "
		  "<span class=\"s1\">▼ ",
		  sets[0].n);
	html_name(out, other, NAME);
	buf_print(out, "</span> (%zu)</p>", sets[1].n);
}

static void write_ends(const struct sample_range *r, struct buf *out)
{
	char text[NUMBER_TEXT_SIZE];

	buf_print(out, "<p class=\"ends\"><span>%s</span>", number_print_time(r->low, text));
	if (r->beyond)
		buf_print(out, "<span>%zu beyond, up to %s</span>", r->beyond,
			  number_print_time(r->most, text));
	buf_print(out, "<span>%s</span></p>\n", number_print_time(r->high, text));
}

static void write_samples(struct page *p, struct sample_set sets[2], const char *other)
{
	struct sample_range r;
	char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];

	if (!sample_bars_find(sets, &r))
		return;
	buf_add_str(p->out, "<div class=\"spread\">");
	write_key(sets, other, p->out);
	sample_bars_print(sets, &r,
			  page_print(p, "Samples of the chosen one and of %.60s from %s to %s",
				     other, number_print_time(r.low, low),
				     number_print_time(r.high, high)),
			  p->out);
	write_ends(&r, p->out);
	buf_add_str(p->out, "</div>\n");
}

enum asc_status page_run_samples(struct page_run *r, const struct db_run_final *const pair[2],
				 const char *other, struct asc_err *e)
{
	/* The finals that gave the answer, whose rounds both were in. */
	const int64_t run = r->decided.n ? r->kernel->best->final_run_id : r->row->range.run_id;
	struct sample_set sets[2] = {{0}};
	enum asc_status status = ASC_OK;

	for (int k = 0; k < 2 && status == ASC_OK; k++)
		status = db_get_final_samples(r->p->db, run, pair[k]->implementation,
					      pair[k]->config_key, &sets[k].list, &sets[k].n, e);
	if (status == ASC_OK)
		write_samples(r->p, sets, other);
	free(sets[0].list);
	free(sets[1].list);
	return status;
}
