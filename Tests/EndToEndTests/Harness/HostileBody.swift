import Foundation

/// Bodies of every kind that a viewer is for, made of hostile texts; the last thing in each is
/// `HostileTraffic.end`.
struct HostileBody {
    let name: String
    let contentType: String
    let bytes: [UInt8]

    static func all(_ strings: [String]) -> [HostileBody] {
        let some = strings + [HostileTraffic.end]
        return [
            HostileBody("json", "application/json", json(some)),
            HostileBody("form", "application/x-www-form-urlencoded", form(some)),
            HostileBody("multipart", "multipart/form-data; boundary=BB", multipart(some)),
            HostileBody(
                "xml", "application/xml",
                "<r>\n" + some.map { "<e a=\"\($0)\">\($0)</e>\n" }.joined() + "</r>"),
            HostileBody("html", "text/html", some.map { "<p title='\($0)'>\($0)\n" }.joined()),
            HostileBody(
                "javascript", "text/javascript",
                some.map { "var a = '\($0)'; // \($0)\n" }.joined()),
            HostileBody(
                "css", "text/css", some.map { "a { b: \"\($0)\" } /* \($0) */\n" }.joined()),
            HostileBody(
                "events", "text/event-stream",
                some.map { "event: \($0)\nid: \($0)\ndata: \($0)\n\n" }.joined()),
            HostileBody("text", "text/plain; charset=utf-8", some.joined(separator: "\n")),
            HostileBody("latin", "text/plain; charset=iso-8859-1", bytes: everyByte),
            HostileBody("windows", "text/plain; charset=windows-1252", bytes: everyByte),
            HostileBody("broken", "text/plain; charset=utf-8", bytes: everyByte),
            HostileBody("brokenjson", "application/json", bytes: [0x22] + everyByte),
            HostileBody("msgpack", "application/msgpack", bytes: messagePack(some)),
            HostileBody("protobuf", "application/x-protobuf", bytes: protobuf(some)),
            HostileBody("image", "image/gif", bytes: image),
        ]
    }

    private init(_ name: String, _ contentType: String, _ text: String) {
        self.init(name, contentType, bytes: Array(text.utf8))
    }

    private init(_ name: String, _ contentType: String, bytes: [UInt8]) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
    }

    /// Every byte as `%XX`.
    static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Names and values as they are, but for what JSON cannot hold.
    private static func json(_ strings: [String]) -> String {
        func quoted(_ text: String) -> String {
            let inner = text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case "\0"..."\u{1F}":
                    "\\u00" + (scalar.value < 16 ? "0" : "")
                        + String(scalar.value, radix: 16)
                default: String(scalar)
                }
            }
            return "\"" + inner.joined() + "\""
        }
        return "{" + strings.map { "\(quoted($0)):[\(quoted($0))]" }.joined(separator: ",") + "}"
    }

    private static func form(_ strings: [String]) -> String {
        strings.map { escaped($0) + "=" + escaped($0) }.joined(separator: "&")
    }

    private static func multipart(_ strings: [String]) -> String {
        strings.map {
            let name = $0.replacingOccurrences(of: "\"", with: "%22")
                .replacingOccurrences(of: "\n", with: "").replacingOccurrences(of: "\r", with: "")
            return "--BB\r\nContent-Disposition: form-data; name=\"\(name)\"; "
                + "filename=\"\(name)\"\r\nContent-Type: \(name)\r\n\r\n\($0)\r\n"
        }.joined() + "--BB--\r\n"
    }

    /// Each byte by itself on a line, so that none makes another harmless.
    private static let everyByte: [UInt8] =
        (0...255).flatMap { [0x61, $0, 0x62, 0x0A] } + Array(HostileTraffic.end.utf8)

    private static func messagePack(_ strings: [String]) -> [UInt8] {
        [0xDC, UInt8(strings.count >> 8), UInt8(strings.count & 255)]
            + strings.flatMap { text -> [UInt8] in
                let bytes = Array(text.utf8)
                return [0xDA, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
            }
    }

    private static func protobuf(_ strings: [String]) -> [UInt8] {
        strings.flatMap { text -> [UInt8] in
            let bytes = Array(text.utf8)
            return [0x0A, UInt8(bytes.count & 127 | 128), UInt8(bytes.count >> 7)] + bytes
        }
    }

    /// A picture of one dot, a comment in it.
    private static let image: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 0, 0x21, 0xFE, 8]
        + Array("\u{1B}]0;abc\u{7}".utf8.prefix(8)) + [0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]
}
