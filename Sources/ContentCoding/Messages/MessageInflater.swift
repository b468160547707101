internal import ProxydCZlib

/// Decompresses the streamed messages in one direction of a WebSocket (RFC 7692 §7.2.2), with
/// limits per message.
///
/// ```
/// ready ──bytes──▶ ready ──end──▶ ready
///   └── fault ──▶ failed ──end──▶ ready (without context) │ lost (with context)
/// ```
/// Not thread-safe; one inflater belongs to one direction.
public final class MessageInflater {
    private enum State {
        case ready
        /// The rest of the current message cannot be decompressed.
        case failed(ContentCodingError)
        /// No later message can be decompressed, since each may refer to earlier ones.
        case lost(ContentCodingError)
    }

    /// The maximum size of an output piece.
    private static let pieceByteCount = 8 << 10

    private let limits: DecodingLimits
    private let keepsContext: Bool
    private var state = State.ready
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool
    private var inputByteCount = 0
    /// The number of bytes decompressed from the current message so far.
    public private(set) var messageByteCount = 0

    /// Creates an inflater before the first message.
    /// - Parameters:
    ///   - windowBits: 8…15; other values are clamped.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    ///   - limits: The limits for each message.
    /// - Throws: `.outOfMemory`.
    public init(
        windowBits: Int, keepsContext: Bool, limits: DecodingLimits
    ) throws(ContentCodingError) {
        self.limits = limits
        self.keepsContext = keepsContext
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let bits = Int32(truncatingIfNeeded: min(max(windowBits, 8), 15))
        // Negative: raw deflate without a wrapper.
        isOpen = czlib_inflateInit2(stream, -bits) == Z_OK
        guard isOpen else { throw .outOfMemory(.deflate) }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Whether the next bytes can be decompressed.
    public var isReady: Bool { if case .ready = state { true } else { false } }

    /// Decompresses the next bytes of a message and passes on the result in pieces.
    /// - Throws: `.corruptInput`, `.overLimit`; after that, the same error until the message ends.
    public func receive(
        _ input: Span<UInt8>, _ take: (Span<UInt8>) -> Void
    ) throws(ContentCodingError) {
        switch state {
        case .ready: break
        case .failed(let error), .lost(let error): throw error
        }
        inputByteCount = inputByteCount.addingReportingOverflow(input.count).partialValue
        do {
            try inflate(input, take)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Ends a message: passes on its remaining output and prepares for the next message.
    /// - Throws: `.truncatedInput` if it ends within compressed data, and the errors of `receive`.
    public func endMessage(_ take: (Span<UInt8>) -> Void) throws(ContentCodingError) {
        defer { prepareForNext() }
        // The tail of every message is not sent (RFC 7692 §7.2.1).
        let tail: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]
        try receive(tail.span, take)
        // Set if zlib is positioned before a block header.
        guard stream.pointee.data_type & 128 != 0 else {
            state = .failed(.truncatedInput(.deflate))
            throw .truncatedInput(.deflate)
        }
    }

    /// Abandons the current message, which will not end.
    public func abandonMessage() {
        if isReady, inputByteCount > 0 { state = .failed(.truncatedInput(.deflate)) }
        prepareForNext()
    }

    private func prepareForNext() {
        inputByteCount = 0
        messageByteCount = 0
        switch state {
        case .lost: break
        case .failed(let error) where keepsContext: state = .lost(error)
        case .ready where keepsContext: break
        case .ready, .failed: state = inflateReset(stream) == Z_OK ? .ready : .lost(.corrupt)
        }
    }

    private func inflate(
        _ input: Span<UInt8>, _ take: (Span<UInt8>) -> Void
    ) throws(ContentCodingError) {
        var offset = 0
        var isDrained = true
        while offset < input.count || !isDrained {
            let count = min(input.count &- offset, 1 << 30)
            let piece = input.extracting(offset..<(offset &+ count))
            let step = step(piece, take)
            offset &+= step.consumedByteCount
            isDrained = step.isDrained
            switch step.code {
            case Z_OK, Z_BUF_ERROR: break
            // A message may contain a final block followed by others (RFC 7692 §7.2.3.4). The
            // window is kept.
            case Z_STREAM_END: guard inflateResetKeep(stream) == Z_OK else { throw .corrupt }
            default: throw .corrupt
            }
            if step.isStuck { throw .corrupt }
            guard messageByteCount <= limits.allowance(inputByteCount: inputByteCount) else {
                throw .overLimit(decodedByteCount: messageByteCount)
            }
        }
    }

    private struct Step {
        let code: Int32
        let consumedByteCount: Int
        /// Whether all output for the input was passed on.
        let isDrained: Bool
        /// Whether the step made no progress and never will.
        let isStuck: Bool
    }

    private func step(_ input: Span<UInt8>, _ take: (Span<UInt8>) -> Void) -> Step {
        withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: MessageInflater.pieceByteCount
        ) { output in
            input.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: output.count)
                let code = ProxydCZlib.inflate(stream, Z_SYNC_FLUSH)
                let produced = output.count &- Int(stream.pointee.avail_out)
                if produced > 0 {
                    messageByteCount &+= produced
                    take(UnsafeBufferPointer(rebasing: output[..<produced]).span)
                }
                let consumed = input.count &- Int(stream.pointee.avail_in)
                return Step(
                    code: code, consumedByteCount: consumed,
                    isDrained: stream.pointee.avail_out > 0,
                    isStuck: consumed == 0 && produced == 0 && input.count > 0)
            }
        }
    }
}

extension ContentCodingError {
    fileprivate static var corrupt: ContentCodingError { .corruptInput(.deflate) }
}
