/* `asctune gate --watch`: waits until a file is saved that the kernels of a gate reach, and keeps
 * the verdicts of those that it does not.
 *
 * The caller owns a struct gate_watch: zeroed, gate_watch_open() before the first gate,
 * gate_watch_follow() within each, behind gate_list_make(), gate_watch_wait() between two,
 * gate_watch_close() whatever came of it. */
#ifndef ASCTUNE_CMD_GATE_GATE_WATCH_H
#define ASCTUNE_CMD_GATE_GATE_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

struct gate;
struct watched_folder;

struct gate_watch {
	int fd;           /* of inotify */
	struct buf files; /* that the last gate reached: absolute paths, each ended by NUL */
	struct watched_folder *folders;
	size_t n, room;
	int64_t began_ns; /* of the gate that is under way: what is saved later is seen */
	struct buf saved; /* the first file that was saved since the last gate began; "": none */
};

/* Watches the folders of the paths, files or folders. ASC_ABSENT: this machine has no inotify. */
enum asc_status gate_watch_open(const char *const *paths, size_t n, struct gate_watch *w,
				struct asc_err *e);
void gate_watch_close(struct gate_watch *w);

/* A gate begins: it reads all that was saved before. */
void gate_watch_begin(struct gate_watch *w);

/* Follows the files that the head of the gate reaches: its workloads, what is compiled and included
 * for them, contents of tensors; with their folders, where a file may be new. */
enum asc_status gate_watch_follow(struct gate_watch *w, const struct gate *g, struct asc_err *e);

/* Keeps what the gate before found of kernels whose keys are the same on both sides. */
void gate_watch_keep(struct gate *g, struct gate *before);

/* True when a file was saved while the gate was under way: its verdicts may be of either text. */
bool gate_watch_is_late(struct gate_watch *w);

/* Waits for a save and until a tenth of a second has passed without another one: editors write a
 * file and rename it, and save several. `w->saved` names the first one; it is empty where *stop is
 * not 0. */
enum asc_status gate_watch_wait(struct gate_watch *w, const volatile sig_atomic_t *stop,
				struct asc_err *e);

#endif
