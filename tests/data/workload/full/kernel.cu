// Never run: the tests read the workload only.
extern "C" __global__ void gather_rows_tma() {}
extern "C" __global__ void gather_rows_reference() {}
