#define AMOUNT (SCALE + 1)
