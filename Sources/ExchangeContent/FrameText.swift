internal import ProxydCivilTime
public import ProxydHTTPModel
package import ProxydParameterCoding

/// Formats an HTTP/2 frame for display.
public enum FrameText {
    /// The time of the frame, in nanoseconds since the exchange started.
    public static func timeNs(_ frame: FrameRecord) -> Int64 {
        Nanoseconds.clamping(microseconds: frame.timeUs)
    }

    /// The frames of an exchange, from both sides, in the order of their times.
    public static func inOrder(_ frames: [UInt8]) -> [FrameRecord] {
        FrameTimeline.records(frames).sorted { $0.timeUs < $1.timeUs }
    }

    /// The direction of the frame: `client → proxy`.
    public static func way(_ frame: FrameRecord) -> String {
        let peer = frame.side == .client ? "client" : "server"
        return frame.isSent ? "proxy → \(peer)" : "\(peer) → proxy"
    }

    /// The names of the flags that are set (RFC 9113 §6); the bit for flags without a name.
    public static func flags(_ frame: FrameRecord) -> [String] {
        (0..<8).filter { frame.flags & (1 << $0) != 0 }.map { bit in
            switch (frame.type, bit) {
            case (0, 0), (1, 0): "END_STREAM"
            case (4, 0), (6, 0): "ACK"
            case (1, 2), (5, 2), (9, 2): "END_HEADERS"
            case (0, 3), (1, 3), (5, 3): "PADDED"
            case (1, 5): "PRIORITY"
            default: "0x" + String(1 << bit, radix: 16)
            }
        }
    }

    /// Type, flags, length, and the value of a window update or a reset: `DATA END_STREAM 12 B`.
    public static func text(_ frame: FrameRecord) -> String {
        let count = frame.frameCount > 1 ? "\(frame.frameCount) × " : ""
        var parts = [count + frame.typeName]
        parts += flags(frame)
        switch frame.type {
        case 3: parts.append("\(code(frame))")
        case 8: parts.append("+\(frame.value) B")
        default: parts.append("\(frame.byteCount) B")
        }
        return parts.joined(separator: " ")
    }

    package static func json(_ frame: FrameRecord) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("at_ms", .milliseconds(timeNs(frame))),
            ("side", .string(frame.side.rawValue)),
            ("direction", .string(frame.isSent ? "sent" : "received")),
            ("type", .string(frame.typeName)), ("flags", .strings(flags(frame))),
            ("bytes", .integer(frame.byteCount)), ("frames", .integer(frame.frameCount)),
        ]
        if frame.type == 3 { members.append(("code", .string("\(code(frame))"))) }
        if frame.type == 8 { members.append(("increment", .integer(frame.value))) }
        if !frame.bytes.isEmpty {
            members.append(("bytes_base64", .string(Base64.text(frame.bytes))))
        }
        return .members(members)
    }

    private static func code(_ frame: FrameRecord) -> HTTP2ErrorCode {
        HTTP2ErrorCode(rawValue: UInt32(clamping: frame.value))
    }
}

extension HTTP2Facts {
    /// Both streams for display: `5`, `5, to the server 7`, `to the server 7`.
    public var streamText: String {
        [clientStream.map { "\($0)" }, serverStream.map { "to the server \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
    }

    /// The reset for display: `CANCEL, by the client`.
    public var resetText: String? {
        reset.map { "\($0.code), by the \($0.isOurs ? "proxy" : $0.side.rawValue)" }
    }
}

extension HTTP2ConnectionFacts {
    /// Settings for display: `MAX_CONCURRENT_STREAMS 100`.
    public static func text(_ settings: [Setting]) -> String {
        settings.isEmpty
            ? "none" : settings.map { "\($0.name) \($0.value)" }.joined(separator: "  ")
    }
}
