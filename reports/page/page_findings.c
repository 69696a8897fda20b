#include "reports/page/page_findings.h"

#include "reports/page/page.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_series.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"

static const struct page_kernel *find_kernel(const struct page *p, const struct track_series *s)
{
	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct track_kernel kernel = page_series_kernel(&p->kernels[i].run);

		if (track_kernel_has(&kernel, s))
			return &p->kernels[i];
	}
	return NULL;
}

static const struct page_series *find_place(const struct page *p, const struct track_series *s)
{
	const struct page_series *place = p->series;

	while (place->series != s)
		place++;
	return place;
}

enum asc_status page_findings_read(struct page *p, struct asc_err *e)
{
	const size_t n = p->history ? p->history->n : 0;
	struct page_finding *list = page_alloc(p, (n + 1) * sizeof *list);
	bool *fresh = page_alloc(p, (n + 1) * sizeof *fresh);

	if (!list || !fresh)
		return asc_err_nomem(e);
	p->findings = list;
	if (n == 0)
		return ASC_OK;
	if (track_groups_find(p->history, &p->groups, e) ||
	    track_night_find_fresh(p->history, p->db, &track_rule_default, fresh, e))
		return e->status;
	for (size_t i = 0; i < p->groups.n; i++) {
		const struct track_entry *x = &p->groups.list[i];

		if (!x->told || x->series->tracked)
			continue;
		list[p->n_findings++] =
			(struct page_finding){.entry = x,
					      .place = find_place(p, x->series),
					      .kernel = find_kernel(p, x->series),
					      .fresh = fresh[x->series - p->history->list]};
	}
	return ASC_OK;
}

size_t page_findings_size(const struct page *p, size_t first)
{
	return track_groups_size(&p->groups, (size_t)(p->findings[first].entry - p->groups.list));
}

size_t page_findings_count_fresh(const struct page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_findings; i++)
		n += p->findings[i].fresh;
	return n;
}
