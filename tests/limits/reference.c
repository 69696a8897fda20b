/* The families of kernels in this folder are planned for, never run: the workload format asks for a
 * reference, and none of them computes one. */
void planned_only(void);

void planned_only(void)
{
}
