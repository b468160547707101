internal import ProxydHTTPModel

/// The frames of one exchange, or those of a connection that belong to no stream, as they come and
/// are sent; bounded. Confined to a loop, like the connections that write it: both sides of an
/// exchange share one.
///
/// The first frames are kept one by one. After those, DATA and WINDOW_UPDATE of one side and
/// direction are joined into runs.
public final class FrameLog {
    /// What is kept of a frame.
    public enum Detail: Sendable, Hashable {
        /// When it passed, its type, flags and length.
        case timeline
        /// Its bytes too, up to so many of all of them.
        case bytes(max: Int)
    }

    /// Frames that are kept one by one.
    private static let singleCountMax = 256
    /// After so many bytes, runs last until the end.
    private static let byteCountMax = 64 << 10

    /// When it began: what its times count from; monotonic nanoseconds.
    public let startedAt: Int64
    private var state: State

    /// An empty log. Of more than `countMax` frames, those that are no part of a run are left out.
    public init(_ detail: Detail, startedAt: Int64, countMax: Int = .max) {
        self.startedAt = startedAt
        state = State(detail, countMax: countMax)
    }

    /// Whether frames' bytes are kept, as far as there is room.
    var keepsOctets: Bool { state.octetCountLeft > 0 }

    /// Bytes that wait for `take`.
    public var byteCount: Int { state.written.count }

    func note(
        _ header: FrameHeader, side: ConnectionRecord.Side, isSent: Bool, value: UInt64,
        octets: [UInt8], now: Int64
    ) {
        state.note(
            FrameRecord(
                side: side, isSent: isSent, type: header.type.rawValue,
                flags: header.flags.rawValue, byteCount: UInt64(header.length), value: value,
                timeUs: (now &- startedAt) / 1_000),
            octets, mayJoin: header.type == .data || header.type == .windowUpdate)
    }

    /// What was noted since this was asked last, as `FrameTimeline` has it. Runs end with it, at
    /// the latest with the last of all.
    public func take(isLast: Bool = false) -> [UInt8] { state.take(isLast: isLast) }
}

extension FrameLog {
    /// All that changes, so that it is accessed once for a frame.
    private struct State {
        /// What the frames of a short exchange need.
        private static let reservedByteCount = 48

        let countMax: Int
        var octetCountLeft: Int
        var written: [UInt8] = []
        private var writtenByteCount = 0
        private var lastTimeUs: Int64 = 0
        private var count = 0
        private var runs: [FrameRecord] = []

        init(_ detail: Detail, countMax: Int) {
            self.countMax = countMax
            octetCountLeft = if case .bytes(let max) = detail { max } else { 0 }
        }

        mutating func note(_ frame: consuming FrameRecord, _ octets: [UInt8], mayJoin: Bool) {
            if !octets.isEmpty, octets.count <= octetCountLeft {
                octetCountLeft &-= octets.count
                frame.octets = octets
            }
            count &+= 1
            if count > FrameLog.singleCountMax, frame.octets.isEmpty, mayJoin {
                join(frame)
            } else if count <= countMax {
                write(frame)
            }
        }

        private mutating func join(_ record: FrameRecord) {
            let place = runs.firstIndex {
                $0.side == record.side && $0.isSent == record.isSent && $0.type == record.type
            }
            guard let place else { return runs.append(record) }
            runs[place].flags = record.flags
            runs[place].byteCount &+= record.byteCount
            runs[place].value &+= record.value
            runs[place].frameCount &+= 1
        }

        private mutating func write(_ record: borrowing FrameRecord) {
            if written.isEmpty { written.reserveCapacity(Self.reservedByteCount) }
            FrameTimeline.append(record, since: &lastTimeUs, to: &written)
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
