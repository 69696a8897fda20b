#include "tuner/result/setting.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/value.h"

bool setting_next(const char **key, struct setting *out)
{
	const size_t len = strcspn(*key, ","), name = strcspn(*key, "=,");

	if (!**key)
		return false;
	*out = (struct setting){.name = *key,
				.name_len = name,
				.value = *key + name + (name < len),
				.value_len = len - name - (name < len)};
	*key += len + ((*key)[len] == ',');
	return true;
}

bool setting_find(const char *key, const char *name, size_t name_len, struct setting *out)
{
	while (setting_next(&key, out))
		if (out->name_len == name_len && memcmp(out->name, name, name_len) == 0)
			return true;
	return false;
}

bool setting_same_value(const struct setting *a, const struct setting *b)
{
	return a->value_len == b->value_len && memcmp(a->value, b->value, a->value_len) == 0;
}

bool setting_is_in(const struct setting *s, const char *key)
{
	struct setting other;

	return setting_find(key, s->name, s->name_len, &other) && setting_same_value(s, &other);
}

bool setting_is_common(const struct setting *s, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!setting_is_in(s, keys[i]))
			return false;
	return true;
}

/* ---- JSON ---- */

/* Order of names by their bytes, as in a canonical key. */
static int compare_names(const struct setting *a, const struct setting *b)
{
	const size_t n = a->name_len < b->name_len ? a->name_len : b->name_len;
	const int order = memcmp(a->name, b->name, n);

	return order ? order : (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

/* Finds the setting whose name comes next behind that of `last` (NULL: the first). */
static bool find_next(const char *text, const struct setting *last, struct setting *out)
{
	struct setting s;
	bool found = false;

	while (setting_next(&text, &s))
		if ((!last || compare_names(&s, last) > 0) &&
		    (!found || compare_names(&s, out) < 0)) {
			*out = s;
			found = true;
		}
	return found;
}

static void write_setting(const struct setting *s, struct json_writer *w)
{
	struct buf name = {0}, text = {0};
	struct value v;

	buf_add(&name, s->name, s->name_len);
	if (value_parse(s->value, s->value_len, &v)) {
		json_write_value(w, buf_str(&name), v);
	} else {
		buf_add(&text, s->value, s->value_len);
		json_write_string(w, buf_str(&name), buf_str(&text));
	}
	w->out->failed |= name.failed || text.failed;
	buf_fini(&text);
	buf_fini(&name);
}

void setting_write_config(const char *text, struct json_writer *w)
{
	struct setting s, last;
	struct buf key = {0};

	json_write_begin(w, "config", '{');
	for (const char *at = text; setting_next(&at, &s);)
		write_setting(&s, w);
	json_write_end(w, '}');
	for (bool more = find_next(text, NULL, &s); more; more = find_next(text, &last, &s)) {
		buf_add_str(&key, key.len ? "," : "");
		buf_add(&key, s.name, (size_t)(s.value + s.value_len - s.name));
		last = s;
	}
	json_write_string(w, "config_key", buf_str(&key));
	w->out->failed |= key.failed;
	buf_fini(&key);
}
