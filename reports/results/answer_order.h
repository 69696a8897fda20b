/* Order and membership of a snapshot's rows, as all decisions about answers share them. */
#ifndef ASCTUNE_RESULTS_ANSWER_ORDER_H
#define ASCTUNE_RESULTS_ANSWER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct config_row;
struct final_row;
struct implementation_row;

int order_ints(int64_t a, int64_t b);

/* A time or ratio that is not known (NaN) comes first, as NULL does in SQL. */
int order_times(double a, double b);

/* True for a configuration of the implementation; NULL: of any. */
bool row_is_of(const struct config_row *c, const struct implementation_row *own);

/* True for a finalist that was shown to be slower than the winner of its finals. */
bool final_is_slower(const struct final_row *f);

#endif
