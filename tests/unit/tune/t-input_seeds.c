/* Seeds of sets of inputs: the secret that they come of, and what becomes of a bad one.
 * covers: input_seeds.c */
#include "tuner/tune/input_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/worker/inputs.h"
#include "tuner/workload/binding/binding.h"

static char cache[256], secret[300];
static struct asc_err e;

static void test_parse(void)
{
	static const char *const bad[] = {"",
					  ",",
					  "1",
					  "0",
					  "-2",
					  "2,",
					  ",2",
					  "2,2",
					  "2, 3",
					  "2;3",
					  "4711x",
					  "0x10",
					  "9007199254740992",
					  "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
					  "99999999999999999999999"};
	struct input_seeds s;

	tap_ok(input_seeds_parse("4711,9007199254740991", &s) && s.n_given == 2 &&
		       s.given[0] == 4711 && s.given[1] == UINT64_C(9007199254740991),
	       "two seeds");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!input_seeds_parse(bad[i], &s), "not \"%s\"", bad[i]);
}

static size_t find(const struct input_seeds *s, const char *key, size_t n_sets, uint64_t *seeds)
{
	const struct problem problem = {.n_sets = n_sets};
	struct binding b = {.problem = &problem};

	memset(seeds, 0, WORKLOAD_MAX_SETS * sizeof *seeds);
	(void)snprintf(b.key, sizeof b.key, "%s", key);
	return input_seeds_find(s, &b, seeds);
}

static void test_find(void)
{
	static const char key[] = "8840912eaa9541d444e5b568de7dc8f6";
	struct input_seeds s = {.has_secret = true}, other = {.has_secret = true};
	uint64_t a[WORKLOAD_MAX_SETS], b[WORKLOAD_MAX_SETS];

	for (int i = 0; i < INPUT_SEEDS_SECRET; i++)
		s.secret[i] = (unsigned char)i;
	tap_int(find(NULL, key, 0, a), 1, "no secret: the first set");
	tap_int(a[0], 1, "whose seed is 1");
	tap_int(find(&s, key, 0, a), 3, "a secret makes two more");
	tap_int(a[0], 1, "behind the first");
	/* The first 13 digits of md5(bytes 0 to 31, the key, 0, the set), by Python's hashlib. */
	tap_int(a[1], INT64_C(2590697079452376), "of the digest");
	tap_int(a[2], INT64_C(508029491351531), "of that with another number");
	(void)find(&other, key, 0, b);
	tap_ok(b[1] != a[1] && b[2] != a[2], "another secret");
	(void)find(&s, "another problem", 0, b);
	tap_ok(b[1] != a[1] && b[2] != a[2], "another problem");
	tap_int(find(&s, key, 5, a), 5, "sets in files are those that there are");
	tap_ok(a[0] == 1 && a[1] == 1 && a[4] == 1, "and their seed is the first");
	tap_ok(input_seeds_parse("7,9,8", &other) && find(&other, key, 0, a) == 4, "given ones");
	tap_ok(a[0] == 1 && a[1] == 7 && a[2] == 9 && a[3] == 8, "are as they were given");
}

static void write_file(const void *data, size_t n)
{
	(void)unlink(secret);
	tap_ok(file_replace(secret, data, n, &e) == ASC_OK, "a file of %zu bytes", n);
}

static char said[1024]; /* the last note */

static void hear(void *user, enum log_level level, const char *text)
{
	(void)user;
	(void)level;
	(void)snprintf(said, sizeof said, "%s", text);
}

static void open_noted(struct input_seeds *s)
{
	*said = '\0';
	tap_int(input_seeds_open(cache, s, &e), ASC_OK, "opens");
}

static bool same(const struct input_seeds *a, const struct input_seeds *b)
{
	return memcmp(a->secret, b->secret, sizeof a->secret) == 0;
}

static void test_secret(void)
{
	static const unsigned char zeros[INPUT_SEEDS_SECRET + 1];
	struct input_seeds first, again, other;
	char path[400];
	struct stat st;

	open_noted(&first);
	tap_str(said, "", "the first one is made without a word");
	tap_ok(first.has_secret && memcmp(first.secret, zeros, INPUT_SEEDS_SECRET) != 0, "drawn");
	tap_ok(stat(secret, &st) == 0 && (st.st_mode & 07777) == 0600 &&
		       st.st_size == INPUT_SEEDS_SECRET,
	       "for the user alone");
	open_noted(&again);
	tap_ok(same(&first, &again) && !*said, "and read from then on");

	(void)unlink(secret);
	open_noted(&other);
	tap_ok(!same(&first, &other) && !*said, "as good as the first where nothing came of it");
	(void)snprintf(path, sizeof path,
		       "%s/reference/8840912eaa9541d444e5b568de7dc8f6-"
		       "15bc31227018b8f3d367e51371abe043.3.f64",
		       cache);
	char *folder = path_folder(path);
	tap_ok(dir_make(folder, &e) == ASC_OK && file_write(path, "", 0, &e) == ASC_OK,
	       "a reference of inputs of its own");
	free(folder);
	(void)unlink(secret);
	open_noted(&other);
	tap_ok(!same(&first, &other), "lost: another");
	tap_has(said, "t-input_seeds", "says which file");
	tap_has(said, "is gone: made anew", "and that it is another");

	write_file(zeros, INPUT_SEEDS_SECRET - 1);
	open_noted(&other);
	tap_has(said, "has 31 bytes, not 32: made anew", "too short");
	tap_ok(memcmp(other.secret, zeros, 31) != 0, "and not used");
	open_noted(&again);
	tap_ok(same(&other, &again) && !*said, "the other one stays");
	write_file(zeros, INPUT_SEEDS_SECRET + 1);
	open_noted(&other);
	tap_has(said, "made anew", "too long");

	(void)unlink(secret);
	tap_ok(symlink("/dev/zero", secret) == 0, "a link to a device");
	open_noted(&other);
	tap_has(said, "made anew", "is no secret");
	tap_ok(lstat(secret, &st) == 0 && S_ISREG(st.st_mode), "but replaced");

	(void)unlink(secret);
	tap_ok(symlink("/no/such/secret", secret) == 0, "a link that leads nowhere");
	open_noted(&other);
	tap_has(said, "is a link to nothing: made anew", "is none either");
	open_noted(&again);
	tap_ok(same(&other, &again) && !*said, "its place has one now");

	(void)unlink(secret);
	tap_ok(mkdir(secret, 0700) == 0, "a folder in its place");
	open_noted(&other);
	tap_has(said, "further inputs have seeds of this run alone", "none is kept");
	tap_ok(other.has_secret, "but there is one");
	(void)rmdir(secret);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(cache, sizeof cache, "%.200s/t-input_seeds-XXXXXX",
		       tmp && *tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(cache) != NULL, "a folder"))
		return tap_done();
	(void)snprintf(secret, sizeof secret, "%s.secret", cache);
	test_parse();
	test_find();
	log_set_sink(hear, NULL);
	test_secret();
	dir_remove(cache);
	(void)unlink(secret);
	return tap_done();
}
