import ProxydCaptureModel
import ProxydHTTPModel

@testable import Capture
@testable import ProxydTUI

/// Rows for tests.
enum Rows {
    /// 2025-11-21T08:00:00Z
    static let start: Int64 = 1_763_712_000_000_000_000

    static func row(_ id: Int64, _ change: (inout ExchangeRow) -> Void = { _ in }) -> ExchangeRow {
        var row = ExchangeRow(
            id: ExchangeID(rawValue: id), startedAtNs: start &+ id &* 1_000_000_000,
            state: .complete)
        row.method = "GET"
        row.scheme = "https"
        row.host = "example.com"
        row.port = 443
        row.path = "/items/\(id)"
        row.httpVersion = "HTTP/1.1"
        row.status = 200
        row.reason = "OK"
        row.durationNs = id &* 1_000_000
        row.responseBodyByteCount = id &* 100
        row.responseKeptByteCount = id &* 100
        row.responseContentType = "application/json; charset=utf-8"
        row.clientAddress = "127.0.0.1:50000"
        row.process = "curl"
        row.pid = 4_711
        row.serverAddress = "192.0.2.1:443"
        row.tlsVersion = "TLSv1.3"
        change(&row)
        return row
    }

    static func plain(_ count: Int64) -> [ExchangeRow] { (0..<count).map { row($0 + 1) } }

    /// Rows of all kinds, for pictures of screens.
    static let varied: [ExchangeRow] = [
        row(1),
        row(2) {
            $0.method = "POST"
            $0.status = 201
            $0.path = "/session"
            $0.query = "user=alice&next=%2F"
            $0.durationNs = 1_240_000_000
        },
        row(3) {
            $0.status = 304
            $0.host = "static.assets.cdn.europe.example.org"
            $0.path = "/fonts/inter-latin-variable.woff2"
            $0.responseContentType = "font/woff2"
        },
        row(4) {
            $0.status = 404
            $0.path = "/日本語/ページ"
            $0.note = "ask 山田"
        },
        row(5) {
            $0.status = 503
            $0.responseBodyByteCount = 12_345_678
            $0.durationNs = 30_000_000_000
            $0.tags = ["slow"]
        },
        row(6) {
            $0.status = nil
            $0.state = .failed
            $0.error = "upstream connectRefused: nobody listens"
            $0.durationNs = 900_000
        },
        row(7) {
            $0.path = "/emoji/👩‍💻/🚀/café/cafe\u{301}"
            $0.isPinned = true
        },
        row(8) { $0.path = "/שלום/العربية" },
        row(9) {
            $0.path = "/evil\u{1B}]0;title\u{7}\u{202E}txt.exe\u{200B}\u{9B}31m"
            $0.host = "a\u{202E}b.example"
        },
        row(10) {
            $0.method = "CONNECT"
            $0.status = nil
            $0.state = .tunnel
            $0.path = nil
            $0.scheme = nil
            $0.durationNs = 65_000_000_000
        },
        row(11) {
            $0.status = 200
            $0.state = .active
            $0.durationNs = nil
            $0.responseContentType = "text/event-stream"
            $0.replayOf = ExchangeID(rawValue: 1)
        },
        row(12) {
            $0.method = nil
            $0.host = nil
            $0.path = nil
            $0.status = nil
            $0.state = .failed
            $0.error = "client malformedHead: no HTTP"
            $0.process = nil
        },
    ]
}
