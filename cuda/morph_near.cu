// erode, dilate, minmax of 3x3 and 5x5.

#include "morph_near.cuh"

LOCAL_ROWS(erode_1, Singly, 20, Extreme<1, ERODE>)
LOCAL_ROWS(erode_2, Singly, 16, Extreme<2, ERODE>)
LOCAL_ROWS(dilate_1, Singly, 20, Extreme<1, DILATE>)
LOCAL_ROWS(dilate_2, Singly, 16, Extreme<2, DILATE>)
LOCAL_ROWS(minmax_1, Singly, 20, Extreme<1, MINMAX>)
LOCAL_ROWS(minmax_2, Singly, 16, Extreme<2, MINMAX>)
