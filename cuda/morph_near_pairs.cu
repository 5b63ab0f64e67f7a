// erode and dilate of 3x3 and 5x5 without a limit, of samples of at most 14 bits, two at a time.

#include "morph_near.cuh"

LOCAL_ROWS(erode_1, InPairs, 28, Extreme<1, ERODE>)
LOCAL_ROWS(erode_2, InPairs, 28, Extreme<2, ERODE>)
LOCAL_ROWS(dilate_1, InPairs, 28, Extreme<1, DILATE>)
LOCAL_ROWS(dilate_2, InPairs, 28, Extreme<2, DILATE>)
