/* The replies of a worker, one function for each event of worker/protocol. */
#ifndef ASCTUNE_WORKER_WORKER_REPLY_H
#define ASCTUNE_WORKER_WORKER_REPLY_H

#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"
#include "tuner/worker/protocol.h"

struct channel;
struct peaks;

enum asc_status reply_ready(struct channel *c, const char *of, struct asc_err *e);
enum asc_status reply_peaks(struct channel *c, const struct peaks *p, struct asc_err *e);
enum asc_status reply_result(struct channel *c, uint64_t id, const struct result *r,
			     struct asc_err *e);

/* `e` holds the reason, and takes that of a failure to send. */
enum asc_status reply_failed(struct channel *c, const char *of, struct asc_err *e);

/* `channel` is a struct channel: these are handed on as callbacks. */
enum asc_status reply_doing(void *channel, const char *what, struct asc_err *e);
enum asc_status reply_phase(void *channel, uint64_t id, enum phase phase, size_t step,
			    struct asc_err *e);
enum asc_status reply_finals(void *channel, const struct finals_progress *p, struct asc_err *e);

#endif
