import Foundation

/// Exchanges that hold hostile texts wherever an exchange holds text, as JSON lines for
/// `proxyctl import`.
struct HostileTraffic {
    /// What the last line of every part says.
    static let end = "END-OF-PART"

    let strings: [String]

    /// One exchange a text, each of its members with another one; then one a body, one with a
    /// malformed head, and one with all texts in fields and parameters.
    var lines: [[String: Any]] {
        strings.indices.map { row($0) } + HostileBody.all(strings).map(bodied)
            + [malformed, everything]
    }

    var file: Data {
        get throws {
            var all = Data()
            for line in lines {
                // A file is known by its first member.
                all += Data("{\"id\":0,".utf8)
                all += try JSONSerialization.data(withJSONObject: line).dropFirst() + [0x0A]
            }
            return all
        }
    }

    private func text(_ index: Int) -> String { strings[index % strings.count] }

    private func row(_ index: Int) -> [String: Any] {
        let escaped = HostileBody.escaped(text(index)).prefix(3_000)
        let target = "/\(index)/\(escaped)?\(escaped)=\(escaped)"
        var line = Line(
            "POST", target, [("X-Evil", text(index + 1)), ("Cookie", "a=\(text(index + 2))")],
            reason: text(index + 3),
            answer: [("Content-Type", text(index + 4)), ("Set-Cookie", "b=\(text(index + 5))")],
            body: Array(text(index + 6).utf8))
        line.details["note"] = index % 3 == 0 ? text(index + 7) : nil
        line.details["tags"] = index % 3 == 1 ? [text(index + 8)] : []
        line.details["upgraded_to"] = index % 3 == 2 ? text(index + 9) : nil
        line.details["client"] = [
            "id": 1, "opened_at_ns": 1, "pid": 7, "peer_address": text(index + 10),
            "local_address": "127.0.0.1:8080", "process": text(index + 11),
        ]
        line.details["server"] = [
            "id": 2, "opened_at_ns": 1, "peer_address": text(index + 12),
            "local_address": text(index + 13),
            "tls": [
                "version": text(index + 14), "cipher": text(index + 15), "alpn": text(index + 16),
                "server_name": text(index + 17),
            ],
        ]
        if index % 4 == 3 {
            line.details["state"] = "failed"
            line.details["failure"] = [
                "origin": "upstream", "kind": "connect", "message": text(index + 18),
            ]
        }
        return line.object
    }

    private var everything: [String: Any] {
        let fields =
            strings.indices.map { ("X-Evil-\($0)", strings[$0]) }
            + strings.indices.map { ("Cookie", "c\($0)=\(strings[$0])") } + [("X-End", Self.end)]
        let answer =
            [("Server", strings[0])]
            + strings.indices.map { ("Set-Cookie", "s\($0)=\(strings[$0])") }
            + [("Set-Cookie", "z=\(Self.end)"), ("X-End", Self.end)]
        let query = strings.map { HostileBody.escaped($0).prefix(300) }.map { $0 + "=" + $0 }
            .joined(separator: "&")
        return Line("POST", "/everything?\(query)&z=\(Self.end)", fields, answer: answer).object
    }

    private var malformed: [String: Any] {
        var line = Line("GET", "/malformed", [])
        let head = strings.map { "GET /\($0)" }.joined(separator: "\n") + Self.end
        line.details["request"] = [
            "head": Data(head.utf8).base64EncodedString(), "is_malformed": true,
        ]
        return line.object
    }

    private func bodied(_ body: HostileBody) -> [String: Any] {
        Line(
            "GET", "/body/\(body.name)", [], answer: [("Content-Type", body.contentType)],
            body: body.bytes
        ).object
    }
}

/// One line of the file.
private struct Line {
    var details: [String: Any]
    private let method: String
    private let url: String

    var object: [String: Any] {
        [
            "method": method, "url": url, "request": [:] as [String: Any],
            "response": [:] as [String: Any], "_capture": details,
        ]
    }

    init(
        _ method: String, _ target: String, _ fields: [(String, String)], reason: String = "OK",
        answer: [(String, String)] = [], body: [UInt8] = [0x6F, 0x6B]
    ) {
        self.method = method
        url = "http://evil.test\(target)"
        func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        let request = Line.head("\(method) \(target) HTTP/1.1", [("Host", "evil.test")] + fields)
        details = [
            "state": "complete",
            "request": ["head": base64(request), "is_malformed": false],
            "response": [
                "head": base64(Line.head("HTTP/1.1 200 \(reason)", answer)), "body": base64(body),
                "body_bytes": body.count, "body_kept_bytes": body.count,
            ],
            "timeline": [
                "started_at_ns": 1_767_225_600_000_000_000, "connection_reused": false,
                "moments_ns": [
                    "requestFirstByte": 0, "requestHead": 1_000, "requestLastByte": 2_000,
                    "sendStart": 3_000, "sendEnd": 4_000, "responseFirstByte": 900_000,
                    "responseHead": 910_000, "responseLastByte": 920_000, "delivered": 930_000,
                ],
            ] as [String: Any],
        ]
    }

    /// A head with what can be in one that proxyd takes: no controls but those of two bytes.
    private static func head(_ start: String, _ fields: [(String, String)]) -> [UInt8] {
        let lines = [start] + fields.map { "\($0.0): \($0.1)" } + [""]
        return Array(
            lines.map { $0.utf8.filter { $0 >= 0x20 && $0 != 0x7F } + [0x0D, 0x0A] }.joined())
    }
}

/// Texts that want to do something to a terminal.
enum HostileStrings {
    /// Our own: every control, and the known tricks.
    static let own: [String] = controls.map { "a\($0)b" } + tricks

    private static let controls = (Array(0...0x1F) + Array(0x7F...0x9F)).compactMap {
        Unicode.Scalar($0 as UInt32).map(Character.init)
    }

    private static let tricks = [
        "\u{1B}[2J\u{1B}[H", "\u{1B}]0;owned\u{7}", "\u{1B}]2;owned\u{1B}\\",
        "\u{9B}31mred\u{9B}0m",
        "\u{1B}]52;c;b3duZWQ=\u{7}", "\u{9D}52;c;b3duZWQ=\u{9C}", "\u{1B}Pq#0;2;0;0;0\u{1B}\\",
        "\u{1B}]8;;http://evil.test\u{1B}\\click\u{1B}]8;;\u{1B}\\", "\u{90}$qm\u{9C}", "\u{1B}[6n",
        "\u{1B}[c", "\u{1B}c", "\u{1B}[?1049l", "\u{1B}(0lqqk", "\u{1B}#8", "\u{1B}_Gf=100\u{1B}\\",
        "\u{1B}^pm\u{1B}\\", "\u{E}shift\u{F}", "\u{202E}txt.exe\u{202C}", "\u{2066}x\u{2069}",
        "\u{200E}\u{200F}\u{061C}", "a\u{200B}b\u{200C}c\u{200D}d\u{2060}e\u{FEFF}f", "\u{AD}",
        "\u{E000}\u{F8FF}\u{10FFFD}", "\u{FE0F}\u{FE0E}", "\u{2028}\u{2029}", "\u{FFFE}\u{FFF9}",
        "\u{E0041}\u{E007F}", "👨‍👩‍👧‍👦🏳️‍🌈", "ﷺ𒐫", "\u{1D173}", "가힣\u{1161}\u{11A8}",
        String(repeating: "\u{301}", count: 200),
        "e" + String(repeating: "\u{300}\u{489}", count: 99),
        (0..<150).map { "漢\($0)" }.joined(), (0..<400).map { "x\($0)" }.joined(), "שלום עולם",
        "%n%s%x", "`id`$(id)", "'; DROP TABLE exchanges; --", "\u{1A}\u{4}\u{3}",
    ]

    /// The big list of naughty strings, where its folder lies beside this one.
    static let bigList: [String] = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.deletingLastPathComponent().appendingPathComponent(
                "shared/vectors/strings/blns.json")
            guard let data = try? Data(contentsOf: file) else { continue }
            return (try? JSONDecoder().decode([String].self, from: data)) ?? []
        }
        return []
    }()
}

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
