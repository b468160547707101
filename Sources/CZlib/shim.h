#include <zlib.h>

// zlib's inflateInit2 is a macro, invisible to Swift.
static inline int czlib_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

// So is deflateInit2. Level 6 and 8 units of memory are what gzip(1) uses.
static inline int czlib_deflateInit2(z_stream *stream, int windowBits) {
    return deflateInit2(stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}
