internal import ProxydHTTPModel

/// Logging of received frames, in the log of their stream or of the connection. A new stream has a
/// log from its first frame on.
extension HTTP2Connection {
    /// Starts logging a frame.
    mutating func beginLog(_ header: FrameHeader) {
        frameLog = log(for: header)
        frameBytes = []
        guard let frameLog else { return }
        if frameLog.keepsBytes {
            header.write(into: &frameBytes)
        } else if header.type == .data || header.type.isUnknown {
            note([])
        }
    }

    private mutating func log(for header: FrameHeader) -> FrameLog? {
        guard header.stream > 0 else { return connectionLog }
        let id = StreamID(rawValue: header.stream)
        if let stream = streams.find(id) { return stream.log }
        guard role == .server, let detail = options.frames,
            header.type == .headers || header.type == .continuation
        else { return nil }
        if header.type == .headers { openLog = FrameLog(detail, startedAt: now) }
        return openLog
    }

    /// Adds a part of a DATA frame, or of a frame of unknown type, to the log.
    mutating func notePart(_ input: Span<UInt8>, _ range: Range<Int>, isLast: Bool) {
        guard !frameBytes.isEmpty else { return }
        append(input.extracting(range))
        if isLast { note([]) }
    }

    /// Logs a frame whose payload was received as a whole.
    mutating func notePayload(_ payload: Span<UInt8>) {
        guard frameLog != nil else { return }
        if !frameBytes.isEmpty { append(payload) }
        note(payload)
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { frameBytes.append(contentsOf: $0) }
    }

    private mutating func note(_ payload: Span<UInt8>) {
        let hasValue =
            (frame.type == .resetStream || frame.type == .windowUpdate) && payload.count == 4
        frameLog?.note(
            frame, side: side, isSent: false,
            value: hasValue ? UInt64(payload.bigEndian(at: 0)) : 0, bytes: frameBytes, now: now)
        frameLog = nil
        frameBytes = []
    }

    private mutating func note(_ payload: [UInt8]) { note(payload.span) }
}
