#pragma once
// What jemalloc has besides malloc and free, which it takes over where it is linked.
#include <jemalloc/jemalloc.h>
