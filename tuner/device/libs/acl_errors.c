#include "tuner/device/libs/acl_errors.h"

#include <stddef.h>

static const struct {
	int code;
	const char *name;
} names[] = {
#define X(code, name) {code, #name},
	ACL_ERROR_LIST(X) ACL_RT_ERROR_LIST(X) ACLNN_ERROR_LIST(X)
#undef X
};

/* Codes that are more than a plain failure. After an exception or a time-out of a core, and after
 * an error of memory or of a link that the device has found, every later call in the context fails.
 */
static const struct {
	int code;
	enum acl_meaning meaning;
} meanings[] = {
	{207000, ACL_ABSENT},    {200006, ACL_ABSENT},      {207001, ACL_NO_MEMORY},
	{207018, ACL_NO_MEMORY}, {107019, ACL_TIMED_OUT},   {107020, ACL_TIMED_OUT},
	{507012, ACL_TIMED_OUT}, {507014, ACL_TIMED_OUT},   {507017, ACL_TIMED_OUT},
	{507034, ACL_TIMED_OUT}, {507046, ACL_TIMED_OUT},   {507047, ACL_TIMED_OUT},
	{507048, ACL_TIMED_OUT}, {507915, ACL_TIMED_OUT},   {507011, ACL_BROKEN},
	{507015, ACL_BROKEN},    {507016, ACL_BROKEN},      {507018, ACL_BROKEN},
	{507035, ACL_BROKEN},    {507036, ACL_BROKEN},      {507042, ACL_BROKEN},
	{507043, ACL_BROKEN},    {507044, ACL_BROKEN},      {507045, ACL_BROKEN},
	{507049, ACL_BROKEN},    {507050, ACL_BROKEN},      {507051, ACL_BROKEN},
	{507052, ACL_BROKEN},    {507053, ACL_BROKEN},      {507054, ACL_BROKEN},
	{507055, ACL_BROKEN},    {507056, ACL_BROKEN},      {507057, ACL_BROKEN},
	{507916, ACL_BROKEN},    {507010, ACL_DEVICE_LOST}, {507033, ACL_DEVICE_LOST},
};

const char *acl_error_name(int code)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].code == code)
			return names[i].name;
	return NULL;
}

enum acl_meaning acl_error_meaning(int code)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (meanings[i].code == code)
			return meanings[i].meaning;
	return ACL_FAILED;
}

bool acl_error_is_lasting(int code)
{
	const enum acl_meaning m = acl_error_meaning(code);

	return m == ACL_TIMED_OUT || m == ACL_BROKEN || m == ACL_DEVICE_LOST;
}
