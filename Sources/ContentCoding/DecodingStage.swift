/// A layer of codings with the buffer that its output passes through.
final class DecodingStage {
    let coding: Coding
    /// Octets decoded by this layer so far.
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

    /// The most octets that one step produces.
    var bufferByteCount: Int { buffer.count }
    /// Whether the input seen so far may end here.
    var isAtEnd: Bool { layer.isAtEnd }

    /// Decodes some of the input into the buffer.
    func step(_ input: Span<UInt8>) -> LayerStep {
        input.withUnsafeBufferPointer { layer.step($0, into: buffer) }
    }

    /// Lends what the last step produced: the first `byteCount` octets of the buffer.
    func withOutput(
        _ byteCount: Int,
        _ body: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let produced = UnsafeBufferPointer(buffer).span
        try body(produced.extracting(0..<min(byteCount, produced.count)))
    }
}
