/* libasctune by its public header: open, ask, replaced files, many threads.
 * covers: libasctune.c */
#include "reports/tables/lookup/asctune.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static char *path;

/* Writes a table whose only rule is for `index`, and has it in the configuration too. */
static void write_rule(int index)
{
	char text[400];
	struct asc_err e;
	const int n =
		snprintf(text, sizeof text,
			 "{\"format\": \"asctune-infiniops-rules\", \"version\": 1, \"rules\": ["
			 "{\"op\": \"add\", \"device\": \"nvidia\", \"match\": {\"n\": [1, 99]},"
			 " \"implementation_index\": %d, \"config\": {\"INDEX\": %d}}]}",
			 index, index);

	(void)file_write(path, text, (size_t)n, &e);
}

static void write_torn(void)
{
	struct asc_err e;

	(void)file_write(path, "{\"format\": \"asctune-inf", 23, &e);
}

static void write_bytes(const char *text, size_t n)
{
	struct asc_err e;

	(void)file_write(path, text, n, &e);
}

static const struct asctune_size sizes[] = {{"n", 7}};
static const int64_t active[] = {1, 2, 3, 4};
static const struct asctune_question question = {.op = "add",
						 .device = "nvidia",
						 .sizes = sizes,
						 .n_sizes = 1,
						 .active = active,
						 .n_active = 4};

static void test_replaced(struct asctune_table *t)
{
	struct asctune_answer a;
	char error[256] = "";

	tap_int(asctune_ask(t, &question, &a), ASCTUNE_RULE, "a rule serves");
	tap_int(a.index, 1, "with its index");
	tap_str(a.config, "{\"INDEX\":1}", "and its configuration");
	tap_str(a.implementation, "", "but no name");
	tap_int(a.stale, 0, "from the present file");
	write_rule(2);
	tap_int(asctune_reload(t, error, sizeof error), ASCTUNE_OK, "a new file is read");
	(void)asctune_ask(t, &question, &a);
	tap_int(a.index, 2, "and answers");
	write_torn();
	tap_int(asctune_reload(t, error, sizeof error), ASCTUNE_BAD_FILE, "a torn file is not");
	tap_has(error, path, "the error names it");
	(void)asctune_ask(t, &question, &a);
	tap_int(a.index, 2, "the old table stays");
	tap_int(a.stale, 1, "and the answer says so");
	asctune_error(t, error, sizeof error);
	tap_has(error, "the string that starts here does not end", "why");
	(void)unlink(path);
	tap_int(asctune_reload(t, error, sizeof error), ASCTUNE_BAD_FILE, "neither is none");
	(void)asctune_ask(t, &question, &a);
	tap_int(a.index, 2, "the old table stays");
	write_rule(3);
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_OK, "a whole file is read again");
	(void)asctune_ask(t, &question, &a);
	tap_int(a.index + 10 * a.stale, 3, "and is not stale");
}

/* The table that holds index 3 stays, whatever part of another one comes in its place. */
static void test_truncated(struct asctune_table *t)
{
	static const char newer[] = "{\"format\":\"asctune-best\",\"version\":9,"
				    "\"configurations\":[]}";
	static const char other[] = "{\"format\":\"asctune-best\",\"version\":1,"
				    "\"configurations\":[]}";
	struct asctune_answer a;
	struct buf whole = {0};
	struct asc_err e;
	size_t wrong = 0;

	write_rule(2);
	if (!tap_int(file_read(path, 0, &whole, &e), ASC_OK, "a whole table"))
		return;
	for (size_t n = 0; n < whole.len; n++) {
		write_bytes(whole.data, n);
		wrong += asctune_reload(t, NULL, 0) != ASCTUNE_BAD_FILE;
		(void)asctune_ask(t, &question, &a);
		wrong += a.index != 3 || a.stale != 1;
	}
	tap_int((long)wrong, 0, "each of %zu truncations leaves the old table, stale", whole.len);
	write_bytes("SQLite format 3\0 and no more", 28);
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_BAD_FILE, "a torn database is no table");
	write_bytes(newer, strlen(newer));
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_BAD_FILE, "nor is a newer version");
	(void)asctune_ask(t, &question, &a);
	tap_int(a.index + 10 * a.stale, 13, "the old one stays and the answer says so");
	write_bytes(other, strlen(other));
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_OK, "a table of another format is read");
	tap_int(asctune_ask(t, &question, &a), ASCTUNE_NOT_SET, "and serves what it has");
	write_rule(3);
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_OK, "and the first one again");
	buf_fini(&whole);
}

/* True once the table answers with `index`; asks for ten seconds at most. */
static bool comes_to(struct asctune_table *t, int64_t index)
{
	const struct timespec pause = {0, 50000000};
	struct asctune_answer a = {0};

	for (int i = 0; i < 200; i++) {
		(void)asctune_ask(t, &question, &a);
		if (a.index == index)
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

static void test_by_itself(struct asctune_table *t)
{
	struct asctune_table *kept;
	struct asctune_answer a;

	tap_int(asctune_open(path, ASCTUNE_KEEP, &kept, NULL, 0), ASCTUNE_OK, "one that is kept");
	write_rule(4);
	tap_ok(comes_to(t, 4), "a new file is read by itself");
	(void)asctune_ask(kept, &question, &a);
	tap_int(a.index, 3, "unless the table is kept");
	asctune_close(kept);
}

/* ---- threads ---- */

static atomic_bool enough;

struct asker {
	struct asctune_table *table;
	long asked, wrong;
};

static void *ask_on(void *user)
{
	struct asker *own = user;
	struct asctune_answer a;
	char wanted[32];

	while (!atomic_load(&enough)) {
		(void)asctune_ask(own->table, &question, &a);
		(void)snprintf(wanted, sizeof wanted, "{\"INDEX\":%d}", (int)a.index);
		own->asked++;
		own->wrong += a.index < 1 || a.index > 4 || strcmp(a.config, wanted) != 0;
	}
	return NULL;
}

static void test_threads(struct asctune_table *t)
{
	enum { THREADS = 4, RELOADS = 40 };
	struct asker list[THREADS];
	pthread_t threads[THREADS];
	long wrong = 0, failed = 0;

	for (int i = 0; i < THREADS; i++) {
		list[i] = (struct asker){t, 0, 0};
		failed += pthread_create(&threads[i], NULL, ask_on, &list[i]) != 0;
	}
	for (int i = 0; i < RELOADS; i++) {
		write_rule(1 + i % 4);
		failed += asctune_reload(t, NULL, 0) != ASCTUNE_OK;
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		wrong += list[i].wrong;
	}
	tap_int(failed, 0, "%d tables come while threads ask", RELOADS);
	tap_int(wrong, 0, "every answer is of one of them, whole");
}

static void *reload_on(void *user)
{
	while (!atomic_load(&enough))
		(void)asctune_reload(user, NULL, 0);
	return NULL;
}

/* Forks while the other threads ask and replace: a child has none of them, and its own replacement
 * waits for nobody. True when it ended by itself within ten seconds, with an answer. */
static bool child_goes_on(struct asctune_table *t)
{
	int status = -1;
	const pid_t child = fork();

	if (child == 0) {
		struct asctune_answer a;

		(void)alarm(10);
		const bool read = asctune_reload(t, NULL, 0) == ASCTUNE_OK;

		(void)asctune_ask(t, &question, &a);
		_exit(read && a.index == 2 ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void test_fork(struct asctune_table *t)
{
	enum { THREADS = 3, FORKS = 40 };
	struct asker list[THREADS];
	pthread_t threads[THREADS], reloading;
	int went_on = 0;

	atomic_store(&enough, false);
	write_rule(2);
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_OK, "a table");
	for (int i = 0; i < THREADS; i++) {
		list[i] = (struct asker){t, 0, 0};
		(void)pthread_create(&threads[i], NULL, ask_on, &list[i]);
	}
	(void)pthread_create(&reloading, NULL, reload_on, t);
	for (int i = 0; i < FORKS; i++)
		went_on += child_goes_on(t);
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	(void)pthread_join(reloading, NULL);
	tap_int(went_on, FORKS, "children of fork() read the file and answer");
	tap_int(asctune_reload(t, NULL, 0), ASCTUNE_OK, "and so does the parent");
}

static void test_opening(void)
{
	struct asctune_table *t = (struct asctune_table *)1;
	char error[20];

	tap_int(asctune_open("/nowhere/table.json", 0, &t, error, sizeof error), ASCTUNE_BAD_FILE,
		"no file");
	tap_ok(!t, "is no table");
	tap_int((long)strlen(error), 19, "an error that is cut (%s)", error);
	asctune_close(NULL);
}

int main(void)
{
	struct asc_err e;
	char *folder = NULL;
	struct asctune_table *t = NULL;
	char error[256] = "";

	if (!tap_int(dir_make_scratch("library", &folder, &e), ASC_OK, "a folder"))
		return tap_done();
	path = path_join(folder, "rules.json");
	test_opening();
	write_rule(1);
	if (tap_ok(asctune_open(path, 0, &t, error, sizeof error) == ASCTUNE_OK, "a table %s",
		   error)) {
		test_replaced(t);
		test_truncated(t);
		test_by_itself(t);
		test_threads(t);
		test_fork(t);
		asctune_close(t);
	}
	dir_remove(folder);
	free(path);
	free(folder);
	return tap_done();
}
