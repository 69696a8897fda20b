/* Messages between processes of asctune: one JSON document a line, over a socket pair. A child
 * has its end as descriptor CHANNEL_FD (process/proc). */
#ifndef ASCTUNE_PROCESS_CHANNEL_H
#define ASCTUNE_PROCESS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

enum { CHANNEL_FD = 3, CHANNEL_MAX_LINE = 16 << 20 };

struct json_doc;

struct channel {
	int fd;
	bool patient;   /* sending never waits: what does not go at once stays in `out` */
	struct buf out; /* bytes to be sent */
	struct buf in;  /* bytes received and not yet taken */
	size_t scanned; /* bytes of `in` that were searched for a newline */
};

void channel_init(struct channel *c, int fd); /* does not own fd */
void channel_fini(struct channel *c);

/* Sends one line, or several with a newline between them (no newline at the end), completely unless
 * the channel is patient. ASC_IO when the other side is gone, ASC_LIMIT when the system lacks
 * something. Two that both wait for the other to
 * read wait for ever: one side has to be patient, and to receive. */
enum asc_status channel_send(struct channel *c, const struct buf *line, struct asc_err *e);

/* Sends as much of a patient channel as goes without waiting. */
enum asc_status channel_flush(struct channel *c, struct asc_err *e);

/* Takes the next whole line as a document; *out is NULL when none came within timeout_ns (0: only
 * what is there; -1: no limit). ASC_IO at the end of the stream, ASC_PROTOCOL for a line that is
 * not JSON or too long. */
enum asc_status channel_receive(struct channel *c, int64_t timeout_ns, struct json_doc **out,
				struct asc_err *e);

/* Waits, without a limit, for a line that is one of `lines` (NULL-terminated) to the letter, and
 * takes it from among those that have come: lines before it stay, to be received. *which is its
 * index. */
enum asc_status channel_await(struct channel *c, const char *const *lines, size_t *which,
			      struct asc_err *e);

#endif
