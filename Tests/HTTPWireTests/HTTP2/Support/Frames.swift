import ProxydHTTPModel

@testable import ProxydHTTPWire

/// Frames as a peer would send them, right or wrong.
enum Frames {
    static let preface = HTTP2Connection.clientPreface

    static func frame(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        FrameHeader(
            length: payload.count, type: FrameType(rawValue: type),
            flags: FrameFlags(rawValue: flags), stream: stream
        ).write(into: &bytes)
        return bytes + payload
    }

    static func number(_ value: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(value)
        return bytes
    }

    static func settings(_ settings: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(
            4, settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) })
    }

    /// A whole field section, each line a literal that enters no table.
    static func block(_ lines: [(String, String)]) -> [UInt8] {
        var encoder = HPACKEncoder()
        var block: [UInt8] = []
        encoder.beginBlock(into: &block)
        for (name, value) in lines {
            encoder.encode(
                name: name.utf8.span, value: value.utf8.span, coding: FieldCoding(.notAdded),
                into: &block)
        }
        return block
    }

    static func headers(
        _ stream: UInt32, _ lines: [(String, String)], ends: Bool = true
    ) -> [UInt8] {
        frame(1, flags: ends ? 5 : 4, stream: stream, block(lines))
    }

    static func request(
        _ stream: UInt32, method: String = "GET", path: String = "/", ends: Bool = true,
        _ more: [(String, String)] = []
    ) -> [UInt8] {
        headers(
            stream,
            [
                (":method", method), (":scheme", "https"), (":authority", "h.example"),
                (":path", path),
            ] + more, ends: ends)
    }

    static func data(_ stream: UInt32, _ text: String, ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: stream, Array(text.utf8))
    }

    static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] {
        frame(3, stream: stream, number(code))
    }

    static func windowUpdate(_ stream: UInt32, _ count: UInt32) -> [UInt8] {
        frame(8, stream: stream, number(count))
    }

    static func goAway(last: UInt32, _ code: UInt32) -> [UInt8] {
        frame(7, number(last) + number(code))
    }
}
