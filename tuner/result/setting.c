#include "tuner/result/setting.h"

#include <string.h>

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
