#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// zlib's inflateInit2 is a macro, invisible to Swift.
static inline int ccompression_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
