#include "tuner/workload/limits/facts.h"

#include "tuner/base/names.h"

static const char *const fact_names[] = {FACTS_LIST(NAME_OF_THREE)};

void facts_set(struct facts *f, enum fact id, int64_t value)
{
	/* Runtimes answer 0 or -1 for what they do not know, and no fact can be that. */
	if (value < 1)
		return;
	f->known[id] = true;
	f->value[id] = value;
}

bool facts_find(const char *name, enum fact *id)
{
	size_t value;

	if (!name_find(fact_names, sizeof fact_names / sizeof *fact_names, name, &value))
		return false;
	*id = (enum fact)value;
	return true;
}

const char *facts_name(enum fact id)
{
	return fact_names[id];
}
