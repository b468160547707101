public import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
public import ProxydInterchange
internal import ProxydParameterCoding

/// Exchanges of every kind that a store can hold, and ways from store to store.
public enum InterchangeSamples {
    /// "hello hello hello" by gzip without a name or a time.
    public static let gzip = [UInt8](
        Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

    /// JSON with secrets in it, at two depths.
    public static let login = Array(
        #"{"user": "alice", "password": "hunter2", "nested": [{"api_key": 17}]}"#.utf8)

    /// A multipart form: a password and a file.
    public static let upload = Array(
        [
            "--B", "Content-Disposition: form-data; name=\"password\"", "", "hunter2",
            "--B", "Content-Disposition: form-data; name=\"file\"; filename=\"a.bin\"",
            "Content-Type: application/octet-stream", "", "\u{1}\u{2}", "--B--", "",
        ].joined(separator: "\r\n").utf8)

    /// Records one of each; 4 is a replay of 1, the last one is still active.
    public static func record(into recorder: Recorder) throws {
        for update in try updates(recorder) { recorder.record(update) }
        try recorder.flush()
        try recorder.annotate(
            AnnotationChange(
                id: ExchangeID(rawValue: 2), note: "the login", addedTags: ["auth", "slow"],
                isPinned: true))
    }

    private static func updates(_ recorder: Recorder) throws -> [ExchangeUpdate] {
        var client = connection(recorder.nextConnectionID(), .client)
        client.arrival = .init(
            listener: "office", mode: .transparent, originalAddress: "192.0.2.9:443",
            proxyProtocolPeer: "198.51.100.7:5000")
        var server = connection(recorder.nextConnectionID(), .server)
        server.upstream = "corp"
        recorder.record(client)
        recorder.record(server)
        var updates: [ExchangeUpdate] = []
        func add(_ origin: String, _ change: (inout ExchangeUpdate) -> Void) {
            var update = Samples.complete(recorder.nextExchangeID(), origin)
            update.clientConnection = client.id
            change(&update)
            updates.append(update)
        }
        add("/search?q=caf%C3%A9+noir&tags[]=a&flag") {
            $0.serverConnection = server.id
            $0.user = "alice"
        }
        add("/login") { json($0.url, &$0) }
        add("/gz") { gzipped(&$0) }
        add("/search?q=again") { $0.replayOf = ExchangeID(rawValue: 1) }
        add("/upload") { multipart($0.url, &$0) }
        add("/octets") { oddHead(&$0) }
        add("/cut") { $0.responseBody.byteCount = 9_999 }
        add("/trailers") {
            $0.responseTrailers = HeaderFields([(name: "X-Sum", value: "1")])
            $0.informational = [ResponseHead(status: 103, reason: "Early", fields: .init())]
        }
        add("/socket") { $0.upgradedTo = "websocket" }
        add("/latin1") { latin1(&$0) }
        add("/refused") { refused(&$0) }
        add("/") { malformed(&$0) }
        add("/") { tunnel(&$0) }
        add("/ruled") { ruled($0.url, &$0) }
        add("/open") { open(&$0) }
        return updates
    }

    private static func connection(
        _ id: ConnectionID, _ side: ConnectionRecord.Side
    ) -> ConnectionRecord {
        ConnectionRecord(
            id: id, side: side, openedAt: Samples.wallStart,
            peerAddress: side == .client ? "127.0.0.1:49152" : "[2001:db8::1]:443",
            localAddress: "127.0.0.1:8080",
            security: side == .client
                ? nil
                : .init(version: "TLSv1.3", cipher: "X", alpn: nil, serverName: "example.test"),
            process: side == .client ? .init(pid: 77, name: "curl") : nil)
    }

    // MARK: Kinds

    private static func json(_ url: RawURL?, _ update: inout ExchangeUpdate) {
        guard let url else { return }
        update.requestHead = Samples.requestHead(
            "POST", url,
            fields: [
                ("Content-Type", "application/json"), ("Content-Length", "\(login.count)"),
                ("Authorization", "Bearer s3cr3t-bearer"), ("Cookie", "sid=s3cr3t-cookie; b=2"),
                ("Referer", "https://x.test/?access_token=s3cr3t-referer&ok=1"),
            ])
        update.requestBody.set(login)
        update.responseHead = Samples.responseHead(
            302, "Found",
            fields: [
                ("Location", "/next"),
                ("Set-Cookie", "a=s3cr3t-a; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly"),
                ("set-cookie", "b=s3cr3t-b; Domain=x.test; Secure; SameSite=Lax; Max-Age=5"),
            ])
        update.responseBody.set([])
    }

    private static func gzipped(_ update: inout ExchangeUpdate) {
        update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
        update.responseFault = ResponseFault(repairs: ["a folded field line was joined"])
        update.responseBody.set(gzip)
    }

    private static func multipart(_ url: RawURL?, _ update: inout ExchangeUpdate) {
        guard let url else { return }
        update.requestHead = Samples.requestHead(
            "POST", url, fields: [("Content-Type", "multipart/form-data; boundary=B")])
        update.requestBody.set(upload)
        update.responseHead = Samples.responseHead(fields: [("Content-Type", "image/png")])
        update.responseBody.set([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0, 255])
    }

    /// A head with spacing, order and bytes that no composed head has.
    private static func oddHead(_ update: inout ExchangeUpdate) {
        var bytes = Array("OPTIONS * HTTP/1.0\r\nhOST:example.test\r\nX-Odd: \t caf".utf8)
        let valueEnd = UInt32(bytes.count + 1)
        bytes += [0xE9] + Array("  \r\n\r\n".utf8)
        let host = HeaderFields.Line(
            start: 20, nameEnd: 24, valueStart: 25, valueEnd: 37, end: 39, name: .host)
        let odd = HeaderFields.Line(
            start: 39, nameEnd: 44, valueStart: 48, valueEnd: valueEnd, end: valueEnd + 4,
            name: .other)
        update.url = RawURL(
            scheme: "http", host: "example.test", port: 80, origin: [UInt8(ascii: "*")])
        update.requestHead = RequestHead(
            bytes: bytes, method: .options, targetRange: 8..<9, version: .http10,
            fields: HeaderFields(bytes: bytes, lines: [host, odd]))
    }

    private static func latin1(_ update: inout ExchangeUpdate) {
        update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "text/plain; charset=iso-8859-1")])
        update.responseBody.set([0x63, 0x61, 0x66, 0xE9])
    }

    private static func refused(_ update: inout ExchangeUpdate) {
        update.state = .failed
        update.failure = ExchangeFailure(
            origin: .upstream, kind: .connectionRefused, message: "it was refused")
        update.responseFault = ResponseFault(
            refusal: .init(bytes: Array("HTTP/1.1\u{0}s3cr3t-refused".utf8), reason: "no HTTP"))
        update.responseHead = nil
        update.responseBody = .init()
        update.timeline = Timeline(wallStart: Samples.wallStart, start: 0)
        update.timeline[.ended] = 5_000_000
    }

    private static func malformed(_ update: inout ExchangeUpdate) {
        update.state = .failed
        update.url = nil
        update.requestHead = nil
        update.malformedHead = Array("GET / HTTP/1.1\r\nAuthorization : s3cr3t-broken\r\n\r\n".utf8)
        update.failure = ExchangeFailure(
            origin: .client, kind: .malformedRequest, message: "a space in front of a colon")
        update.responseHead = nil
        update.responseBody = .init()
    }

    private static func tunnel(_ update: inout ExchangeUpdate) {
        update.state = .tunnel
        update.url = .tunnel(host: "tunnel.test", port: 443)
        update.requestHead = RequestHead(
            method: .connect, target: Array("tunnel.test:443".utf8), fields: HeaderFields())
        update.requestBody.byteCount = 700
        update.responseHead = ResponseHead(status: 200, reason: "OK", fields: HeaderFields())
        update.responseBody = .init()
        update.responseBody.byteCount = 5_000
    }

    /// One that rules changed both messages of.
    private static func ruled(_ url: RawURL?, _ update: inout ExchangeUpdate) {
        guard let url else { return }
        update.requestHeadSent =
            Samples.requestHead(
                "GET", url, fields: [("X-Api-Key", "s3cr3t-added"), ("Content-Length", "20")]
            ).bytes
        let head = Samples.responseHead(
            418, "Teapot", fields: [("Set-Cookie", "a=s3cr3t-new"), ("Content-Type", "text/plain")])
        update.events = [
            .sentRequestBody(Array("password=s3cr3t-body".utf8)),
            .sentResponseHead(head.bytes),
            .sentResponseBody([]),
            .appliedRule(
                AppliedRule(
                    rule: "key", phase: .request, outcome: "changed",
                    detail: "token=s3cr3t-detail")),
            .appliedRule(AppliedRule(rule: "tea", phase: .response, outcome: "changed")),
            .appliedRule(AppliedRule(rule: "key", phase: .response, outcome: "no body")),
        ]
    }

    private static func open(_ update: inout ExchangeUpdate) {
        update.state = .active
        update.responseHead = nil
        update.responseBody = .init()
        update.timeline = Timeline(wallStart: Samples.wallStart, start: 0)
    }
}

extension InterchangeReader {
    /// An exchange with all its messages, or why it was refused.
    public typealias WholeEntry = Result<ImportedExchange, ImportProblem>

    /// Reads a file, in pieces of this many bytes.
    public static func entries(
        of bytes: [UInt8], pieceByteCount: Int = 1 << 20
    ) throws -> [WholeEntry] {
        var reader = InterchangeReader()
        var entries: [WholeEntry] = []
        func take(_ entry: Entry) {
            switch entry {
            case .success(.exchange(let exchange)): entries.append(.success(exchange))
            case .failure(let problem): entries.append(.failure(problem))
            case .success(.messages(let messages)):
                guard case .success(var exchange)? = entries.last else { return }
                exchange.messages += messages
                entries[entries.count - 1] = .success(exchange)
            case .success(.leftOut): break
            }
        }
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            let piece = Array(bytes[start..<min(start + pieceByteCount, bytes.count)])
            try reader.receive(piece) { take($0) }
        }
        try reader.finish { take($0) }
        return entries
    }
}
