/* Names of labels, and readings by name.
 * covers: profile.c */
#include "tuner/result/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

static void test_names(void)
{
	enum label l = LABEL_UNKNOWN;
	enum label_basis b = LABEL_BASIS_TIME;
	bool all = true;

	for (int i = 0; i < LABEL_COUNT; i++)
		all &= label_parse(label_name((enum label)i), &l) && l == (enum label)i &&
		       *label_meaning(l);
	tap_ok(all, "every label is found by its name and has a meaning");
	tap_ok(!label_parse("slow", &l) && !label_parse(NULL, &l), "others are none");
	all = true;
	for (int i = 0; i < LABEL_BASIS_COUNT; i++)
		all &= label_basis_parse(label_basis_name((enum label_basis)i), &b) &&
		       b == (enum label_basis)i;
	tap_ok(all && !label_basis_parse("code", &b), "so is what a label rests on");
}

static void test_readings(void)
{
	struct profile p = {0};

	p.readings = calloc(3, sizeof *p.readings);
	if (!tap_ok(p.readings, "memory"))
		return;
	p.n_readings = 3;
	strcpy(p.readings[0].name, "bytes");
	p.readings[0].call = 1;
	strcpy(p.readings[1].name, "bytes");
	p.readings[1].value = 3;
	strcpy(p.readings[2].name, "cycles");
	p.readings[2].reason = str_dup("not permitted");
	p.sentence = str_dup("s");
	p.failure = str_dup("f");
	tap_ok(profile_find(&p, "bytes") == &p.readings[1], "the reading of the whole launch");
	tap_real(profile_value(&p, "bytes"), 3, 0, "its value");
	tap_ok(isnan(profile_value(&p, "cycles")), "none where there is a reason");
	tap_ok(isnan(profile_value(&p, "warps")) && !profile_find(&p, "warps"), "nor elsewhere");
	profile_fini(&p);
	tap_ok(!p.readings && p.n_readings == 0 && !p.sentence, "the end leaves nothing");
}

int main(void)
{
	test_names();
	test_readings();
	return tap_done();
}
