// median: the middle one of the samples around a place.

#include "median.cuh"

LOCAL_ROWS(median_1, Singly, 20, OfNine)
LOCAL_ROWS(median_2, Singly, 12, OfTwentyFive)
