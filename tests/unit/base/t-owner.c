/* Owners and modes of files: what others could have made.
 * covers: owner.c */
#include "tuner/base/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

enum { SOMEBODY = 65534 };

static char *folder;
static struct asc_err e;

static const char *in(const char *name)
{
	static char paths[4][600];
	static int next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static void refused(enum asc_status s, const char *why, const char *what)
{
	if (tap_int(s, ASC_IO, "%s: is refused", what))
		tap_has(e.text, why, "%s: with the reason", what);
}

static void test_folders(void)
{
	mkdir(in("own"), 0700);
	tap_int(owner_check_folder(in("own"), &e), ASC_OK, "a folder of the user's own");
	chmod(in("own"), 0755);
	tap_int(owner_check_folder(in("own"), &e), ASC_OK, "one that others may read");
	chmod(in("own"), 01777);
	refused(owner_check_folder(in("own"), &e), "is writable by others (mode 1777)",
		"a sticky one that others may write to");
	if (getegid() == geteuid()) {
		chmod(in("own"), 0770);
		tap_int(owner_check_folder(in("own"), &e), ASC_OK, "a group of the user's number");
	}
	chmod(in("own"), 0700);
	tap_int(owner_check_folder(in("none"), &e), ASC_OK, "what is not there");
	tap_int(symlink(in("own"), in("link")), 0, "a link");
	refused(owner_check_folder(in("link"), &e), "/link is a link", "a link to a folder");
	tap_int(file_write(in("file"), "", 0, &e), ASC_OK, "a file");
	refused(owner_check_folder(in("file"), &e), "/file is a file", "a file");
	tap_int(owner_check_file(in("file"), &e), ASC_OK, "a file of the user's own");
	tap_int(owner_check_file(in("file/none"), &e), ASC_OK, "no file");
}

static void test_others(void)
{
	if (geteuid() != 0 || chown(in("file"), SOMEBODY, SOMEBODY) != 0) {
		tap_skip("files of others are made by root");
		return;
	}
	refused(owner_check_file(in("file"), &e), "belongs to user 65534, not to user 0", "a file");
	tap_ok(!strstr(e.text, "copy"), "a file of another user: no copy of a cache is advised");
	(void)!chown(in("own"), SOMEBODY, SOMEBODY);
	refused(owner_check_folder(in("own"), &e), "belongs to user 65534", "a folder");
	(void)!chown(in("own"), 0, SOMEBODY);
	chmod(in("own"), 0770);
	refused(owner_check_folder(in("own"), &e), "is writable by others", "another group's");
	(void)!chown(in("own"), 0, 0);
	chmod(in("own"), 0700);
	/* A link of another's in a sticky folder, as /tmp is. */
	chmod(in("open"), 01777);
	(void)!lchown(in("open/link"), SOMEBODY, SOMEBODY);
	refused(owner_check_links(in("open/link"), &e), "can write to", "another's link");
	(void)!lchown(in("open/link"), 0, 0);
	(void)!chown(in("open"), SOMEBODY, SOMEBODY);
	chmod(in("open"), 0755);
	refused(owner_check_links(in("open/link"), &e), "can write to", "in another's folder");
	(void)!chown(in("open"), 0, 0);
}

static void test_links(void)
{
	char *here = getcwd(NULL, 0);

	tap_int(dir_make(in("own/deep/er"), &e), ASC_OK, "folders");
	tap_int(owner_check_links(in("own/deep/er"), &e), ASC_OK, "a path without links");
	tap_int(symlink("deep/../deep", in("own/link")), 0, "a link in a folder of the user's own");
	tap_int(owner_check_links(in("own/link/er"), &e), ASC_OK, "is followed");
	mkdir(in("open"), 0700);
	chmod(in("open"), 0777);
	tap_int(symlink(in("own"), in("open/link")), 0, "a link in a folder of everybody's");
	refused(owner_check_links(in("open/link"), &e), "/open/link is a link", "the last part");
	refused(owner_check_links(in("open/link/deep"), &e), "/open/link is a link", "one before");
	refused(owner_check_links(in("open/link/none"), &e), "/open/link", "before what is not");
	refused(owner_check_links(in("own/../open//link/"), &e), "/link is a link", "another way");
	tap_int(symlink("../open/link/deep", in("own/two")), 0, "a link that leads there");
	refused(owner_check_links(in("own/two/er"), &e), "/open/link is a link", "the second link");
	tap_int(chdir(in("open")), 0, "from within");
	refused(owner_check_links("link/deep", &e), "link is a link", "a relative path");
	tap_int(chdir(here), 0, "back again");
	chmod(in("open"), 01777);
	tap_int(owner_check_links(in("own/two/er"), &e), ASC_OK, "an own link in a sticky folder");
	tap_int(owner_check_links(in("open/none/x"), &e), ASC_OK, "what is not there");
	tap_int(owner_check_links("", &e), ASC_OK, "no path");
	tap_int(symlink("round", in("own/round")), 0, "a link to itself");
	tap_int(owner_check_links(in("own/round"), &e), ASC_IO, "is refused");
	tap_has(e.text, "Too many levels", "with the reason");
	free(here);
}

int main(void)
{
	if (tap_ok(dir_make_scratch("t-owner", &folder, &e) == ASC_OK, "a scratch folder")) {
		test_folders();
		test_links();
		test_others();
	}
	dir_remove(folder);
	free(folder);
	return tap_done();
}
