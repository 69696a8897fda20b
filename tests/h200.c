#include "tests/h200.h"

#include "tuner/workload/limits/facts.h"

const struct facts *h200_facts(void)
{
	static struct facts f;

	facts_set(&f, FACT_PROCESSORS, 132);
	facts_set(&f, FACT_WARP_SIZE, 32);
	facts_set(&f, FACT_BLOCK_THREADS, 1024);
	facts_set(&f, FACT_BLOCK_REGISTERS, 65536);
	facts_set(&f, FACT_BLOCK_SHARED_BYTES, 232448);
	return &f;
}
