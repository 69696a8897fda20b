/* Compilers that stay: processes that take one command after another, since starting anew costs
 * them more than a small kernel does.
 *
 * They answer requests on a channel (process/channel), in order; what they print beside it is no
 * answer:
 *
 *   {"do":"hello"}                        {"event":"ready"}
 *   {"do":"compile","words":[TEXT,...]} {"event":"compiled","outcome":"built"|"refused"|"planned",
 *                                          "log":TEXT,"metadata":OBJECT or null}
 *                                         {"event":"failed","status":NAME,"text":TEXT}: trouble of
 *                                         the machine, no verdict */
#ifndef ASCTUNE_BUILD_COMPILE_SERVER_H
#define ASCTUNE_BUILD_COMPILE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/build/artifact.h"
#include "tuner/build/build_places.h"
#include "tuner/process/channel.h"
#include "tuner/process/proc.h"

struct build_command;

enum {
	COMPILE_SERVER_COMMANDS = 250, /* after which a process is replaced: libraries leak */
	COMPILE_SERVER_LOG_BYTES = 60000,
	COMPILE_SERVERS_AHEAD = 16
};

struct compile_server {   /* a place for a process */
	struct proc proc; /* pid 0: the place is free */
	struct channel channel;
	char *toolchain;   /* identity of the compiler, as builder_ops.toolchain gives it */
	char *folder;      /* it writes there alone */
	size_t n_places;   /* it reads the first of compile_servers.places, so many */
	size_t grants;     /* of the sandbox at its start */
	struct buf words;  /* output since the last command */
	unsigned commands; /* commands that this process was given */
	bool busy;
	bool ready; /* has replied to "hello"; commands before that wait */
};

struct compile_servers {
	struct compile_server *list;
	size_t n;
	struct build_places places; /* that commands so far have named */
};

/* Outcome of one command; zeroed, then compile_reply_fini(). */
struct compile_reply {
	enum artifact_outcome outcome;
	struct buf log;      /* messages of the compiler, warnings too */
	struct buf metadata; /* "": none */
};
void compile_reply_fini(struct compile_reply *r);

enum asc_status compile_servers_init(struct compile_servers *s, size_t n, struct asc_err *e);
void compile_servers_fini(struct compile_servers *s); /* kills them */

/* Starts processes of a toolchain in free places, which write into `folder`, until there are
 * `most`, or COMPILE_SERVERS_AHEAD. `c` begins with the words that start one. */
enum asc_status compile_servers_warm(struct compile_servers *s, const char *toolchain,
				     const char *folder, const struct build_command *c, size_t most,
				     struct asc_err *e);

/* Gives a command to an idle process of that toolchain and folder that may read what the command
 * names, or to a new one. At most n may be busy. */
enum asc_status compile_servers_send(struct compile_servers *s, const char *toolchain,
				     const char *folder, const struct build_command *c,
				     struct compile_server **out, struct asc_err *e);

/* Receives without waiting: *done when the reply has come. ASC_IO when the process is
 * gone; ASC_NOMEM, ASC_FULL and ASC_CHILD for trouble that it reports: *done then, too. */
enum asc_status compile_server_receive(struct compile_server *s, struct compile_reply *out,
				       bool *done, struct asc_err *e);

void compile_server_release(struct compile_server *s); /* Makes it idle: its command is done. */
void compile_server_kill(struct compile_server *s);

/* ---- the other side ---- */

struct compile_service {
	void (*open)(void); /* Prepares for the first command. */
	/* ASC_NOMEM and ASC_FULL are trouble of the machine; any other failure is a refusal, its
	 * text the last line of the log. */
	enum asc_status (*compile)(const char *const *words, size_t n, struct compile_reply *out,
				   struct asc_err *e);
};

/* Serves until the channel is closed. False for trouble with it. */
bool compile_serve(const struct compile_service *service);

#endif
