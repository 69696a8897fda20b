#include "reports/results/answer_order.h"

#include <math.h>

#include "reports/results/snapshot.h"
#include "tuner/result/tie.h"

int order_ints(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int order_times(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

bool row_is_of(const struct config_row *c, const struct implementation_row *own)
{
	return !own || c->of == own;
}

bool final_is_slower(const struct final_row *f)
{
	return f->standing && standing_parse(f->standing) == STANDING_SLOWER;
}
