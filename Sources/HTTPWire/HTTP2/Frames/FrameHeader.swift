/// The nine bytes before each frame's payload (RFC 9113 §4.1).
struct FrameHeader: Sendable, Hashable {
    static let byteCount = 9

    /// The length of the payload in bytes.
    var length: Int
    var type: FrameType
    var flags: FrameFlags
    /// The stream identifier; 0 means the connection.
    var stream: UInt32

    init(length: Int, type: FrameType, flags: FrameFlags = [], stream: UInt32 = 0) {
        self.length = length
        self.type = type
        self.flags = flags
        self.stream = stream
    }

    /// Parses nine bytes. The reserved bit is ignored.
    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) &<< 16 | Int(bytes[1]) &<< 8 | Int(bytes[2])
        type = FrameType(rawValue: bytes[3])
        flags = FrameFlags(rawValue: bytes[4])
        stream = bytes.bigEndian(at: 5) & 0x7FFF_FFFF
    }

    /// Whether the frame announces its sender's settings, i.e. is not an acknowledgement.
    var isSettings: Bool { type == .settings && !flags.contains(.acknowledgement) }

    func write(into output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: length &>> 16))
        output.append(UInt8(truncatingIfNeeded: length &>> 8))
        output.append(UInt8(truncatingIfNeeded: length))
        output.append(type.rawValue)
        output.append(flags.rawValue)
        output.appendBigEndian(stream)
    }
}

/// The type of a frame (RFC 9113 §6). Frames of unknown types are ignored.
struct FrameType: Sendable, Hashable {
    let rawValue: UInt8

    static let data = FrameType(rawValue: 0)
    static let headers = FrameType(rawValue: 1)
    static let priority = FrameType(rawValue: 2)
    static let resetStream = FrameType(rawValue: 3)
    static let settings = FrameType(rawValue: 4)
    static let pushPromise = FrameType(rawValue: 5)
    static let ping = FrameType(rawValue: 6)
    static let goAway = FrameType(rawValue: 7)
    static let windowUpdate = FrameType(rawValue: 8)
    static let continuation = FrameType(rawValue: 9)
    /// RFC 9218 §7.1.
    static let priorityUpdate = FrameType(rawValue: 16)

    /// Whether frames of this type are ignored.
    var isUnknown: Bool {
        rawValue > FrameType.continuation.rawValue && self != .priorityUpdate
    }
}

/// The flags of a frame; the meaning of each depends on the frame's type.
struct FrameFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let endStream = FrameFlags(rawValue: 0x01)
    static let acknowledgement = FrameFlags(rawValue: 0x01)
    static let endHeaders = FrameFlags(rawValue: 0x04)
    static let padded = FrameFlags(rawValue: 0x08)
    static let priority = FrameFlags(rawValue: 0x20)
}

extension Span where Element == UInt8 {
    /// Reads four bytes at an index in network byte order.
    func bigEndian(at place: Int) -> UInt32 {
        UInt32(self[place]) &<< 24 | UInt32(self[place &+ 1]) &<< 16
            | UInt32(self[place &+ 2]) &<< 8 | UInt32(self[place &+ 3])
    }
}

extension [UInt8] {
    /// Appends four bytes in network byte order.
    mutating func appendBigEndian(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value &>> 24))
        append(UInt8(truncatingIfNeeded: value &>> 16))
        append(UInt8(truncatingIfNeeded: value &>> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}
