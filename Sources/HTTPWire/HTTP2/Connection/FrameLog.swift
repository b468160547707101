internal import ProxydHTTPModel

/// A bounded log of the frames sent and received in one exchange, or of those on a connection that
/// belong to no stream. It is confined to a loop, like the connections that write to it; both sides
/// of an exchange share one log.
///
/// The first frames are kept one by one. After those, DATA and WINDOW_UPDATE frames of the same
/// side and direction are merged into runs.
public final class FrameLog {
    /// How much is kept of a frame.
    public enum Detail: Sendable, Hashable {
        /// Its time, type, flags and length.
        case timeline
        /// Its bytes too, up to a maximum for all frames together.
        case bytes(max: Int)
    }

    /// The number of frames that are kept one by one.
    private static let singleCountMax = 256
    /// Once this many bytes have been written, runs continue until the log ends.
    private static let byteCountMax = 64 << 10

    /// The start of the log in monotonic nanoseconds; the times of frames are relative to it.
    public let startedAt: Int64
    // Exclusive: its members call nothing outside this file.
    @exclusivity(unchecked) private var state: State

    /// Creates an empty log. Once there are more than `countMax` frames, further frames that are
    /// not part of a run are dropped.
    public init(_ detail: Detail, startedAt: Int64, countMax: Int = .max) {
        self.startedAt = startedAt
        state = State(detail, countMax: countMax)
    }

    /// Whether the bytes of frames are kept because there is still room.
    var keepsBytes: Bool { state.byteCountLeft > 0 }

    /// The number of bytes waiting for `take`.
    public var byteCount: Int { state.written.count }

    func note(
        _ header: FrameHeader, side: ConnectionRecord.Side, isSent: Bool, value: UInt64,
        bytes: [UInt8], now: Int64
    ) {
        state.note(
            FrameRecord(
                side: side, isSent: isSent, type: header.type.rawValue,
                flags: header.flags.rawValue, byteCount: UInt64(header.length), value: value,
                timeUs: (now &- startedAt) / 1_000),
            bytes, mayJoin: header.type == .data || header.type == .windowUpdate)
    }

    /// Keeps no bytes of frames, neither of later ones nor of those that wait for `take`.
    public func forgetBytes() { state.forgetBytes() }

    /// Returns what was logged since the last call, in the format of `FrameTimeline`. This ends the
    /// current runs; once the log is long, only the call with `isLast` does.
    public func take(isLast: Bool = false) -> [UInt8] { state.take(isLast: isLast) }

    /// All mutable state in one struct, so that it is accessed only once per frame.
    private struct State {
        /// Enough for the frames of a short exchange.
        private static let reservedByteCount = 48

        let countMax: Int
        var byteCountLeft: Int
        var written: [UInt8] = []
        private var writtenByteCount = 0
        private var lastTimeUs: Int64 = 0
        private var count = 0
        private var runs: [FrameRecord] = []

        init(_ detail: Detail, countMax: Int) {
            self.countMax = countMax
            byteCountLeft = if case .bytes(let max) = detail { max } else { 0 }
        }

        mutating func note(_ frame: consuming FrameRecord, _ bytes: [UInt8], mayJoin: Bool) {
            if !bytes.isEmpty, bytes.count <= byteCountLeft {
                byteCountLeft &-= bytes.count
                frame.bytes = bytes
            }
            count &+= 1
            if count > FrameLog.singleCountMax, frame.bytes.isEmpty, mayJoin {
                join(frame)
            } else if count <= countMax {
                write(frame)
            }
        }

        private mutating func join(_ record: FrameRecord) {
            let index = runs.firstIndex {
                $0.side == record.side && $0.isSent == record.isSent && $0.type == record.type
            }
            guard let index else { return runs.append(record) }
            runs[index].flags = record.flags
            runs[index].byteCount &+= record.byteCount
            runs[index].value &+= record.value
            runs[index].frameCount &+= 1
        }

        private mutating func write(_ record: borrowing FrameRecord) {
            if written.isEmpty { written.reserveCapacity(Self.reservedByteCount) }
            FrameTimeline.append(record, since: &lastTimeUs, to: &written)
        }

        mutating func forgetBytes() {
            byteCountLeft = 0
            written = FrameTimeline.withoutBytes(written)
        }

        mutating func take(isLast: Bool) -> [UInt8] {
            if isLast || writtenByteCount < FrameLog.byteCountMax {
                for run in runs { write(run) }
                runs = []
            }
            writtenByteCount &+= written.count
            defer { written = [] }
            return written
        }
    }
}

/// Logging of received frames, in the log of their stream or of the connection. A new stream has a
/// log from its first frame on.
extension HTTP2Connection {
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
