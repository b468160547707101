internal import ProxydCBrotli

/// Brotli (RFC 7932); the large window of its draft extension is rejected.
final class BrotliLayer: CodingLayer {
    private let state: OpaquePointer
    private(set) var isAtEnd = false
    private(set) var hasUnusedInput = false

    /// - Throws: `.outOfMemory`.
    init() throws(ContentCodingError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw .outOfMemory(.brotli)
        }
        self.state = state
        BrotliDecoderSetParameter(state, BROTLI_DECODER_PARAM_LARGE_WINDOW, 0)
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        // Bytes after the end of the stream are ignored, as in browsers.
        if isAtEnd {
            hasUnusedInput = hasUnusedInput || !input.isEmpty
            return LayerStep(
                consumedByteCount: input.count,
                producedByteCount: 0,
                outcome: .running
            )
        }
        var inputLeft = input.count
        var nextInput = input.baseAddress
        var outputLeft = output.count
        var nextOutput = output.baseAddress
        let result = BrotliDecoderDecompressStream(
            state,
            &inputLeft,
            &nextInput,
            &outputLeft,
            &nextOutput,
            nil
        )
        isAtEnd = result == BROTLI_DECODER_RESULT_SUCCESS
        return LayerStep(
            consumedByteCount: input.count - inputLeft,
            producedByteCount: output.count - outputLeft,
            outcome: result == BROTLI_DECODER_RESULT_ERROR ? .corrupt : .running
        )
    }
}
