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
