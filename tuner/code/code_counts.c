#include "tuner/code/code_counts.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
	enum code_kind kind;
} classes[] = {
#define X(id, name, kind, meaning) {name, meaning, kind},
	CODE_CLASS_LIST(X)
#undef X
};

const char *code_class_name(enum code_class c)
{
	return classes[c].name;
}

const char *code_class_meaning(enum code_class c)
{
	return classes[c].meaning;
}

static void add_to_tally(struct code_tally *t, unsigned class)
{
	t->instructions++;
	t->by_class[class]++;
}

void code_counts_add(struct code_counts *c, const struct code_instruction *i)
{
	add_to_tally(&c->all, i->class);
	if (!i->loop)
		return;
	add_to_tally(&c->loop, i->class);
	/* Loops are numbered. */
	c->loops = i->loop > c->loops ? i->loop : c->loops;
}

/* Figures that are no count of a class. */
static const struct {
	const char *name;
	size_t offset;
	bool counted; /* among the instructions, which have to be known */
} figures[] = {
#define AT(member) offsetof(struct code_counts, member)
	{"code_registers", AT(registers), false},
	{"code_stack", AT(stack_bytes), false},
	{"code_shared_bytes", AT(shared_bytes), false},
	{CODE_BYTES, AT(bytes), false},
	{"code_spills", AT(spills), false},
	{"code_instructions", AT(all.instructions), true},
	{"code_loops", AT(loops), true},
	{"code_jumps", AT(jumps), true},
	{"loop_instructions", AT(loop.instructions), true},
	{"loop_spills", AT(loop_spills), true},
	{"loop_chained", AT(loop_chained), true},
	{"loop_memory", AT(loop_memory), true},
	{"loop_calls", AT(loop_calls), true},
	{"loop_rest", AT(loop_rest), true},
	{"loop_width_bits", AT(width_bits), true},
#undef AT
};

bool code_counts_next(const struct code_counts *c, size_t *at, struct code_figure *out)
{
	const size_t singles = sizeof figures / sizeof *figures;

	for (; *at < singles; (*at)++) {
		memcpy(&out->value, (const char *)c + figures[*at].offset, sizeof out->value);
		if (out->value < 0 || (figures[*at].counted && !c->known))
			continue;
		(void)snprintf(out->name, sizeof out->name, "%s", figures[(*at)++].name);
		return true;
	}
	for (; *at < singles + 2 * (size_t)CODE_CLASS_COUNT; (*at)++) {
		const size_t i = (*at - singles) / 2;
		const bool loop = (*at - singles) % 2;

		if (!c->known || !(classes[i].kind & c->kind))
			continue;
		(void)snprintf(out->name, sizeof out->name, "%s_%s", loop ? "loop" : "code",
			       classes[i].name);
		out->value = loop ? c->loop.by_class[i] : c->all.by_class[i];
		(*at)++;
		return true;
	}
	return false;
}
