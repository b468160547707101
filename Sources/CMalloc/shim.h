// glibc's own functions of its allocator, which Swift's Glibc module does not carry.
#include <malloc.h>
