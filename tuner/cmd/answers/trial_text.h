/* One trial in full (`asctune run --config`). */
#ifndef ASCTUNE_CMD_ANSWERS_TRIAL_TEXT_H
#define ASCTUNE_CMD_ANSWERS_TRIAL_TEXT_H

struct json_writer;
struct loop_event;
struct loop_options;

/* Prints to stdout, for people: configuration, status, build, time, errors, samples, metrics, log.
 * `title` is WORKLOAD/PROBLEM. */
void trial_text_print(const char *title, const struct loop_options *o,
		      const struct loop_event *event);

/* Writes members of an open object: the build's command, and the text that it reads beside the
 * source. */
void trial_text_write_build(const struct loop_options *o, const struct loop_event *event,
			    struct json_writer *w);

#endif
