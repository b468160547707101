package import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel

@testable internal import ProxydFilter

/// Exchanges of all kinds, and filters over every field with every operator.
package enum FilterCorpus {
    // MARK: Exchanges

    /// Exchanges with numbers from 1 on.
    package static let subjects: [RecordedSubject] = {
        let kinds: [(inout RecordedSubject) -> Void] =
            [
                { _ in }, form, json, coded, brokenCoding, cut, failed, silent, upgraded, tunnel,
                odd,
                hostile, marked, noted, pinned, repeated, faulty, typed, active, malformed, six,
                asterisk,
                zeros, flags, ruled, answered,
            ] + talkers
        return kinds.enumerated().map { index, change in
            let id = ExchangeID(rawValue: Int64(index + 1))
            var subject = RecordedSubject(
                Samples.complete(
                    id, "/a/b?x=1&q=Word", responseBody: Array("hello".utf8),
                    wallStart: Samples.wallStart + Int64(index) * 60_000_000_000))
            subject.client = client
            subject.server = server
            change(&subject)
            subject.update.clientConnection = subject.client?.id
            subject.update.serverConnection = subject.server?.id
            return subject
        }
    }()

    private static let client = ConnectionRecord(
        id: ConnectionID(rawValue: 1), side: .client, openedAt: 1, peerAddress: "127.0.0.1:49152",
        localAddress: "127.0.0.1:8080",
        process: ConnectionRecord.ClientProcess(pid: 7, name: "curl"))
    private static let otherClient = ConnectionRecord(
        id: ConnectionID(rawValue: 2), side: .client, openedAt: 1, peerAddress: "[::1]:7",
        localAddress: "[::1]:8080")
    private static let server = ConnectionRecord(
        id: ConnectionID(rawValue: 3), side: .server, openedAt: 1, peerAddress: "192.0.2.7:80",
        localAddress: "192.0.2.1:7")

    private static func request(
        _ subject: inout RecordedSubject, _ method: HTTPMethod, _ url: RawURL,
        _ fields: [(String, String)] = [], body: [UInt8] = []
    ) {
        subject.update.url = url
        subject.update.requestHead = Samples.requestHead(method, url, fields: fields)
        subject.update.requestBody.set(body)
    }

    private static func form(_ subject: inout RecordedSubject) {
        request(
            &subject, "POST", Samples.url("/form?a=0"),
            [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("a=7&a=Alice&b.c%5B1%5D=7&empty=&flag&nul=a%007&bad=%FF7".utf8))
    }

    private static func json(_ subject: inout RecordedSubject) {
        request(
            &subject, "PUT", Samples.url("/v1/items", host: "API.example.test", scheme: "https"),
            [("content-type", "Application/JSON; charset=utf-8"), ("Accept", "*/*")],
            body: Array(#"{"a":{"b":[1,7]},"n":null,"t":true,"big":7e300,"é":"\u00e9\n7"}"#.utf8))
        subject.update.responseHead = Samples.responseHead(
            404, "No", fields: [("Content-Type", "text/html"), ("A", "7"), ("a", "8"), ("A", "")])
        subject.update.responseBody.set(Array("<p>\nDenied\u{E9} 7</p>".utf8))
    }

    private static func coded(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")])
        subject.update.responseBody.set(InterchangeSamples.gzip)
    }

    /// Codings that no one knows, and one that ends inside.
    private static func brokenCoding(_ subject: inout RecordedSubject) {
        coded(&subject)
        subject.update.responseBody.set(Array(InterchangeSamples.gzip.dropLast(9)))
        request(
            &subject, "POST", Samples.url("/"), [("Content-Encoding", "nope")],
            body: Array("a=7".utf8))
    }

    /// Of a body only the beginning was kept.
    private static func cut(_ subject: inout RecordedSubject) {
        form(&subject)
        subject.update.requestBody.byteCount = 5_000_000_000
        subject.update.responseBody.byteCount = 10_000
        subject.update.timeline[.delivered] = 250_500_000
    }

    private static func failed(_ subject: inout RecordedSubject) {
        subject.update.state = .failed
        subject.update.responseHead = nil
        subject.update.responseBody.set([])
        subject.server = nil
        subject.update.failure = ExchangeFailure(
            origin: .upstream, kind: .nameResolution, message: "no address: 7")
    }

    private static func silent(_ subject: inout RecordedSubject) {
        failed(&subject)
        subject.client = nil
        subject.update.failure = ExchangeFailure(origin: .client, kind: .closedEarly, message: "")
    }

    private static func upgraded(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(101, "Switching", fields: [])
        subject.update.upgradedTo = "websocket"
    }

    private static func tunnel(_ subject: inout RecordedSubject) {
        request(&subject, .connect, RawURL(scheme: "https", host: "t.7", port: 443, origin: []))
        subject.update.state = .tunnel
        subject.update.responseHead = nil
        subject.update.responseBody.byteCount = 7
        subject.update.responseBody.appended = []
    }

    /// Bytes above ASCII, in the target and in fields.
    private static func odd(_ subject: inout RecordedSubject) {
        let url = RawURL(
            scheme: "http", host: "é.test", port: 8_443,
            origin: Array("/caf".utf8) + [0xE9, 0x37] + Array("/é?".utf8) + [0xFF]
                + Array("=7".utf8))
        request(&subject, "get", url, [("X-Odd", "é7")], body: [0xFF, 0x00, 0x37, 0x0A])
    }

    private static func hostile(_ subject: inout RecordedSubject) {
        request(&subject, "GET", Samples.url("/'%25_\\?\"=';--&%00=7&%22=%00", host: "A_b%"))
        subject.update.responseBody.set(Array("\0' OR 7=7 --\u{301}".utf8))
        subject.annotations = Exchange.Annotations(note: "it's \"7\" \\", tags: ["'", "%", "x y"])
    }

    private static func marked(_ subject: inout RecordedSubject) {
        subject.annotations.tags = ["Slow", "7", "é"]
    }

    private static func noted(_ subject: inout RecordedSubject) {
        subject.annotations.note = "Look 7\nhere"
        subject.client = otherClient
    }

    private static func pinned(_ subject: inout RecordedSubject) {
        subject.annotations.isPinned = true
    }

    private static func repeated(_ subject: inout RecordedSubject) {
        subject.update.replayOf = ExchangeID(rawValue: 7)
        subject.update.timeline[.delivered] = nil
        subject.update.timeline[.responseLastByte] = nil
    }

    private static func faulty(_ subject: inout RecordedSubject) {
        subject.update.responseFault = ResponseFault(
            refusal: ResponseFault.Refusal(bytes: [0x37], reason: "two lengths: 7"),
            repairs: ["a line without colon", "7 spaces"])
    }

    private static func typed(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(
            777, "", fields: [("Content-Type", "image/png"), ("Content-Type", "text/css")])
        subject.update.responseFault = ResponseFault(repairs: ["7"])
    }

    private static func active(_ subject: inout RecordedSubject) {
        subject.update.state = .active
        subject.update.responseHead = nil
        subject.update.responseBody.set([])
        subject.update.responseBody.isComplete = false
    }

    private static func malformed(_ subject: inout RecordedSubject) {
        failed(&subject)
        subject.update.url = nil
        subject.update.requestHead = nil
        subject.update.malformedHead = Array("GET / HTTP/7\r\nA: 7\r\n\r\n".utf8)
    }

    private static func six(_ subject: inout RecordedSubject) {
        request(
            &subject, "GET", RawURL(scheme: "http", host: "::7", port: 77, origin: Array("/?".utf8))
        )
    }

    private static func asterisk(_ subject: inout RecordedSubject) {
        request(&subject, "OPTIONS", Samples.url("*", scheme: "https"))
        subject.update.responseHead = Samples.responseHead(204, "None", fields: [])
        subject.update.responseBody.set([])
    }

    private static func zeros(_ subject: inout RecordedSubject) {
        subject.update.timeline = Timeline(wallStart: 0, start: 0)
    }

    private static func flags(_ subject: inout RecordedSubject) {
        request(&subject, "GET", Samples.url("/?7&a&a=&=7&7=7&x.y=7&a=7&A=8"))
        subject.annotations = Exchange.Annotations(note: "7", tags: ["7", "77"], isPinned: true)
    }

    /// One that rules changed, with JSON that has a name twice.
    private static func ruled(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "application/json")])
        subject.update.responseBody.set(
            Array(#"{"a":{"b":[1,7]},"n":null,"7":[],"a":"Alice","x.y":"\u00e9","é":7e300}"#.utf8))
        subject.update.events = ["Alice", "7", "Alice"].map {
            .appliedRule(AppliedRule(rule: $0, phase: .response, outcome: "changed"))
        }
    }

    /// JSON that is called none and ends inside.
    private static func answered(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(fields: [("A", "7")])
        subject.update.responseBody.set(Array(#"[{"a":7},{"a":"7"#.utf8))
        subject.update.events = [
            .appliedRule(AppliedRule(rule: "é'", phase: .request, outcome: "answered"))
        ]
    }

    // MARK: Filters

    private static let words = [
        "7", "", "a", "A", "GET", "get", "http", "example", "/a/b", "x=1", "json", "text/html",
        "\u{E9}", "e\u{301}", "\u{FFFD}", "'", "%", "_", "\\\\", "\\\"", "127.0.0.1", "curl",
        "upstream", "failed", "websocket", "Alice", "alice", "hello", "*", "line",
    ]
    private static let patterns = [
        "7", "^$", "", "^7", "7$", ".", "a.c", "(?i)alice", "[^a]", "\\\\d+", "\u{E9}", "^/.*b",
        "\\\\bhello\\\\b", "(?m)^here",
    ]
    private static let numbers = [
        "0", "7", "77", "80", "200", "2500000", "4xx", "5", "10k", "5G", "250ms", "2.5ms", "1s",
        "1970-01-01", "2025-11-21", "2025-11-21T08:05:00Z", "-15m", "yes", "no",
        "NOT_FOUND", "1005", "1006", "mutation", "A7",
    ]
    private static let parameterNames = ["a", "7", "a.b[1]", "flag", "n", "nul", "[0].a"]
    private static let fieldNames = ["a", "content-type", "X-Odd"]
    private static let shortWords = ["7", "", "Alice", "json", "\u{E9}"]

    /// Every field and every operator with values that some of the exchanges have; what is no
    /// filter is left out by who runs them.
    package static let filters: [String] = {
        var filters = words.map { "\"\($0)\"" }
        for field in FilterField.allCases {
            for comparison in FilterOperator.allCases {
                let values = comparison == .matches ? patterns : words + numbers
                guard field.takesName else {
                    filters += values.map { "\(field.rawValue)\(comparison.rawValue)\"\($0)\"" }
                    continue
                }
                let isPath = field == .param || field == .resjson
                for name in isPath ? parameterNames : fieldNames {
                    let head = "\(field.rawValue).\"\(name)\"\(comparison.rawValue)"
                    filters += (comparison == .matches ? patterns : shortWords).map {
                        "\(head)\"\($0)\""
                    }
                }
            }
        }
        for found in MitmproxyOperator.allCases {
            guard found.takesArgument else {
                filters.append("~\(found.rawValue)")
                continue
            }
            let values = found == .c ? ["200", "404"] : patterns.map { "\"\($0)\"" }
            filters += values.map { "~\(found.rawValue) \($0)" }
        }
        filters += FilterManual.sections.flatMap(\.entries).flatMap(\.examples).map(\.filter)
        return filters
    }()
}

extension FilterCorpus {
    /// Records the exchanges into an empty store.
    package static func record(into recorder: Recorder) throws {
        for subject in subjects {
            precondition(recorder.nextExchangeID() == subject.update.id, "the store is not empty")
            for connection in [subject.client, subject.server].compactMap(\.self) {
                recorder.record(connection)
            }
            recorder.record(subject.update)
        }
        try recorder.flush()
        for subject in subjects where subject.annotations != .init() {
            let made = subject.annotations
            try recorder.annotate(
                AnnotationChange(
                    id: subject.update.id, note: made.note, addedTags: made.tags,
                    isPinned: made.isPinned ? true : nil))
        }
    }
}
