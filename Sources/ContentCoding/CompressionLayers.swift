internal import ProxydCBrotli
internal import ProxydCZlib
internal import ProxydCZstd

/// gzip (RFC 1952, several members) and deflate (RFC 1950, or raw RFC 1951 as some servers send).
final class InflateLayer: CodingLayer {
    private enum Phase {
        /// deflate only: the first bytes, kept until they distinguish zlib from raw deflate.
        case sniffing([UInt8])
        case decoding
        /// A stream has ended; gzip may continue with another member.
        case betweenMembers
        /// Data after the last member is padding or garbage, and ignored as gzip(1) does.
        case ignoringRest
    }

    private let isGzip: Bool
    private var phase: Phase
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStreamOpen = false
    private(set) var hasUnusedInput = false
    /// How many bytes of the current member of gzip have come, up to those of its flags.
    private var memberByteCount = 0

    /// - Throws: `.outOfMemory`.
    init(_ coding: Coding) throws(ContentCodingError) {
        isGzip = coding == .gzip
        phase = isGzip ? .decoding : .sniffing([])
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 31 = the largest window, gzip wrapper.
        if isGzip, !open(windowBits: 31) { throw .outOfMemory(coding) }
    }

    deinit {
        if isStreamOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    var isAtEnd: Bool {
        switch phase {
        case .betweenMembers, .ignoringRest: true
        case .sniffing, .decoding: false
        }
    }

    func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        switch phase {
        case .sniffing(let buffered): return sniff(buffered, input, into: output)
        case .decoding: return member(input, into: output)
        case .betweenMembers:
            guard let first = input.first else { return running(0, 0) }
            guard isGzip, first == 0x1F, inflateReset(stream) == Z_OK else {
                phase = .ignoringRest
                hasUnusedInput = true
                return running(input.count, 0)
            }
            phase = .decoding
            memberByteCount = 0
            return member(input, into: output)
        case .ignoringRest: return running(input.count, 0)
        }
    }

    /// Inflates, and looks at the flags of a member of gzip (RFC 1952 §2.3.1): a field of extra
    /// bytes, a file name, a comment.
    private func member(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        let step = inflateSome(input, into: output)
        guard isGzip, memberByteCount < 4 else { return step }
        let flags = 3 - memberByteCount
        if flags < step.consumedByteCount, input[flags] & 0x1C != 0 { hasUnusedInput = true }
        memberByteCount += step.consumedByteCount
        return step
    }

    private func sniff(
        _ buffered: [UInt8], _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        var prefix = buffered
        let taken = min(2 - buffered.count, input.count)
        prefix.append(contentsOf: input.prefix(taken))
        guard prefix.count == 2 else {
            phase = .sniffing(prefix)
            return running(taken, 0)
        }
        guard open(windowBits: Coding.isZlibHead(prefix) ? 15 : -15) else { return .corrupt }
        phase = .decoding
        let step = prefix.withUnsafeBufferPointer { inflateSome($0, into: output) }
        return LayerStep(
            consumedByteCount: taken, producedByteCount: step.producedByteCount,
            outcome: step.outcome
        )
    }

    private func inflateSome(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        let offered = min(input.count, Int(Int32.max))
        let room = min(output.count, Int(Int32.max))
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(truncatingIfNeeded: offered)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(truncatingIfNeeded: room)
        let code = inflate(stream, Z_NO_FLUSH)
        let consumed = offered - Int(stream.pointee.avail_in)
        let produced = room - Int(stream.pointee.avail_out)
        switch code {
        case Z_OK, Z_BUF_ERROR: return running(consumed, produced)
        case Z_STREAM_END:
            phase = .betweenMembers
            return running(consumed, produced)
        default:
            return LayerStep(
                consumedByteCount: consumed, producedByteCount: produced, outcome: .corrupt
            )
        }
    }

    private func open(windowBits: Int32) -> Bool {
        isStreamOpen = czlib_inflateInit2(stream, windowBits) == Z_OK
        return isStreamOpen
    }

    private func running(_ consumed: Int, _ produced: Int) -> LayerStep {
        LayerStep(consumedByteCount: consumed, producedByteCount: produced, outcome: .running)
    }
}

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
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        // Bytes after the end of the stream are ignored, as in browsers.
        if isAtEnd {
            hasUnusedInput = hasUnusedInput || !input.isEmpty
            return LayerStep(
                consumedByteCount: input.count, producedByteCount: 0, outcome: .running
            )
        }
        var inputLeft = input.count
        var nextInput = input.baseAddress
        var outputLeft = output.count
        var nextOutput = output.baseAddress
        let result = BrotliDecoderDecompressStream(
            state, &inputLeft, &nextInput, &outputLeft, &nextOutput, nil
        )
        isAtEnd = result == BROTLI_DECODER_RESULT_SUCCESS
        return LayerStep(
            consumedByteCount: input.count - inputLeft,
            producedByteCount: output.count - outputLeft,
            outcome: result == BROTLI_DECODER_RESULT_ERROR ? .corrupt : .running
        )
    }
}

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
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
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
            outcome = code == ZSTD_error_frameParameter_windowTooLarge ? .windowTooLarge : .corrupt
        }
        isAtEnd = result == 0
        isAtFrame = isAtEnd || (isAtFrame && source.pos == 0)
        return LayerStep(
            consumedByteCount: source.pos, producedByteCount: target.pos, outcome: outcome
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
