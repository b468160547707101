/// The storage format of frames: 4 to 6 bytes for a frame without its own bytes. Data written in
/// pieces can be concatenated.
///
/// Each record is
/// ```
/// byte     bits 0–3: type, 15 where a byte of its own has it; 4: server's side; 5: sent by us;
///          6: a run; 7: has bytes
/// byte     the type, where bits 0–3 are 15
/// number   microseconds since the record before, zigzag
/// byte     flags
/// number   bytes of the payload
/// number   frames, in a run
/// number   the value, for RST_STREAM and WINDOW_UPDATE
/// number   how many bytes of the frame follow, and these, where it has any
/// ```
/// Numbers are unsigned LEB128; zigzag numbers are −1 as 1, 1 as 2, −2 as 3.
public enum FrameTimeline {
    private static let longType: UInt8 = 0x0F
    private static let serverBit: UInt8 = 0x10
    private static let sentBit: UInt8 = 0x20
    private static let runBit: UInt8 = 0x40
    private static let bytesBit: UInt8 = 0x80

    /// Appends a record; `since` is the time of the previous one, 0 for the first, and is set to
    /// the time of this one.
    public static func append(
        _ frame: borrowing FrameRecord, since: inout Int64, to output: inout [UInt8]
    ) {
        var first = min(frame.type, longType)
        if frame.side == .server { first |= serverBit }
        if frame.isSent { first |= sentBit }
        if frame.frameCount > 1 { first |= runBit }
        if !frame.bytes.isEmpty { first |= bytesBit }
        output.append(first)
        if frame.type >= longType { output.append(frame.type) }
        let step = frame.timeUs &- since
        since = frame.timeUs
        append(UInt64(bitPattern: (step &<< 1) ^ (step &>> 63)), to: &output)
        output.append(frame.flags)
        append(frame.byteCount, to: &output)
        if frame.frameCount > 1 { append(UInt64(frame.frameCount), to: &output) }
        if hasValue(frame.type) { append(frame.value, to: &output) }
        guard !frame.bytes.isEmpty else { return }
        append(UInt64(frame.bytes.count), to: &output)
        output.append(contentsOf: frame.bytes)
    }

    /// Returns the records in the order in which they were written; a truncated record at the end
    /// is ignored.
    public static func records(_ bytes: [UInt8]) -> [FrameRecord] {
        var reader = Reader(bytes: bytes)
        var records: [FrameRecord] = []
        var time: Int64 = 0
        while let record = reader.record(since: time) {
            time = record.timeUs
            records.append(record)
        }
        return records
    }

    public static func withoutBytes(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var time: Int64 = 0
        for var record in records(bytes) {
            record.bytes = []
            append(record, since: &time, to: &output)
        }
        return output
    }

    private static func hasValue(_ type: UInt8) -> Bool { type == 3 || type == 8 }

    private static func append(_ number: UInt64, to output: inout [UInt8]) {
        var left = number
        while left >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left &>>= 7
        }
        output.append(UInt8(truncatingIfNeeded: left))
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func record(since time: Int64) -> FrameRecord? {
            guard let first = byte() else { return nil }
            var type = first & longType
            if type == longType {
                guard let long = byte() else { return nil }
                type = long
            }
            guard let step = number(), let flags = byte(), let byteCount = number() else {
                return nil
            }
            var record = FrameRecord(
                side: first & serverBit != 0 ? .server : .client, isSent: first & sentBit != 0,
                type: type, flags: flags, byteCount: byteCount)
            record.timeUs = time &+ (Int64(bitPattern: step &>> 1) ^ -Int64(step & 1))
            if first & runBit != 0 {
                guard let count = number() else { return nil }
                record.frameCount = UInt32(clamping: count)
            }
            if hasValue(type) {
                guard let value = number() else { return nil }
                record.value = value
            }
            if first & bytesBit != 0 {
                guard let count = number(), count <= UInt64(bytes.count &- place) else {
                    return nil
                }
                let end = place &+ Int(count)
                record.bytes = Array(bytes[place..<end])
                place = end
            }
            return record
        }

        private mutating func byte() -> UInt8? {
            guard place < bytes.count else { return nil }
            defer { place &+= 1 }
            return bytes[place]
        }

        private mutating func number() -> UInt64? {
            var number: UInt64 = 0
            var shift: UInt64 = 0
            while shift < 64, let byte = byte() {
                number |= UInt64(byte & 0x7F) &<< shift
                if byte & 0x80 == 0 { return number }
                shift &+= 7
            }
            return nil
        }
    }
}

/// An HTTP/2 frame that was received or sent, or a run of such frames of one kind.
public struct FrameRecord: Sendable, Hashable {
    /// The side of the proxy that the frame's connection is on.
    public var side: ConnectionRecord.Side
    public var isSent: Bool
    /// The type (RFC 9113 §6): 0 for DATA, 1 for HEADERS.
    public var type: UInt8
    /// The flags; of a run, those of its last frame.
    public var flags: UInt8
    /// The size of the payload in bytes, including padding; of a run, the sum.
    public var byteCount: UInt64
    /// The number of frames: 1, or more for a run.
    public var frameCount: UInt32
    /// The increment of a WINDOW_UPDATE, summed over a run; the code of a RST_STREAM; 0 for others.
    public var value: UInt64
    /// When the frame, or the first one of a run, was received or sent: in microseconds since the
    /// start of the exchange or of the connection.
    public var timeUs: Int64
    /// The frame as on the wire, including its header; empty if it was not stored.
    public var bytes: [UInt8]

    public init(
        side: ConnectionRecord.Side, isSent: Bool, type: UInt8, flags: UInt8 = 0,
        byteCount: UInt64 = 0, frameCount: UInt32 = 1, value: UInt64 = 0, timeUs: Int64 = 0,
        bytes: [UInt8] = []
    ) {
        self.side = side
        self.isSent = isSent
        self.type = type
        self.flags = flags
        self.byteCount = byteCount
        self.frameCount = frameCount
        self.value = value
        self.timeUs = timeUs
        self.bytes = bytes
    }

    /// The name of the type in RFC 9113 or RFC 9218; otherwise `type` and its number.
    public var typeName: String {
        if type < FrameRecord.names.count { return FrameRecord.names[Int(type)] }
        return type == 0x10 ? "PRIORITY_UPDATE" : "type \(type)"
    }

    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
        "WINDOW_UPDATE", "CONTINUATION",
    ]
}
