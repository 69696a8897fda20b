/* Room for references: the least recently used go first, those in use stay, and so do files of a
 * process that was killed, until it is their turn. Sizes are those of sparse files.
 * covers: reference_room.c */
#include "tuner/tune/evaluate/reference_room.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/binding.h"

#define MB INT64_C(1000000)

static char cache[300];
static struct workload workload;
static struct problem problem;
static struct binding binding = {.workload = &workload, .problem = &problem};

static struct reference_key key_of(uint64_t seed)
{
	return (struct reference_key){.binding = &binding, .seed = seed};
}

/* Makes the reference of a seed, of `bytes`, used so many seconds after another time. */
static void put(uint64_t seed, int64_t bytes, int seconds)
{
	const struct reference_key k = key_of(seed);
	char *path = reference_path(cache, &k);
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const struct timespec times[2] = {{1000 + seconds, 0}, {1000 + seconds, 0}};

	if (fd < 0 || ftruncate(fd, bytes) != 0 || futimens(fd, times) != 0)
		abort();
	close(fd);
	free(path);
}

/* The seeds from 1 to 6 whose references are there, as digits. */
static const char *there(void)
{
	static char digits[8];
	size_t n = 0;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		const struct reference_key k = key_of(seed);
		char *path = reference_path(cache, &k);

		if (file_exists(path))
			digits[n++] = (char)('0' + seed);
		free(path);
	}
	digits[n] = '\0';
	return digits;
}

static void fill(void)
{
	for (int seed = 1; seed <= 5; seed++)
		put((uint64_t)seed, 10 * MB, seed);
}

static void test_bound(void)
{
	struct asc_err e;
	int64_t most = 0;
	size_t n;

	unsetenv(REFERENCE_ROOM_VARIABLE);
	tap_int(reference_room_read(&most, &e), ASC_OK, "without the variable");
	tap_int(most, 10000 * MB, "10 GB");
	setenv(REFERENCE_ROOM_VARIABLE, "", 1);
	tap_ok(!reference_room_read(&most, &e) && most == 10000 * MB, "an empty one is none");
	setenv(REFERENCE_ROOM_VARIABLE, "25", 1);
	tap_ok(!reference_room_read(&most, &e) && most == 25 * MB, "25 MB");
	static const char *const bad[] = {"0", "-1", "1G", "10 ", "1.5", "1000000001"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		setenv(REFERENCE_ROOM_VARIABLE, bad[i], 1);
		tap_int(reference_room_read(&most, &e), ASC_USAGE, "\"%s\" is refused", bad[i]);
	}
	tap_has(e.text, "expected megabytes from 1 to 1000000000, not \"1000000001\"",
		"with the value");
	tap_int(reference_room_make("/nonexistent", 25 * MB, 0), 25 * MB, "no cache: all of it");
	fill();
	reference_room_count(cache, &n, &most);
	tap_ok(n == 5 && most == 50 * MB, "five are counted");
}

static void test_order(void)
{
	fill();
	tap_int(reference_room_make(cache, 50 * MB, 0), 0, "as many as may be: no room");
	tap_str(there(), "12345", "and none goes");
	tap_int(reference_room_make(cache, 45 * MB, 0), 5 * MB, "one too many");
	tap_str(there(), "2345", "the oldest goes");
	put(2, 10 * MB, 9);
	tap_int(reference_room_make(cache, 45 * MB, 20 * MB), 25 * MB, "room for two more");
	tap_str(there(), "25", "the two that were used least recently go");
	fill();
	tap_int(reference_room_make(cache, 45 * MB, 45 * MB), 45 * MB, "room for all that may be");
	tap_str(there(), "", "no other stays");
}

static void test_use(void)
{
	struct reference_holds h = {0};
	const struct reference_key first = key_of(1), none = key_of(6);

	fill();
	reference_room_hold(&h, cache, &first);
	reference_room_hold(&h, cache, &none);
	tap_int((int64_t)h.n, 1, "one that is there is held");
	tap_int(reference_room_make(cache, 5 * MB, 0), 0, "less than what is in use");
	tap_str(there(), "1", "that stays");
	reference_room_release(&h);
	(void)reference_room_make(cache, 5 * MB, 0);
	tap_str(there(), "", "and goes when it is let go");
	fill();
	reference_room_hold(&h, cache, &first);
	reference_room_release(&h);
	(void)reference_room_make(cache, 15 * MB, 0);
	tap_str(there(), "1", "of those in use by none, the one that was used last stays");
}

/* A disk that is smaller than what is needed, under a bound that is none. */
static void test_disk(void)
{
	static const int64_t beyond = INT64_C(1) << 60;
	struct reference_holds h = {0};
	const struct reference_key third = key_of(3);

	fill();
	tap_ok(reference_room_make(cache, beyond, MB) < beyond, "no more than is free");
	tap_str(there(), "12345", "where that is enough, none goes");
	reference_room_hold(&h, cache, &third);
	(void)reference_room_make(cache, beyond, beyond / 2);
	tap_str(there(), "3", "where it is not, all go that nobody uses");
	reference_room_release(&h);
}

/* Another process holds one, and is killed. */
static void test_two(void)
{
	int ready[2];
	char byte;

	fill();
	if (pipe(ready) != 0)
		abort();
	const pid_t other = fork();

	if (other == 0) {
		struct reference_holds h = {0};
		const struct reference_key second = key_of(2);

		reference_room_hold(&h, cache, &second);
		(void)!write(ready[1], "x", 1);
		for (;;)
			(void)pause();
	}
	(void)!read(ready[0], &byte, 1);
	(void)reference_room_make(cache, 5 * MB, 0);
	tap_str(there(), "2", "what another process uses stays");
	kill(other, SIGKILL);
	(void)waitpid(other, NULL, 0);
	(void)reference_room_make(cache, 5 * MB, 0);
	tap_str(there(), "", "until that is killed");
	close(ready[0]);
	close(ready[1]);
}

/* What a killed process has left counts, links and folders do not. */
static void test_strange(void)
{
	char *left = str_print("%s/reference/x.tmp", cache);
	char *link = str_print("%s/reference/link", cache), *folder = str_print("%s/f", link);
	char *target = str_print("%s/target", cache);
	const struct timespec old[2] = {{1, 0}, {1, 0}};
	struct asc_err e;

	fill();
	tap_ok(!file_replace(left, "1234", 4, &e) && !utimensat(AT_FDCWD, left, old, 0) &&
		       !file_replace(target, "5", 1, &e) && !symlink(target, link),
	       "files");
	(void)reference_room_make(cache, 50 * MB, 0);
	tap_ok(!file_exists(left) && strcmp(there(), "12345") == 0, "what was left goes first");
	(void)reference_room_make(cache, 1, 0);
	tap_ok(file_exists(target), "a link is not followed");
	free(folder);
	free(target);
	free(link);
	free(left);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	struct asc_err e;

	(void)snprintf(cache, sizeof cache, "%.200s/t-reference_room-XXXXXX",
		       tmp && *tmp ? tmp : "/tmp");
	char *folder = mkdtemp(cache) ? path_join(cache, "reference") : NULL;

	if (!tap_ok(folder && !dir_make(folder, &e), "a folder"))
		return tap_done();
	test_bound();
	test_order();
	test_use();
	test_disk();
	test_two();
	test_strange();
	free(folder);
	dir_remove(cache);
	return tap_done();
}
