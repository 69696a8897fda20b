/* Settings of a configuration: NAME=VALUE,..., as keys and output name them. Pure; texts are
 * borrowed. */
#ifndef ASCTUNE_RESULT_SETTING_H
#define ASCTUNE_RESULT_SETTING_H

#include <stdbool.h>
#include <stddef.h>

struct json_writer;

struct setting { /* parts of a key, not ended by NUL */
	const char *name, *value;
	size_t name_len, value_len;
};

/* Takes the next setting of a key and moves behind it; false at its end. */
bool setting_next(const char **key, struct setting *out);

/* Finds a parameter in a key; false: the configuration has none of that name. */
bool setting_find(const char *key, const char *name, size_t name_len, struct setting *out);

bool setting_same_value(const struct setting *a, const struct setting *b);

/* True if the key has that parameter with that value. */
bool setting_is_in(const struct setting *s, const char *key);

/* True if each of `n` keys has it. */
bool setting_is_common(const struct setting *s, const char *const *keys, size_t n);

/* Writes the settings of a text, in any order, as two members: "config", an object in the text's
 * order, and "config_key", the canonical key, with names in byte order. */
void setting_write_config(const char *text, struct json_writer *w);

#endif
