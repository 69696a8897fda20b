#include "tuner/model/facts.h"

#include <string.h>

static const struct {
	const char *name, *meaning;
} facts_table[] = {
#define X(id, name, meaning) {name, meaning},
	FACTS_LIST(X)
#undef X
};

void facts_set(struct facts *f, enum fact id, int64_t value)
{
	if (value < 1)
		return;
	f->known[id] = true;
	f->value[id] = value;
}

bool facts_find(const char *name, enum fact *id)
{
	for (int i = 0; i < FACT_COUNT; i++) {
		if (strcmp(name, facts_table[i].name) == 0) {
			*id = (enum fact)i;
			return true;
		}
	}
	return false;
}

const char *facts_name(enum fact id)
{
	return facts_table[id].name;
}

const char *facts_meaning(enum fact id)
{
	return facts_table[id].meaning;
}
