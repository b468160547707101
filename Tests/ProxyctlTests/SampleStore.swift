import Capture
import Foundation
import ProxydHTTPModel
import ProxydTestSupport

@testable import proxyctl

/// A data directory with exchanges in it, and runs of the program on it.
final class SampleStore {
    let scratch: ScratchFolder
    var directory: DataDirectory { DataDirectory(path: scratch.path + "/data") }

    var directoryPath: String { directory.path }

    /// `record` records more, behind the exchanges.
    init(
        _ exchanges: [Exchange] = SampleExchange.all, record: (Recorder) -> Void = { _ in }
    ) throws {
        scratch = try ScratchFolder()
        let recorder = try Recorder(directory: directory)
        defer { recorder.stop() }
        _ = try recorder.wait { recorder.store(exchanges, completion: $0) }
        record(recorder)
    }

    func run(
        _ arguments: String..., columns: Int? = nil, environment: [String: String] = [:]
    ) -> CommandRun {
        CommandRun(
            ["--data-dir", directory.path] + arguments, columns: columns,
            environment: environment)
    }

    /// What a run printed, as JSON objects, one a line.
    func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return value as? [String: Any] ?? [:]
        }
    }
}

/// Exchanges of every kind that the program shows.
enum SampleExchange {
    /// 1 a search, 2 a login, 3 an upload, 4 a failure without URL, 5 hostile text, 6 a tunnel.
    static var all: [Exchange] { [search, login, upload, malformed, hostile, tunnel] }

    static let started: Int64 = 1_763_632_800_123_456_789

    static func timeline(_ offset: Int64 = 0) -> Timeline {
        var timeline = Timeline(wallStart: started &+ offset, start: 0)
        let moments: [(Moment, Int64)] = [
            (.requestFirstByte, 0), (.requestHead, 100_000), (.requestLastByte, 200_000),
            (.dnsStart, 200_000), (.dnsEnd, 1_200_000), (.connectStart, 1_200_000),
            (.connectEnd, 3_200_000), (.sendStart, 3_200_000), (.sendEnd, 3_300_000),
            (.responseFirstByte, 33_300_000), (.responseHead, 33_400_000),
            (.responseLastByte, 35_000_000), (.delivered, 35_123_456),
        ]
        for (moment, time) in moments { timeline[moment] = time }
        return timeline
    }

    static func exchange(
        _ method: HTTPMethod, _ url: RawURL, _ requestFields: [(name: String, value: String)] = [],
        body: [UInt8] = [], response: Response?, state: ExchangeState = .complete
    ) -> Exchange {
        let fields = HeaderFields([(name: "Host", value: url.authority)] + requestFields)
        return Exchange(
            id: ExchangeID(rawValue: 1), state: state,
            request: Request(
                url: url, head: RequestHead(method: method, target: url.origin, fields: fields),
                body: Body(body)), response: response, timeline: timeline())
    }

    static func url(_ host: String, _ origin: String, scheme: String = "http") -> RawURL {
        RawURL(
            scheme: scheme, host: host, port: RawURL.defaultPort(scheme: scheme),
            origin: Array(origin.utf8))
    }

    static func response(
        _ status: Int, _ fields: [(name: String, value: String)], _ body: [UInt8]
    ) -> Response {
        Response(
            head: ResponseHead(status: status, reason: "Fine", fields: HeaderFields(fields)),
            body: Body(body))
    }

    static var search: Exchange {
        var exchange = exchange(
            .get, url("host.test", "/search?q=caf%C3%A9+noir&tags[]=a&tags[]=b&flag"),
            response: response(
                200, [("Content-Type", "application/json")],
                Array(#"{"n": 1.50, "list": [true, null], "s": "é"}"#.utf8)))
        exchange.client = ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: started,
            peerAddress: "127.0.0.1:49152", localAddress: "127.0.0.1:8080",
            process: .init(pid: 77, name: "curl"))
        exchange.server = ConnectionRecord(
            id: ConnectionID(rawValue: 2), side: .server, openedAt: started,
            peerAddress: "192.0.2.1:80", localAddress: "192.0.2.2:50000")
        return exchange
    }

    /// A login of which rules changed both messages.
    static var ruled: Exchange {
        var exchange = login
        exchange.request.sentHead = RequestHead(
            method: .post, target: Array("/login".utf8),
            fields: HeaderFields([
                (name: "Host", value: "staging.test"), (name: "Content-Length", value: "8"),
            ]))
        exchange.request.sentBody = Body(Array("user=bob".utf8))
        exchange.response?.sentHead = ResponseHead(
            status: 418, reason: "Teapot", fields: HeaderFields([(name: "X-New", value: "1")]))
        exchange.response?.sentBody = Body([0x89, 0x50, 0xFF])
        exchange.appliedRules = [
            AppliedRule(rule: "staging", phase: .request, outcome: "changed"),
            AppliedRule(rule: "slow", phase: .response, outcome: "delayed", detail: "200 ms"),
            AppliedRule(rule: "staging", phase: .response, outcome: "changed"),
        ]
        return exchange
    }

    static var login: Exchange {
        var exchange = exchange(
            .post, url("host.test", "/login", scheme: "https"),
            [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("user=alice&token=x%2By".utf8),
            response: response(302, [("Location", "/"), ("Set-Cookie", "a=1")], []))
        exchange.annotations = .init(note: "the login", tags: ["auth", "slow"], isPinned: true)
        return exchange
    }

    static var upload: Exchange {
        let body = [
            "--B", "Content-Disposition: form-data; name=\"text\"", "", "hello",
            "--B", "Content-Disposition: form-data; name=\"file\"; filename=\"a.bin\"",
            "Content-Type: application/octet-stream", "", "12345678", "--B--", "",
        ].joined(separator: "\r\n")
        return exchange(
            .post, url("upload.test", "/up"),
            [("Content-Type", "multipart/form-data; boundary=B")], body: Array(body.utf8),
            response: response(
                200, [("Content-Type", "image/png")], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0, 255]))
    }

    static var malformed: Exchange {
        Exchange(
            id: ExchangeID(rawValue: 1), state: .failed, request: Request(url: nil, head: nil),
            response: nil, timeline: Timeline(wallStart: started, start: 0),
            failure: ExchangeFailure(
                origin: .client, kind: .malformedRequest, message: "a field name has a space"))
    }

    static var hostile: Exchange {
        exchange(
            .get, url("evil.test", "/\u{1B}]52;c;ZXZpbA==\u{07}\u{9B}31m\u{202E}gnp.exe"),
            [("X-Evil", "\u{1B}[2J\u{85}\u{200B}")],
            response: response(
                200, [("Content-Type", "text/plain"), ("X-\u{1B}[1m", "\u{90}q")],
                Array("line\u{1B}[31m red\nsecond\u{0007}\r\nthird\t.\u{9D}0;t\u{9C}".utf8)))
    }

    static var tunnel: Exchange {
        exchange(
            .connect, url("tunnel.test", "", scheme: "https"),
            response: Response(
                head: ResponseHead(status: 200, reason: "OK", fields: HeaderFields()),
                body: Body(byteCount: 5_000, kept: [])), state: .tunnel)
    }
}
