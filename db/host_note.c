#include "db/host_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "db/file_state.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { NOTE_BYTES = 256, TRIES = 100, WAIT_US = 10000 };

/* Option that says that locks reach all machines; "": they always do. Sources: nfs(5), local_lock;
 * mount.lustre(8), flock; the manuals of the others, which are made of such locks. Not listed: SMB
 * (nobrl), BeeGFS (tuneUseGlobalFileLocks), FUSE and 9p, of which no machine knows all of it. */
static const struct {
	const char *fs, *option;
} reaching[] = {{"NFS", "local_lock=none"},
		{"Lustre", "flock"},
		{"GPFS", ""},
		{"Ceph", ""},
		{"GFS2", ""},
		{"OCFS2", ""}};

static bool has_option(const char *options, const char *option)
{
	const size_t n = strlen(option);

	for (const char *at = options; *at; at += *at == ',') {
		const size_t length = strcspn(at, ",\n");

		if (length == n && strncmp(at, option, n) == 0)
			return true;
		at += length;
		if (*at == '\n')
			break;
	}
	return n == 0;
}

bool host_note_locks_reach(const char *fs, const char *options)
{
	for (size_t i = 0; i < sizeof reaching / sizeof *reaching; i++)
		if (strcmp(reaching[i].fs, fs) == 0)
			return has_option(options, reaching[i].option);
	return false;
}

/* Finds the options of what is mounted as a device: they end a line of mountinfo (proc(5)), behind
 * " - TYPE SOURCE ". "": not found. */
static void find_options(dev_t device, char *out, size_t size)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, number[32];
	size_t room = 0;

	*out = '\0';
	(void)snprintf(number, sizeof number, " %u:%u ", major(device), minor(device));
	while (mounts && getline(&line, &room, mounts) > 0) {
		const char *tail = strstr(line, " - ");

		/* Blanks in fields are written as \040: no other field is the number. */
		if (tail && strstr(line, number))
			(void)snprintf(out, size, "%s", strrchr(tail, ' ') + 1);
	}
	free(line);
	if (mounts)
		fclose(mounts);
}

/* "HOST BOOT", of this machine. */
static void print_own(char out[NOTE_BYTES])
{
	char boot[64] = "";
	struct utsname name;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && !fgets(boot, sizeof boot, f))
		*boot = '\0';
	if (f)
		fclose(f);
	boot[strcspn(boot, "\n")] = '\0';
	(void)uname(&name);
	(void)snprintf(out, NOTE_BYTES, "%.64s %s", name.nodename, *boot ? boot : name.nodename);
}

static bool same_machine(const char *a, const char *b)
{
	const char *x = strrchr(a, ' '), *y = strrchr(b, ' ');

	return x && y && strcmp(x, y) == 0;
}

static enum asc_status refuse(const struct host_note *n, const char *db_path, const char *fs,
			      const char *other, struct asc_err *e)
{
	return asc_err_set(
		e, ASC_BUSY,
		"%s: on %s, and host %.*s records into it: give each machine a database "
		"of its own, `asctune merge` joins them; if that host is done, remove %s",
		db_path, fs, (int)strcspn(other, " "), other, n->path);
}

/* Takes the note that is open. *again: it was removed meanwhile, or is about to be written. */
static enum asc_status take_open(struct host_note *n, const char *db_path, const char *fs,
				 bool *again, struct asc_err *e)
{
	char own[NOTE_BYTES], there[NOTE_BYTES] = "", options[1024];
	struct stat info;

	print_own(own);
	/* Alone: nobody records here, or somebody whose lock does not reach this machine, or the
	 * file system has no locks. */
	const bool alone = flock(n->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;

	*again = false;
	if (fstat(n->fd, &info) || pread(n->fd, there, sizeof there - 1, 0) < 0)
		return asc_err_set(e, ASC_IO, "%s: %s", n->path, strerror(errno));
	if (info.st_nlink == 0 || (!*there && !alone)) {
		*again = true;
		return ASC_OK;
	}
	if (*there && !same_machine(there, own)) {
		find_options(info.st_dev, options, sizeof options);
		if (!alone || !host_note_locks_reach(fs, options))
			return refuse(n, db_path, fs, there, e);
	}
	if (alone && strcmp(there, own) != 0 &&
	    (ftruncate(n->fd, 0) || pwrite(n->fd, own, strlen(own), 0) != (ssize_t)strlen(own)))
		return asc_err_set(e, ASC_IO, "%s: %s", n->path, strerror(errno));
	(void)flock(n->fd, LOCK_SH);
	return ASC_OK;
}

enum asc_status host_note_take(struct host_note *n, const char *db_path, struct asc_err *e)
{
	const char *fs = network_fs_find(db_path);
	bool again = true;

	if (!fs)
		return ASC_OK;
	n->path = str_print("%s-host", db_path);
	if (!n->path)
		return asc_err_nomem(e);
	enum asc_status status = ASC_OK;

	n->fd = -1;
	for (int i = 0; i < TRIES && again && status == ASC_OK; i++) {
		if (n->fd >= 0)
			close(n->fd);
		if (i)
			usleep(WAIT_US);
		n->fd = open(n->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
		if (n->fd < 0)
			status = asc_err_set(e, ASC_IO, "%s: %s", n->path, strerror(errno));
		else
			status = take_open(n, db_path, fs, &again, e);
	}
	if (status == ASC_OK && again)
		status = refuse(n, db_path, fs, "?", e);
	if (status) { /* what is there belongs to others */
		if (n->fd >= 0)
			close(n->fd);
		free(n->path);
		*n = (struct host_note){0};
	}
	return status;
}

void host_note_drop(struct host_note *n)
{
	if (!n->path)
		return;
	/* The others of this machine hold it as well; without locks it stays, for its own machine
	 * to find. */
	if (flock(n->fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlink(n->path);
	close(n->fd);
	free(n->path);
	*n = (struct host_note){0};
}
