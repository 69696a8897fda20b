/* Messages: notes, warnings and debug lines, sent to a sink that the caller installs.
 *
 * Nothing below tuner/cmd prints; without a sink messages are dropped. Safe from one thread only.
 */
#ifndef ASCTUNE_BASE_LOG_H
#define ASCTUNE_BASE_LOG_H

enum log_level { LOG_WARN, LOG_NOTE, LOG_DEBUG };

/* `text` is one line without newline, valid during the call. */
typedef void log_sink_fn(void *user, enum log_level level, const char *text);

void log_set_sink(log_sink_fn *sink, void *user);
void log_print(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
