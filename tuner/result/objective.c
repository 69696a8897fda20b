#include "tuner/result/objective.h"

#include <math.h>

#include "tuner/base/names.h"

static const char *const names[] = {OBJECTIVE_LIST(NAME_OF)};

const char *objective_name(enum objective o)
{
	return names[o];
}

bool objective_parse(const char *name, enum objective *out)
{
	size_t value;

	if (!name_find(names, OBJECTIVE_COUNT, name, &value))
		return false;
	*out = (enum objective)value;
	return true;
}

/* Part by which an energy of one span alone may be wrong: spans of one kernel lie within it
 * (tests/bench/profile_energy). */
static const double ONE_SPAN = 0.03;

/* The figure with its interval; of one without, the value less and more a part of it. */
static struct objective_figure complete(struct objective_figure f, double part)
{
	if (isnan(f.low) || isnan(f.high)) {
		f.low = (1 - part) * f.value;
		f.high = (1 + part) * f.value;
	}
	return f;
}

struct objective_figure objective_of(enum objective o, const struct objective_cost *c)
{
	const struct objective_figure ns = complete(c->ns, 0), j = complete(c->joules, ONE_SPAN);

	if (o != OBJECTIVE_EDP)
		return o == OBJECTIVE_TIME ? ns : j;
	return (struct objective_figure){ns.value * 1e-9 * j.value, ns.low * 1e-9 * j.low,
					 ns.high * 1e-9 * j.high};
}

size_t objective_choose(enum objective o, const struct objective_cost *list, size_t n, size_t *ties)
{
	size_t least = 0, chosen = 0;

	for (size_t i = 1; i < n; i++)
		if (objective_of(o, &list[i]).value < objective_of(o, &list[least]).value)
			least = i;
	/* Of what may be equal in one respect, the other decides. */
	const double reach = objective_of(o, &list[least]).high;

	*ties = 0;
	for (size_t i = 0; i < n; i++) {
		if (objective_of(o, &list[i]).low > reach)
			continue;
		if (*ties == 0 || list[i].ns.value < list[chosen].ns.value)
			chosen = i;
		++*ties;
	}
	return chosen;
}
