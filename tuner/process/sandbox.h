/* Sandbox of child processes: the files they may read and write, and the system calls they may use.
 * process/proc puts children into it.
 *
 * A child reads the folders of the system, of variables of the environment (PATH, LD_LIBRARY_PATH,
 * CPATH, ...) and of its starter's choice; it writes its own folder. It makes no connection, sends
 * no signal outside, gains no privilege, and has limits. A part that the kernel does not offer is
 * left out, and sandbox_missing() names it. */
#ifndef ASCTUNE_PROCESS_SANDBOX_H
#define ASCTUNE_PROCESS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct sandbox {                   /* all borrowed */
	const char *own;           /* folder that the child may write, its TMPDIR; NULL: none */
	const char *const *reads;  /* files, and folders with all below them; NULL-terminated, or
				      NULL. Of a folder that has the user's home below it, or is it,
				      all but the hidden entries of the home. */
	const char *const *named;  /* the same, of a workload's choice: folders in hidden entries of
				      the home, too, except those with secrets; a file brings its
				      folder */
	const char *const *writes; /* folders that it writes too; NULL-terminated, or NULL */
	bool driver;          /* opens a device's driver: its nodes and sockets; memory unlimited */
	bool childless;       /* starts no process (root may all the same) */
	int64_t limit_ns;     /* of processor time for each process; 0: none */
	int64_t file_bytes;   /* of a file; 0: as many as there are bytes of memory */
	int64_t memory_bytes; /* of address space; 0: data of as many bytes as there are of memory
			       */
};

/* Parts that a kernel, or the container that it runs in, may not offer. */
#define SANDBOX_PARTS(X)                                                                           \
	X(FILES, "files", "reads and writes only what it was given (Landlock)")                    \
	X(NETWORK, "network", "opens no socket (seccomp)")                                         \
	X(SIGNALS, "signals", "signals only its own processes (Landlock 6)")

enum sandbox_part {
#define X(id, name, meaning) SANDBOX_##id,
	SANDBOX_PARTS(X)
#undef X
		SANDBOX_N_PARTS
};
const char *sandbox_part_name(enum sandbox_part part);
const char *sandbox_part_meaning(enum sandbox_part part);

/* Leaves the sandbox off for all children from here on. */
void sandbox_leave_off(void);
bool sandbox_is_off(void);

/* Leaves the sandbox off for children that open a driver; false when it was off for them before, or
 * is required. */
bool sandbox_leave_off_drivers(void);

/* Requires the sandbox from here on: it is not left off, nor does a message advise that. */
void sandbox_require(void);
bool sandbox_is_required(void);

/* Lets all children from here on read a workload, `path` is its file or its folder: the folder with
 * all below it, and with `around` its repository, if any (the nearest folder above with `.git`,
 * unless the user's home is in it). */
enum asc_status sandbox_grant(const char *path, bool around, struct asc_err *e);

/* Lets all children from here on read a file that a workload names, with its folder, as `named` of
 * struct sandbox. */
enum asc_status sandbox_grant_named(const char *path, struct asc_err *e);
bool sandbox_has_named(const char *path); /* it was granted so */

/* Hides a file, which need not be there, and all whose names begin with its name, from all children
 * from here on, whatever folder around it they may read. Not in a folder that they may write. */
enum asc_status sandbox_hide(const char *path, struct asc_err *e);

/* True for a path below a workload that children may read by sandbox_grant(); not where an entry of
 * the path is hidden. */
bool sandbox_is_granted(const char *path);

/* Number of grants so far: a child that was started before the last one lacks it. */
size_t sandbox_grants(void);

/* Bits 1 << enum sandbox_part of the parts that some child so far lacked; 0 when the sandbox is
 * off. */
unsigned sandbox_missing(void);

/* Prints the reason why the kernel does not offer a part, "" when it does; returns `text`. */
const char *sandbox_reason(enum sandbox_part part, char *text, size_t size);

enum { SANDBOX_EXPLANATION = 400 };

/* What programs say of a call that was refused with EACCES: by the sandbox, or by the mode and the
 * owner of a file. */
#define SANDBOX_DENIAL "Permission denied"

/* Prints what to add to a message that quotes what a child has `said`:
 * - where that has SANDBOX_DENIAL beside a path that the user may read or write and the child may
 *   not: that the sandbox denied the path, and what to do;
 * - where it has SANDBOX_DENIAL otherwise: how to leave the sandbox off;
 * - "" where it has none, and where the sandbox is off or required.
 * Returns `text`. */
const char *sandbox_explain(const char *said, char *text, size_t size);

/* ---- for process/proc ---- */

struct sandbox_entry; /* all that a child needs to enter its sandbox */

/* `program` is the path of the executable. *out is NULL when the sandbox is off. */
enum asc_status sandbox_prepare(const struct sandbox *s, const char *program,
				struct sandbox_entry **out, struct asc_err *e);
void sandbox_forget(struct sandbox_entry *entry);

/* Enters the sandbox, in the child, which shares the memory of its starter: by system calls alone.
 */
void sandbox_enter(struct sandbox_entry *entry);

#endif
