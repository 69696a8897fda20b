/* What failures of a run have in common: each case is a table of configurations.
 * covers: tally.c setting.c */
#include "tuner/tune/tally.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

struct one {
	const char *config;
	enum result_status status;
};

static void add(struct tally *t, const char *implementation, const char *config,
		enum result_status status, double max_abs)
{
	const struct result r = {.status = status,
				 .errors = {.known = status == RESULT_WRONG,
					    .max_abs = max_abs,
					    .mean_abs = max_abs / 2,
					    .bad = 1000}};

	tally_add(t, implementation, config, &r);
}

static void expect(const char *want, const char *name, size_t n, const struct one *list)
{
	struct setting common[TALLY_MAX_SETTINGS];
	struct tally t = {0};
	char text[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		add(&t, "i", list[i].config, list[i].status, 1);
	const size_t found = tally_find_common(&t, "i", RESULT_CRASHED, common);
	for (size_t i = 0; i < found; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s=%.*s",
					 i ? " " : "", (int)common[i].name_len, common[i].name,
					 (int)common[i].value_len, common[i].value);
	tap_str(text, want, "%s", name);
	tally_fini(&t);
}

#define EXPECT(want, name, ...)                                                                    \
	expect(want, name, sizeof((struct one[]){__VA_ARGS__}) / sizeof(struct one),               \
	       (struct one[]){__VA_ARGS__})

static const enum result_status OK = RESULT_OK, SLOW = RESULT_SLOW, DIED = RESULT_CRASHED,
				WRONG = RESULT_WRONG;

static void test_common(void)
{
	EXPECT("TILE=256", "one value fails", {"TILE=16,U=1", OK}, {"TILE=256,U=1", DIED},
	       {"TILE=256,U=4", DIED}, {"TILE=64,U=4", SLOW});
	EXPECT("TILE=512 U=4", "two values fail together", {"TILE=512,U=1,V=1", OK},
	       {"TILE=16,U=4,V=1", OK}, {"TILE=512,U=4,V=1", DIED}, {"TILE=512,U=4,V=2", DIED});
	EXPECT("TILE=256", "what nothing that passed has is enough", {"A=1,TILE=16,Z=2", OK},
	       {"A=2,TILE=32,Z=1", OK}, {"A=1,TILE=256,Z=1", DIED}, {"A=1,TILE=256,Z=1,B=1", DIED});
	EXPECT("", "one failure shares with nobody", {"TILE=16", OK}, {"TILE=256", DIED});
	EXPECT("", "nothing passed", {"TILE=256,U=1", DIED}, {"TILE=256,U=4", DIED});
	EXPECT("", "what they share has passed", {"TILE=256,U=1", OK}, {"TILE=256,U=2", DIED},
	       {"TILE=256,U=4", DIED});
	EXPECT("", "they share nothing", {"A=1,B=1", OK}, {"A=2,B=3", DIED}, {"A=3,B=2", DIED});
	EXPECT("TILE=256", "another failure is neither", {"TILE=16,U=1", OK},
	       {"TILE=256,U=1", DIED}, {"TILE=256,U=4", DIED}, {"TILE=256,U=2", WRONG});
	EXPECT("", "a kernel without parameters", {"", OK}, {"", DIED}, {"", DIED});
}

static void test_change(void)
{
	const struct result died = {.status = RESULT_CRASHED};
	struct setting common[TALLY_MAX_SETTINGS];
	struct tally t = {0};
	size_t ended;

	add(&t, "i", "T=1", RESULT_OK, 0);
	add(&t, "i", "T=2,U=1", RESULT_CRASHED, 0);
	add(&t, "i", "T=2,U=2", RESULT_OK, 0);
	add(&t, "k", "T=2,U=2", RESULT_OK, 0);
	tap_int(tally_find_common(&t, "i", RESULT_CRASHED, common), 0, "one has crashed");
	tally_change(&t, "i", "T=2,U=2", &died);
	tap_int(tally_find_common(&t, "i", RESULT_CRASHED, common), 1, "another one, later");
	tap_int(tally_count(&t, "i", RESULT_CRASHED, &ended), 3, "of three configurations");
	tap_int(ended, 2, "two");
	tally_change(&t, "k", "T=3", &died);
	tap_int(tally_count(&t, "k", RESULT_CRASHED, &ended), 2, "one of an earlier run is added");
	tally_fini(&t);
}

static void test_alike(void)
{
	struct tally t = {0};

	add(&t, "i", "T=1", RESULT_WRONG, 4.0);
	tap_int(tally_count_alike(&t), 0, "one is like itself");
	add(&t, "i", "T=2", RESULT_WRONG, 4.03);
	add(&t, "k", "", RESULT_WRONG, 3.97);
	add(&t, "i", "T=3", RESULT_CRASHED, 0);
	tap_int(tally_count_alike(&t), 3, "three are wrong alike");
	add(&t, "i", "T=4", RESULT_WRONG, 4.2);
	tap_int(tally_count_alike(&t), 0, "another one is wrong by more");
	tally_fini(&t);
	add(&t, "i", "T=1", RESULT_WRONG, 4);
	add(&t, "i", "T=2", RESULT_WRONG, 4);
	add(&t, "i", "T=3", RESULT_SLOW, 0);
	tap_int(tally_count_alike(&t), 0, "one has passed");
	tally_fini(&t);
	const struct result unwritten = {.status = RESULT_WRONG,
					 .errors = {.known = true, .bad = 16, .not_finite = 16}};
	tally_add(&t, "i", "T=1", &unwritten);
	tally_add(&t, "i", "T=2", &unwritten);
	tap_int(tally_count_alike(&t), 0, "elements were never written");
	tally_fini(&t);
	const struct result stray = {.status = RESULT_WRONG}; /* a stray write: nothing compared */
	tally_add(&t, "i", "T=1", &stray);
	tally_add(&t, "i", "T=2", &stray);
	tap_int(tally_count_alike(&t), 0, "nothing was compared");
	tally_fini(&t);
}

int main(void)
{
	test_common();
	test_change();
	test_alike();
	return tap_done();
}
