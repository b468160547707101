/// A frame of HTTP/2 that came or was sent, or a run of such frames of one kind.
public struct FrameRecord: Sendable, Hashable {
    /// On whose connection.
    public var side: ConnectionRecord.Side
    /// Whether we sent it.
    public var isSent: Bool
    /// Its type (RFC 9113 §6): 0 for DATA, 1 for HEADERS.
    public var type: UInt8
    /// Its flags; those of the last one of a run.
    public var flags: UInt8
    /// Bytes of its payload, padding included; the sum of a run.
    public var byteCount: UInt64
    /// How many frames: 1, or those of a run.
    public var frameCount: UInt32
    /// What a WINDOW_UPDATE gives, the sum of a run; the code of a RST_STREAM; 0 for all others.
    public var value: UInt64
    /// When it came or was sent, or the first of a run: microseconds since the beginning of the
    /// exchange, or of the connection.
    public var timeUs: Int64
    /// The frame as on the wire, header included; empty where it was not kept.
    public var octets: [UInt8]

    /// A frame.
    public init(
        side: ConnectionRecord.Side, isSent: Bool, type: UInt8, flags: UInt8 = 0,
        byteCount: UInt64 = 0, frameCount: UInt32 = 1, value: UInt64 = 0, timeUs: Int64 = 0,
        octets: [UInt8] = []
    ) {
        self.side = side
        self.isSent = isSent
        self.type = type
        self.flags = flags
        self.byteCount = byteCount
        self.frameCount = frameCount
        self.value = value
        self.timeUs = timeUs
        self.octets = octets
    }

    /// The name that RFC 9113 or RFC 9218 gives the type, else `type` and its number.
    public var typeName: String {
        if type < FrameRecord.names.count { return FrameRecord.names[Int(type)] }
        return type == 0x10 ? "PRIORITY_UPDATE" : "type \(type)"
    }

    private static let names = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
        "WINDOW_UPDATE", "CONTINUATION",
    ]
}
