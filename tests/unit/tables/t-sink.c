/* Sets of files: all in place or none, what others wrote kept, two writers at once.
 * covers: sink.c */
#include "reports/tables/sink.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static char *folder;
static struct asc_err e;

static const struct sink_kind plain = {.begins = "own"};
static const struct sink_kind beside = {.begins = "own", .aside = true};

static enum asc_status add(struct sink *s, const struct sink_kind *kind, const char *name,
			   const char *content)
{
	struct buf text = {0};

	buf_add_str(&text, content);
	enum asc_status status = sink_add(s, kind, name, &text, &e);
	buf_fini(&text);
	return status;
}

static void set_file(const char *name, const char *content)
{
	char *path = path_join(folder, name);

	tap_int(file_write(path, content, strlen(content), &e), ASC_OK, "%s is there", name);
	free(path);
}

/* The file's content, which lives to the next call; "(none)" without the file. */
static const char *content_of(const char *name)
{
	static struct buf text;
	char *path = path_join(folder, name);

	buf_clear(&text);
	if (file_read(path, 0, &text, &e))
		buf_add_str(&text, "(none)");
	free(path);
	return buf_str(&text);
}

static int count_files(void)
{
	DIR *d = opendir(folder);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2; /* . and .. */
}

static void begin(const char *title)
{
	dir_remove(folder);
	tap_int(mkdir(folder, 0700), 0, "%s", title);
}

static void test_names(void)
{
	struct buf name = {0};

	sink_add_name(&name, "../a/b");
	sink_add_name(&name, NULL);
	sink_add_name(&name, "-o.x-1_\xc3\xa9\n\"");
	tap_str(buf_str(&name), "_._a_b-_o.x-1_____", "safe names");
	buf_clear(&name);
	for (int i = 0; i < 100; i++)
		sink_add_name(&name, "0123456789012345678901234567890123456789");
	tap_ok(name.len == 100 * 33 - 1, "long parts are cut");
	buf_fini(&name);
}

static void test_text(void)
{
	struct buf text = {0};
	struct sink s = {.text = &text};

	tap_int(add(&s, &plain, "a", "own a"), ASC_OK, "a file is a text");
	tap_int(add(&s, &beside, "a.evidence", "own e"), ASC_OK, "what goes with it is left out");
	tap_str(buf_str(&text), "own a", "the text is the file's");
	tap_int(add(&s, &plain, "b", "own b"), ASC_USAGE, "a second file is refused: %s", e.text);
	sink_fini(&s);
	buf_fini(&text);
}

static void test_append(void)
{
	struct sink s = {.folder = folder};
	struct buf part = {0};

	begin("a long file");
	set_file("a", "own old");
	tap_int(add(&s, &plain, "a", "own"), ASC_OK, "its beginning");
	buf_add_str(&part, " more");
	tap_int(sink_append(&s, &part, &e), ASC_OK, "more of it");
	tap_int((long)part.len, 0, "the text is empty then");
	tap_str(content_of("a"), "own old", "nothing is in place before the end");
	tap_int(sink_place(&s, &e), ASC_OK, "the end");
	sink_fini(&s);
	tap_str(content_of("a"), "own more", "all of it is there");
	s = (struct sink){.text = &(struct buf){0}};
	tap_int(add(&s, &plain, "a", "own"), ASC_OK, "a text");
	buf_add_str(&part, " more");
	tap_int(sink_append(&s, &part, &e), ASC_OK, "more of it");
	tap_str(buf_str(s.text), "own more", "is behind it");
	/* Long enough for the beginning to go to a file. */
	for (int i = 0; i < SINK_PART_BYTES; i++)
		buf_add_char(&part, (char)('a' + i % 26));
	tap_int(sink_append(&s, &part, &e), ASC_OK, "much more of it");
	buf_add_str(&part, " the end");
	tap_int(sink_append(&s, &part, &e), ASC_OK, "and the end");
	tap_str(buf_str(s.text), " the end", "of a long text the rest is held");
	char *printed = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&printed, &n);

	tap_int(sink_print(&s, to, &e), ASC_OK, "printed");
	fclose(to);
	tap_int((long)n, SINK_PART_BYTES + 16, "all of it");
	tap_ok(strncmp(printed, "own moreabcdef", 14) == 0 &&
		       strcmp(printed + n - 8, " the end") == 0,
	       "in its order");
	free(printed);
	buf_fini(s.text);
	sink_fini(&s);
	buf_fini(&part);
}

static void test_set(void)
{
	struct sink s = {.folder = folder};

	begin("a folder");
	set_file("a", "own old");
	tap_int(add(&s, &plain, "a", "own new"), ASC_OK, "a file that asctune wrote is replaced");
	tap_int(add(&s, &plain, "b", "own b"), ASC_OK, "another is new");
	tap_int(add(&s, &beside, "b.evidence", "own e"), ASC_OK, "with one that goes with it");
	tap_int(add(&s, &plain, "b", "own c"), ASC_INPUT, "a name that is taken: %s", e.text);
	tap_str(content_of("a"), "own old", "nothing is in place before the end");
	tap_str(content_of("b"), "(none)", "neither is what is new");
	tap_int(sink_place(&s, &e), ASC_OK, "the end");
	tap_int((long)s.n, 2, "two files, besides the one that goes with another");
	sink_fini(&s);
	tap_str(content_of("a"), "own new", "then all are");
	tap_str(content_of("b.evidence"), "own e", "each with its content");
	tap_int(count_files(), 3, "and nothing else");
}

static enum asc_status join(const void *user, const char *path, const struct buf *there,
			    const struct buf *own, struct buf *out, struct asc_err *why)
{
	(void)user;
	(void)path;
	(void)why;
	buf_print(out, "%s+%s", buf_str(there), buf_str(own));
	return ASC_OK;
}

static void test_foreign(void)
{
	const struct sink_kind mergeable = {.begins = "own", .merge = join};
	struct sink s = {.folder = folder};

	begin("a folder of somebody's");
	set_file("a", "theirs");
	tap_int(add(&s, &plain, "a", "own"), ASC_INPUT, "their file is kept");
	tap_has(e.text, "/a was not written by asctune and is kept: --force replaces it",
		"which is said");
	tap_int(add(&s, &mergeable, "a", "own"), ASC_INPUT, "also where it can be merged");
	tap_has(e.text, "--merge adds to it", "which is said, too");
	s.existing = SINK_MERGE;
	tap_int(add(&s, &plain, "a", "own"), ASC_INPUT, "what cannot be merged is kept");
	tap_int(add(&s, &mergeable, "a", "own"), ASC_OK, "what can is");
	tap_int(sink_place(&s, &e), ASC_OK, "in place");
	sink_fini(&s);
	tap_str(content_of("a"), "theirs+own", "both are there");
	set_file("a", "own old");
	s = (struct sink){.folder = folder, .existing = SINK_MERGE};
	tap_int(add(&s, &mergeable, "a", "own"), ASC_OK, "a file of asctune's");
	tap_int(sink_place(&s, &e), ASC_OK, "in place");
	sink_fini(&s);
	tap_str(content_of("a"), "own old+own", "is merged, too: somebody may have added to it");
	s = (struct sink){.folder = folder, .existing = SINK_REPLACE};
	tap_int(add(&s, &plain, "a", "own"), ASC_OK, "what is to be replaced is");
	tap_int(sink_place(&s, &e), ASC_OK, "in place");
	sink_fini(&s);
	tap_str(content_of("a"), "own", "theirs is gone");
}

/* A file that cannot be written, after others of the set. */
static void test_full(void)
{
	struct rlimit before, small;
	struct sink s = {.folder = folder};
	char *large = malloc(8193);

	memset(large, 'x', 8192);
	large[8192] = '\0';
	begin("a disk that is full");
	set_file("a", "own old");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){4096, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	tap_int(add(&s, &plain, "a", "own new"), ASC_OK, "the first file fits");
	tap_int(add(&s, &plain, "b", large), ASC_FULL, "the second does not: %s", e.text);
	sink_fini(&s);
	tap_str(content_of("a"), "own old", "what was there is as it was");
	tap_int(count_files(), 1, "and nothing of the set stays");
	dir_remove(folder);
	tap_int(add(&s, &plain, "a", "own new"), ASC_OK, "in a new folder the first fits");
	tap_int(add(&s, &plain, "b", large), ASC_FULL, "the second does not");
	sink_fini(&s);
	tap_ok(access(folder, F_OK) != 0, "the folder does not stay either");
	setrlimit(RLIMIT_FSIZE, &before);
	free(large);
}

/* A name that cannot be given, after others of the set. */
static void test_put_back(void)
{
	struct sink s = {.folder = folder};
	char *taken = path_join(folder, "c");

	begin("a name that is taken at the last moment");
	set_file("a", "own old");
	add(&s, &plain, "a", "own new");
	add(&s, &plain, "b", "own b");
	add(&s, &plain, "c", "own c");
	tap_int(mkdir(taken, 0700), 0, "a folder in the place of the third");
	tap_ok(sink_place(&s, &e), "it cannot be placed: %s", e.text);
	sink_fini(&s);
	tap_str(content_of("a"), "own old", "the first is put back");
	tap_str(content_of("b"), "(none)", "the second taken away");
	tap_int(count_files(), 2, "and nothing else stays");
	free(taken);
}

/* Names with folders, which are made for the set and stay with it alone. */
static void test_folders(void)
{
	struct sink s = {.folder = folder};

	begin("a set with folders");
	tap_int(add(&s, &plain, "x/y/a", "own a"), ASC_OK, "a name with two");
	tap_int(add(&s, &plain, "x/z/a", "own b"), ASC_OK, "the same name in another");
	sink_fini(&s);
	tap_int(count_files(), 0, "without a set none stays");
	tap_int(add(&s, &plain, "x/y/a", "own a"), ASC_OK, "again");
	tap_int(add(&s, &plain, "x/y/a", "own a"), ASC_INPUT, "a name that is taken");
	tap_int(add(&s, &plain, "b", "own b"), ASC_OK, "one without a folder");
	tap_int(sink_place(&s, &e), ASC_OK, "the set");
	tap_str(sink_get_name(&s, 0), "x/y/a", "has the names that were given");
	sink_fini(&s);
	tap_str(content_of("x/y/a"), "own a", "and is in place");
	tap_int(count_files(), 2, "beside nothing else");
	char *stage = path_join(folder, ".asctune-export/complete");

	tap_int(dir_make(stage, &e), ASC_OK, "a set that had no time to be renamed");
	set_file(".asctune-export/complete/x\x1fy\x1f"
		 "a",
		 "own second");
	set_file(".asctune-export/complete/x\x1f..\x1f..\x1fout", "somebody's");
	tap_int(add(&s, &plain, "c", "own c"), ASC_OK, "the next set");
	sink_fini(&s);
	tap_str(content_of("x/y/a"), "own second", "puts it in place");
	tap_str(content_of("../out"), "(none)", "but nothing out of the folder");
	free(stage);
}

/* True for a multiple of the length that `user` points to. */
static bool is_multiple(const void *user, const char *path, const struct buf *there)
{
	const size_t *of = user;

	(void)path;
	return there->len % *of == 0;
}

/* A format whose files have no mark of asctune's. */
static void test_unmarked(void)
{
	const size_t two = 2;
	const struct sink_kind kind = {.is_own = is_multiple, .user = &two};
	struct sink s = {.folder = folder};

	begin("files without a mark");
	set_file("a", "12");
	set_file("b", "123");
	tap_int(add(&s, &kind, "a", "own"), ASC_OK, "one that is known by other means");
	tap_int(add(&s, &kind, "b", "own"), ASC_INPUT, "one that is not is kept: %s", e.text);
	sink_fini(&s);
}

enum { SETS = 40, FILES = 8 };

static void write_sets(char who)
{
	char name[16], content[16];

	for (int i = 0; i < SETS; i++) {
		struct sink s = {.folder = folder};

		snprintf(content, sizeof content, "own %c%d", who, i);
		for (int k = 0; k < FILES; k++) {
			snprintf(name, sizeof name, "f%d", k);
			if (add(&s, &plain, name, content))
				_exit(1);
		}
		if (sink_place(&s, &e))
			_exit(1);
		sink_fini(&s);
	}
	_exit(0);
}

static void test_two(void)
{
	char first[32], name[16];
	int status, same = 0, failed = 0;

	begin("two that write the same files");
	for (int i = 0; i < 2; i++)
		if (fork() == 0)
			write_sets((char)('a' + i));
	while (wait(&status) > 0)
		failed += status != 0;
	tap_int(failed, 0, "both do");
	snprintf(first, sizeof first, "%s", content_of("f0"));
	for (int k = 0; k < FILES; k++) {
		snprintf(name, sizeof name, "f%d", k);
		same += strcmp(content_of(name), first) == 0;
	}
	tap_int(same, FILES, "one of the two is there, whole: %s", first);
	tap_int(count_files(), FILES, "and nothing else");
}

/* What a process leaves that is killed on the way. */
static void test_left(void)
{
	struct sink s = {.folder = folder};
	char *stage = path_join(folder, ".asctune-export"), *path = path_join(folder, "d");
	const time_t later = time(NULL) + 60;

	begin("a set that was complete");
	mkdir(stage, 0700);
	set_file("a", "own first");
	set_file(".asctune-export/b", "own none's");
	set_file(".asctune-export/complete", "");
	tap_int(add(&s, &plain, "c", "own c"), ASC_OK, "what is none is in nobody's way");
	sink_fini(&s);
	tap_int(count_files(), 1, "and is removed");
	free(stage);
	stage = path_join(folder, ".asctune-export/complete");
	tap_int(dir_make(stage, &e), ASC_OK, "files that had no time to be renamed");
	set_file(".asctune-export/complete/a", "own second");
	set_file(".asctune-export/complete/b", "own second");
	set_file(".asctune-export/complete/d", "own second");
	set_file("d", "theirs, written since");
	tap_int(utimes(path, (const struct timeval[]){{later, 0}, {later, 0}}), 0, "a later one");
	tap_int(add(&s, &plain, "c", "own c"), ASC_OK, "the next set in the folder");
	tap_str(content_of("a"), "own second", "finds them in place");
	tap_int(sink_place(&s, &e), ASC_OK, "and comes there itself");
	sink_fini(&s);
	tap_str(content_of("b"), "own second", "each of them");
	tap_str(content_of("d"), "theirs, written since", "but for what was written there since");
	tap_int(count_files(), 4, "and nothing else");
	free(stage);
	free(path);
}

static void kill_one(int round)
{
	const pid_t child = fork();

	if (child == 0)
		write_sets((char)('a' + round % 26));
	usleep((useconds_t)(500 + 700 * round % 9000));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_killed(void)
{
	enum { ROUNDS = 40 };
	struct sink s = {.folder = folder};
	char first[32], name[16];
	int parts = 0, others = 0;

	begin("processes that are killed");
	for (int i = 0; i < ROUNDS; i++) {
		kill_one(i);
		if (add(&s, &plain, "next", "own next") || sink_place(&s, &e))
			tap_ok(false, "the next set: %s", e.text);
		sink_fini(&s);
		snprintf(first, sizeof first, "%s", content_of("f0"));
		for (int k = 1; k < FILES; k++) {
			snprintf(name, sizeof name, "f%d", k);
			parts += strcmp(content_of(name), first) != 0;
		}
		others += count_files() != 1 && count_files() != 1 + FILES;
	}
	tap_int(parts, 0, "each leaves the set before or its own, whole");
	tap_int(others, 0, "and nothing else, once another set is in place");
}

int main(void)
{
	char *scratch = NULL;

	if (dir_make_scratch("t-sink", &scratch, &e))
		tap_ok(false, "%s", e.text);
	folder = path_join(scratch, "out");
	test_names();
	test_text();
	test_append();
	test_set();
	test_foreign();
	test_full();
	test_put_back();
	test_folders();
	test_unmarked();
	test_two();
	test_left();
	test_killed();
	dir_remove(scratch);
	free(scratch);
	free(folder);
	return tap_done();
}
