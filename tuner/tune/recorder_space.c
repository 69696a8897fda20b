#include <stdbool.h>
#include <stdlib.h>

#include "db/db.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/space/space.h"

struct space_counts {
	struct db_space_count *list;
	char **texts; /* two of each */
	size_t n, room;
};

static void counts_fini(struct space_counts *c)
{
	for (size_t i = 0; c->texts && i < 2 * c->n; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->list);
}

/* False when out of memory. */
static bool counts_grow(struct space_counts *c)
{
	size_t room = c->room; /* the same for both */

	return array_room(&c->list, c->n, &room, sizeof *c->list) &&
	       array_room(&c->texts, c->n, &c->room, 2 * sizeof *c->texts);
}

static enum asc_status counts_add(struct space_counts *c, const char *kind, const char *origin,
				  const char *text, double configurations, struct asc_err *e)
{
	if (!counts_grow(c))
		return asc_err_nomem(e);
	char **copies = &c->texts[2 * c->n];

	copies[0] = origin ? str_dup(origin) : NULL;
	copies[1] = text ? str_dup(text) : NULL;
	c->list[c->n++] = (struct db_space_count){kind, copies[0], copies[1], configurations};
	return (origin && !copies[0]) || (text && !copies[1]) ? asc_err_nomem(e) : ASC_OK;
}

static enum asc_status add_removal(void *user, const char *origin, const char *text, double removed,
				   struct asc_err *e)
{
	return counts_add(user, "condition", origin, text, removed, e);
}

static enum asc_status count_space(struct space_counts *c, const struct space *s, struct asc_err *e)
{
	if (counts_add(c, "all", NULL, NULL, space_cartesian(s), e))
		return e->status;
	if (space_each_removal(s, add_removal, c, e))
		return e->status;
	return counts_add(c, "valid", NULL, NULL, (double)space_count(s), e);
}

enum asc_status recorder_add_spaces(struct recorder *j, const struct impl_searches *searches,
				    struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < searches->n; i++) {
		const struct db_implementation own = impl_search_identity(&searches->list[i]);
		struct space_counts c = {0};

		status = count_space(&c, searches->list[i].space, e);
		if (status == ASC_OK)
			status = db_add_space(j->db, j->run_id, &own, c.list, c.n, e);
		counts_fini(&c);
	}
	return status;
}
