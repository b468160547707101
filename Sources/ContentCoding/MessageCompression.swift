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

/// Compresses the messages in one direction of a WebSocket (RFC 7692 §7.2.1). Not thread-safe; each
/// deflater belongs to one direction.
public final class MessageDeflater {
    private static let problem = ContentCodingError.outOfMemory(.deflate)

    private let keepsContext: Bool
    /// On the heap because zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool

    /// - Parameters:
    ///   - windowBits: 8…15; other values are clamped.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    /// - Throws: `.outOfMemory`.
    public init(windowBits: Int, keepsContext: Bool) throws(ContentCodingError) {
        self.keepsContext = keepsContext
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // zlib does not support a window of 2⁸ bytes without a wrapper. With one of 2⁹ it never
        // refers back further than 250 bytes (512 minus its look-ahead of 262), which fits the
        // smaller window.
        let bits = Int32(truncatingIfNeeded: min(max(windowBits, 9), 15))
        isOpen = czlib_deflateInit2(stream, -bits) == Z_OK
        guard isOpen else { throw MessageDeflater.problem }
    }

    deinit {
        if isOpen { deflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Compresses a whole message into the payload of its frames.
    /// - Throws: `.outOfMemory`; the deflater must not be used after that.
    public func deflate(_ message: Span<UInt8>) throws(ContentCodingError) -> [UInt8] {
        var output: [UInt8] = []
        var offset = 0
        repeat {
            let count = min(message.count &- offset, 1 << 30)
            let isLast = offset &+ count == message.count
            let piece = message.extracting(offset..<(offset &+ count))
            try deflate(piece, flush: isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output)
            offset &+= count
        } while offset < message.count
        if !keepsContext, deflateReset(stream) != Z_OK { throw MessageDeflater.problem }
        // zlib writes nothing if there is nothing to flush; an empty block without the removed tail
        // is a single byte (RFC 7692 §7.2.3.6).
        guard output.count > 4 else { return [0x00] }
        output.removeLast(4)
        return output
    }

    private func deflate(
        _ input: Span<UInt8>, flush: Int32, into output: inout [UInt8]
    ) throws(ContentCodingError) {
        var code = Z_OK
        input.withUnsafeBufferPointer { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(truncatingIfNeeded: input.count)
            repeat {
                let room = min(64 << 10, max(256, input.count))
                let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(truncatingIfNeeded: buffer.count)
                    code = ProxydCZlib.deflate(stream, flush)
                    count = buffer.count &- Int(stream.pointee.avail_out)
                }
                output.append(contentsOf: piece)
            } while code == Z_OK && stream.pointee.avail_out == 0
        }
        // `Z_BUF_ERROR` means that nothing was left to do.
        guard code == Z_OK || code == Z_BUF_ERROR else { throw MessageDeflater.problem }
    }
}
