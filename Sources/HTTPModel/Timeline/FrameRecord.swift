/// An HTTP/2 frame that was received or sent, or a run of such frames of one kind.
public struct FrameRecord: Sendable, Hashable {
    /// The side of the proxy that the frame's connection is on.
    public var side: ConnectionRecord.Side
    /// Whether the proxy sent it.
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

    /// Creates a frame record.
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
