/// One coding layer and its output buffer.
final class DecodingStage {
    let coding: Coding
    /// The number of bytes decoded by this layer so far.
    var outputByteCount = 0

    private let layer: any CodingLayer
    /// Owned; freed in `deinit`. Only `step` writes it, only `withOutput` reads it.
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    /// - Throws: `.outOfMemory`.
    init(_ coding: Coding) throws(ContentCodingError) {
        self.coding = coding
        layer =
            switch coding {
            case .gzip, .deflate: try InflateLayer(coding)
            case .brotli: try BrotliLayer()
            case .zstd: try ZstdLayer()
            }
        buffer = .allocate(capacity: 32 << 10)
        buffer.initialize(repeating: 0)
    }

    deinit { buffer.deallocate() }

    /// The maximum number of bytes that one step produces.
    var bufferByteCount: Int { buffer.count }
    /// Whether the input seen so far may end here.
    var isAtEnd: Bool { layer.isAtEnd }

    /// Decodes part of the input into the buffer.
    func step(_ input: Span<UInt8>) -> LayerStep {
        input.withUnsafeBufferPointer { layer.step($0, into: buffer) }
    }

    /// Passes on the output of the last step: the first `byteCount` bytes of the buffer.
    func withOutput(
        _ byteCount: Int,
        _ body: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let produced = UnsafeBufferPointer(buffer).span
        try body(produced.extracting(0..<min(byteCount, produced.count)))
    }
}
