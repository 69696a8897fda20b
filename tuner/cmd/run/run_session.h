/* The session of a command that measures or builds: the device that its options name, opened, with
 * the sandbox as they ask for it. */
#ifndef ASCTUNE_CMD_RUN_RUN_SESSION_H
#define ASCTUNE_CMD_RUN_RUN_SESSION_H

#include "tuner/base/err.h"
#include "tuner/cmd/target.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/input_seeds.h"

struct pool;
struct run_options;
struct workload;

struct run_session { /* the caller's storage, zeroed at first */
	struct target target;
	char *cache, *program;
	struct input_seeds inputs;
	struct session session;
};

/* Reads file, device, policy, inputs, probes, jobs, trust, untrusted and build_only of the options.
 */
enum asc_status run_session_open(const struct run_options *o, struct run_session *s,
				 struct asc_err *e);

/* Settles the sandbox, as the options ask for it: before a device is opened, which a child does. */
enum asc_status run_session_settle(const struct run_options *o, struct asc_err *e);

/* Opens the session of one device of several, which s->target is; the sessions share the pool. */
enum asc_status run_session_open_one(const struct run_options *o, struct pool *pool,
				     struct run_session *s, struct asc_err *e);

/* Number of compilers at once. */
size_t run_session_jobs(const struct run_options *o);
/* Takes the caches that launches find: those of the options where they are given, else those of the
 * workload. */
void run_session_take_caches(struct run_session *s, const struct run_options *o,
			     const struct workload *w);
void run_session_close(struct run_session *s);

#endif
