/* libms_tools_ext.so of the stand-in: ranges that a program names, which become markers of MSPTI.
 */
#include "tuner/base/units.h"
#include "tuner/standin/standin_core.h"
#include "tuner/standin/standin_listener.h"
#include "tuner/standin/standin_mspti.h"

enum { RANGE_START = 2, RANGE_END = 4 };

static uint64_t ranges;

static void mark(const char *message, uint64_t id, uint32_t flag)
{
	const struct standin_mark m = {
		.message = message, .id = id, .flag = flag, .at_ns = clock_now_ns()};

	STANDIN_TELL(mark, &m);
}

uint64_t mstxRangeStartA(const char *message, void *stream)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const uint64_t id = message ? ++ranges : 0;

	if (id)
		mark(message, id, RANGE_START);
	(void)standin_leave(__func__, STANDIN_OK, "%llu %p %s", (unsigned long long)id, stream,
			    message ? message : "");
	return id;
}

void mstxRangeEnd(uint64_t id)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	mark("", id, RANGE_END);
	(void)standin_leave(__func__, STANDIN_OK, "%llu", (unsigned long long)id);
}
