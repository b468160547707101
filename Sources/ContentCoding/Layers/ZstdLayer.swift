internal import ProxydCZstd

/// Zstandard (RFC 8878): several frames, windows up to 8 MiB (RFC 9659).
final class ZstdLayer: CodingLayer {
    private static let windowLogMax: Int32 = 23

    private let context: OpaquePointer
    private(set) var isAtEnd = false
    private(set) var hasUnusedInput = false
    /// Whether the next byte starts a frame.
    private var isAtFrame = true

    /// - Throws: `.outOfMemory`.
    init() throws(ContentCodingError) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory(.zstd) }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdLayer.windowLogMax)
    }

    deinit { ZSTD_freeDCtx(context) }

    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        // A further call without input would start waiting for another frame.
        if input.isEmpty, isAtEnd {
            return LayerStep(consumedByteCount: 0, producedByteCount: 0, outcome: .running)
        }
        if isAtFrame, let first = input.first {
            guard ZstdLayer.canBeginFrame(first) else { return .corrupt }
            hasUnusedInput = hasUnusedInput || ZstdLayer.canBeginSkippableFrame(first)
        }
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(context, &target, &source)
        var outcome = LayerStep.Outcome.running
        if ZSTD_isError(result) != 0 {
            let code = ZSTD_getErrorCode(result)
            outcome =
                code == ZSTD_error_frameParameter_windowTooLarge ? .windowTooLarge : .corrupt
        }
        isAtEnd = result == 0
        isAtFrame = isAtEnd || (isAtFrame && source.pos == 0)
        return LayerStep(
            consumedByteCount: source.pos,
            producedByteCount: target.pos,
            outcome: outcome
        )
    }

    /// Accepts frames and skippable frames (RFC 8878 §3.1) only. Debian's library also accepts
    /// formats of versions before 1.0: unused decoders to which the window limit does not apply.
    /// None of those formats starts with a byte that is accepted here.
    private static func canBeginFrame(_ byte: UInt8) -> Bool {
        byte == 0x28 || canBeginSkippableFrame(byte)
    }

    private static func canBeginSkippableFrame(_ byte: UInt8) -> Bool { byte & 0xF0 == 0x50 }
}
