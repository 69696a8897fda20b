/* Messages between coordinator and worker: JSON lines over a channel
 * (process/channel). Requests may be sent ahead; they are answered in order.
 *
 * Requests:
 *   {"do":"hello","version":N}
 *   {"do":"open","device":"cuda","place":"1","probes":[NAME,...],"awaits":B}: the device is opened
 *    beside what is asked for next, or, where the coordinator awaits that, before the answer
 *   {"do":"problem","workload":PATH,"hash":H,"problem":NAME,"seeds":[N,...],
 *    "references_ns":NS,"references_bytes":BYTES,"hard":NAME,"quiet":B,"rewrites_off":BITS,
 *    "cache":FOLDER,"folder":FOLDER or null,"reference":ARTIFACT or null,
 *    "device_reference":ARTIFACT or null,"own":{"implementation":NAME,"config":"K=V,...",
 *    "artifacts":[...],"key":HASH} or null,"fills":{TENSOR:ARTIFACT,...},"digests":[TEXT,...],
 *    "policy":{...}}: while no configuration is loaded; in a process that has loaded any, only
 * where the cache has the reference; "own" is the configuration that is the reference, as in
 *    "load", and the key of its launch; the digests are those of contents in files; a reference
 * that the cache does not have is written to "folder", from where it is moved
 *   {"do":"load","id":N,"implementation":NAME,"config":"K=V,...",
 *    "artifacts":[{"path":PATH,"metadata":TEXT},...],"full":B,"best":B,
 *    "side":{"workload":PATH,"hash":H,"problem":NAME}}: of each call of the implementation;
 *    the text (workload/binding/plan_metadata) completes its launch; "best" is the best on
 *    record, which is chosen among ties; a "side" is another copy of
 *    the workload, which has the implementation and plans its launch, on the problem's tensors
 *    (workload/binding/binding_side)
 *   {"do":"incumbent","samples":[NS,...]}: samples of the incumbent, against which configurations
 *    race from now on; sent when there is another incumbent
 *   {"do":"measure","ids":[N,...],"until":TIME,"needed":B,"unseen":N}: no launch begins after
 *    "until" (0: no limit); a configuration that is needed is verified and sampled once even then;
 *    one that is alone also meets inputs that come of "unseen" (unseen_inputs.h)
 *   {"do":"measure","ids":[N,...],"until":TIME,"interleaved":true,"seed":S,"unseen":N,
 *    "begun":TIME}: in rounds, in each of which every configuration takes one sample; samples of
 *    equal index are of one round; in one of them each meets unseen inputs, too. A configuration
 * that is clearly slower leaves early, unless it was loaded with "full". Behind them launches of
 * the best are compared, as many as the time since the begin of the run allows (0: none)
 *   {"do":"profile","id":N,"until":TIME,"experiments":B,"captures":B,
 *    "probes":[NAME,...],"set":NAME,"texts":[{"name":NAME,"text":TEXT},...]}: times and counts it,
 *    and last tries whether launches may be recorded (profile_config.h); the texts are read behind
 *    the program's own (probes/metrics/metric_book.h). Its result has the readings as metrics
 *   {"do":"drop","id":N}
 *   {"do":"peaks","type":TYPE}
 *   {"do":"clock"} and {"do":"go on"}, taken before what was sent ahead of them: answers to a
 *    result, behind which the worker waits. "go on" is the last: the coordinator has the result,
 *    and knows that the worker's clock was right until then
 * Replies:
 *   {"event":"ready","of":"hello"|"open"|"device"|"problem","sets":N}: what needs the device waits
 *    until it is open, and says so; of a problem with the number of its sets of inputs, which may
 * be fewer than it was sent seeds for
 *   {"event":"doing","what":TEXT} during "problem", before code of the workload runs: the
 * coordinator blames that code when the worker dies or hangs; during "measure", before other inputs
 * are put on the device: until the next event the worker may be silent as long as it may to set
 * them up
 *   {"event":"note","text":TEXT} during "problem": what the user is to know of it
 *   {"event":"phase","id":N,"phase":"load","step":K,"at":TIME} as a configuration enters a phase,
 * and again as a heartbeat while the phase lasts; K is the call, counted from 1, that is loaded or
 * launched alone, 0 for all of them; of a profile that measures the pass of a probe. When the
 * worker dies or hangs, the coordinator blames the configuration of the last such event: one is
 * sent before the first launch after another configuration's, in finals too
 *   {"event":"finals","of":"round","done":N,"most":N,"left_ns":N} as a step of finals goes on
 *   {"event":"result","id":N,"at":TIME,...result_write_json()...} once per id: when its load
 * failed, else when it was measured (measure and drop of an id whose load failed are passed over).
 * Two exceptions: the incumbent has a second one if it fails when it is launched again; and where a
 * finalist failed, but for launches that were compared, only finalists that failed have one, and
 * the worker ends
 *   {"event":"peaks","rows":[{"unit":"FLOP/s","type":TYPE,"rate":R,"low":R,"moments":N},...]} what
 * the device reaches at best (result/roofline)
 *   {"event":"clock","at":TIME} what "clock" asks for
 * "at" is the worker's time, which is also the coordinator's: later than in the message before, and
 * no later than when the message is read; that of "clock" is no earlier than when it was asked for.
 *   {"event":"failed","of":"problem","text":...,"input":B} for a request that is not about one
 * configuration; "input": the workload, or what it reads, is at fault
 */
#ifndef ASCTUNE_WORKER_PROTOCOL_H
#define ASCTUNE_WORKER_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct channel;
struct json_node;
struct json_writer;
struct peaks;

enum { PROTOCOL_VERSION = 19 };

enum { FINALISTS_MAX = 66 }; /* configurations that are measured in the same rounds */

/* Steps of finals, which are counted: finalists, rounds, disturbed samples within a round,
 * finalists. id, name */
#define FINALS_STEP_LIST(X)                                                                        \
	X(WARM_UP, "warm-up") /* each is verified and launched until it is warm */                 \
	X(ROUND, "round")                                                                          \
	X(RETAKE, "retake")             /* at most twice a second */                               \
	X(VERIFICATION, "verification") /* each is verified once more */

enum finals_step {
#define X(id, name) FINALS_##id,
	FINALS_STEP_LIST(X)
#undef X
};

const char *finals_step_name(enum finals_step s);

struct finals_progress {
	enum finals_step step;
	int64_t done, most; /* as the step counts, 0 <= done <= most */
	int64_t left_ns;    /* of ROUND, VERIFICATION: expected time until the finals end; 0: not
			       known, or none */
};

/* Reads the step's name into the progress of a worker, whose memory a kernel may have written over;
 * ASC_PROTOCOL for progress that no finals make. */
enum asc_status finals_progress_parse(const char *step, struct finals_progress *p,
				      struct asc_err *e);

/* A TIME of the clock (clock_now_ns()), as a text: numbers of JSON are exact up to 2^53, which the
 * clock passes after 104 days. The reader is a json_read_fn for an int64_t; ASC_INPUT for a time
 * below 0. */
void protocol_write_time(struct json_writer *w, const char *key, int64_t ns);
enum asc_status protocol_read_time(const struct json_node *n, void *ns, struct asc_err *e);

/* ---- replies, sent by a worker: one function for each event ---- */

enum asc_status reply_ready(struct channel *c, const char *of, size_t sets, struct asc_err *e);
enum asc_status reply_peaks(struct channel *c, const struct peaks *p, struct asc_err *e);
/* Waits for "go on": until then nothing of the configuration is undone, and no other is loaded,
 * whose code could put right a clock that this one's had patched. */
enum asc_status reply_result(struct channel *c, uint64_t id, const struct result *r,
			     struct asc_err *e);

/* `e` holds the reason, and takes that of a failure to send. */
enum asc_status reply_failed(struct channel *c, const char *of, struct asc_err *e);

/* `channel` is a struct channel: these are handed on as callbacks. */
enum asc_status reply_doing(void *channel, const char *what, struct asc_err *e);
enum asc_status reply_note(void *channel, const char *text, struct asc_err *e);
enum asc_status reply_phase(void *channel, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e);
enum asc_status reply_finals(void *channel, const struct finals_progress *p, struct asc_err *e);

#endif
