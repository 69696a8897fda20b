/* What coordinator and worker say to each other: JSON lines over a socket pair (descriptor 3 of the
 * worker). Requests may be sent ahead; they are answered in order.
 *
 * Requests:
 *   {"do":"hello","version":N}
 *   {"do":"open","device":"cpu","ordinal":0,"probes":[NAME,...]}
 *   {"do":"problem","workload":PATH,"hash":H,"problem":NAME,"seed":N,"rewrites_off":BITS,
 *    "cache":FOLDER,"reference":ARTIFACT or null,"device_reference":ARTIFACT or null,
 *    "fills":{TENSOR:ARTIFACT,...}}
 *   {"do":"load","id":N,"implementation":NAME,"config":"K=V,...","artifact":PATH,"unraced":B}
 *   {"do":"measure","ids":[N,...],"rule":{...},"best":[NS,...]}: the samples of
 *    the best configuration so far, which the race is against, left out when they are those of the
 *    request before; with "interleaved":true,
 *    "seed":S the ids are measured in rounds, by turns: samples of equal index are of one round,
 *    and what is clearly slower leaves early, unless it is unraced; no launch is begun after
 *    "until":NS of the monotonic clock (0: no limit)
 *   {"do":"drop","id":N}
 *   {"do":"peaks","type":TYPE}
 * Replies:
 *   {"event":"ready","of":"hello"|"open"|"problem"}
 *   {"event":"doing","what":TEXT} during "problem", before code of the workload runs: whose fault
 * it is when the worker dies or hangs
 *   {"event":"phase","id":N,"phase":"load"} as a phase of a configuration is entered, and again as
 * a sign of life while it lasts. Whose launch it is when the worker dies or hangs is taken from the
 * last one: it is sent before the first launch after another configuration's, in finals too
 *   {"event":"round","done":N,"most":N} after each round of finals
 *   {"event":"result","id":N,...result_write_json()...} once per id: when its load failed, else
 * when it was measured (measure and drop of an id whose load failed are passed over)
 *   {"event":"peaks","flops":R,"flops_low":R,"flops_moments":N,"bandwidth":R,
 *    "bandwidth_low":R,"bandwidth_moments":N} what the device reaches at best (model/roofline)
 *   {"event":"failed","of":"open","text":...} for a request that is not about one configuration */
#ifndef ASCTUNE_RUN_PROTOCOL_H
#define ASCTUNE_RUN_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

enum { PROTOCOL_VERSION = 5, PROTOCOL_FD = 3, PROTOCOL_MAX_LINE = 16 << 20 };

struct json_doc;

struct channel {
	int fd;
	bool patient;   /* sending never waits: what does not go at once stays in `out` */
	struct buf out; /* bytes to be sent */
	struct buf in;  /* bytes received and not yet taken */
	size_t scanned; /* of them, searched for a newline */
};

void channel_init(struct channel *c, int fd); /* does not own fd */
void channel_fini(struct channel *c);

/* Sends one line, or several with a newline between them (no newline at the end), completely unless
 * the channel is patient. ASC_IO when the other side is gone. Two that both wait for the other to
 * read wait for ever: one side has to be patient, and to receive. */
enum asc_status channel_send(struct channel *c, const struct buf *line, struct asc_err *e);

/* Of a patient channel: sends as much as goes without waiting. */
enum asc_status channel_flush(struct channel *c, struct asc_err *e);

/* Takes the next whole line as a document; *out is NULL when none came within timeout_ns (0: only
 * what is there; -1: no limit). ASC_IO at the end of the stream, ASC_PROTOCOL for a line that is
 * not JSON or too long. */
enum asc_status channel_receive(struct channel *c, int64_t timeout_ns, struct json_doc **out,
				struct asc_err *e);

#endif
