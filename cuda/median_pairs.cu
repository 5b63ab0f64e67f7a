// median of samples of at most 14 bits, two at a time.

#include "median.cuh"

LOCAL_ROWS(median_1, InPairs, 28, OfNine)
LOCAL_ROWS(median_2, InPairs, 10, OfTwentyFive)
