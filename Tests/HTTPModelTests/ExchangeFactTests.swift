import ProxydHTTPModel
import Testing

/// Facts about exchanges, as they are stored and shown.
struct ExchangeFactTests {
    @Test(
        arguments: [
            (nil, nil, nil, nil, nil, nil), (nil, nil, nil, HTTPVersion.http10, "http", .http1),
            (nil, nil, nil, .http11, "https", .http1), (nil, nil, nil, .http2, "https", .http2),
            (nil, nil, nil, .http2, "http", .http2Clear), (nil, nil, nil, .http2, nil, .http2),
            (nil, nil, nil, .http3, "https", .http3),
            ("websocket", nil, nil, .http11, "http", .webSocket),
            ("h2c", nil, nil, .http11, "http", .http1),
            (nil, "Application/gRPC+proto", nil, .http2, "https", .grpc),
            (nil, "application/grpc-web-text", nil, .http11, "https", .grpcWeb),
            (
                nil, "application/json", "TEXT/event-stream; charset=utf-8", .http2, "https",
                .eventStream
            ),
            (nil, nil, "text/event-stream", nil, nil, .eventStream),
            ("websocket", "application/grpc", "text/event-stream", .http2, "https", .webSocket),
        ] as [(String?, String?, String?, HTTPVersion?, String?, ExchangeProtocol?)])
    func `an exchange's protocol is the most specific one, such as gRPC rather than HTTP`(
        upgradedTo: String?, requestType: String?, responseType: String?, version: HTTPVersion?,
        scheme: String?, wanted: ExchangeProtocol?
    ) {
        func spoken(_ state: ExchangeState) -> ExchangeProtocol? {
            ExchangeProtocol(
                state: state, upgradedTo: upgradedTo, requestType: requestType,
                responseType: responseType, version: version, scheme: scheme)
        }
        #expect(spoken(.complete) == wanted)
        #expect(spoken(.tunnel) == .tunnel)
    }

    @Test func `only WebSocket, gRPC, gRPC-Web and event streams are protocols that have messages`()
    {
        let found = ExchangeProtocol.allCases.filter(\.hasMessages)
        #expect(found == [.webSocket, .grpc, .grpcWeb, .eventStream])
    }

    @Test(arguments: [
        ("HTTP/1.1", 11), ("HTTP/1.0", 10), ("HTTP/2", 20), ("HTTP/0.9", 9), ("HTTP/3", 30),
        ("HTTP/2.0", nil), ("HTTP/3.0", nil), ("HTTP/1", nil), ("http/1.1", nil),
        ("HTTP/1.10", nil), ("", nil),
        ("HTTP/", nil), ("HTTP/a.b", nil), ("1.1", nil), ("HTTP/1.1 ", nil), ("/1.1", nil),
    ])
    func `an HTTP version is parsed only from the exact text that is displayed for it`(
        text: String, number: Int64?
    ) {
        #expect(HTTPVersion(description: text)?.number == number)
    }

    @Test func `HTTP versions are ordered by their major and minor numbers`() {
        #expect(HTTPVersion.http10 < .http11 && HTTPVersion.http11 < .http2)
        #expect(HTTPVersion.http2 < .http3)
        #expect(HTTPVersion(major: 1, minor: 9) < .http2 && !(HTTPVersion.http2 < .http2))
    }

    @Test func `an HTTP/2 error code is shown by its name, or by its number if it has none`() {
        for number in 0..<HTTP2ErrorCode.namedCount {
            let code = HTTP2ErrorCode(rawValue: number)
            #expect(HTTP2ErrorCode(name: code.description) == code)
            #expect(HTTP2ErrorCode(name: code.description.lowercased()) == code)
        }
        #expect(HTTP2ErrorCode(rawValue: 14).description == "14")
        #expect(HTTP2ErrorCode(rawValue: .max).description == "4294967295")
        #expect(HTTP2ErrorCode(name: "CANCELED") == nil && HTTP2ErrorCode(name: "") == nil)
        #expect(HTTP2ErrorCode.cancel.description == "CANCEL")
    }

    @Test
    func `merging later HTTP/2 facts into an exchange adds new values but keeps the first reset`() {
        var facts = HTTP2Facts()
        facts.clientStream = StreamID(rawValue: 1)
        facts.reset = .init(side: .client, isOurs: false, code: .cancel)
        var later = HTTP2Facts()
        later.serverStream = StreamID(rawValue: 3)
        later.serverVersion = .http2
        later.reset = .init(side: .server, isOurs: true, code: .internalError)
        facts.merge(later)
        #expect(facts.clientStream == StreamID(rawValue: 1))
        #expect(facts.serverStream == StreamID(rawValue: 3) && facts.serverVersion == .http2)
        #expect(facts.reset?.code == .cancel)
        facts.merge(HTTP2Facts())
        #expect(facts.serverVersion == .http2)
    }

    @Test func `an exchange failure states its origin, its kind and whether a retry makes sense`() {
        let failure = ExchangeFailure(origin: .upstream, kind: .timedOut, message: "after 30 s")
        #expect(failure.description == "upstream timedOut: after 30 s" && failure.isRetryable)
        let kinds = ExchangeFailure.Kind.allCases.filter {
            ExchangeFailure(origin: .upstream, kind: $0, message: "").isRetryable
        }
        #expect(
            kinds == [
                .nameResolution, .connectionRefused, .connectFailed, .timedOut, .closedEarly,
                .overloaded, .shutdown,
            ])
    }

    @Test
    func `only the start of a rejected response is kept; a new list of repairs replaces the old`() {
        let long = [UInt8](repeating: 1, count: ResponseFault.Refusal.byteCountMax + 1)
        let refusal = ResponseFault.Refusal(bytes: long, reason: "too long")
        #expect(refusal.bytes.count == ResponseFault.Refusal.byteCountMax)
        var fault = ResponseFault(repairs: ["a"])
        fault.merge(ResponseFault(refusal: refusal))
        #expect(fault.repairs == ["a"] && fault.refusal == refusal)
        fault.merge(ResponseFault(repairs: ["a", "b"]))
        #expect(fault.repairs == ["a", "b"] && fault.refusal == refusal)
    }

    @Test
    func `the rules applied to an exchange are named once each, in the order they were applied`() {
        #expect(AppliedRule.names(["b", "a", "b", "", "a"]) == ["b", "a", ""])
        let rule = AppliedRule(rule: "é", phase: .connect, outcome: "blocked", detail: "why")
        #expect(rule.byteCount == 2 + 7 + 3)
        #expect(ExchangeEvent.appliedRule(rule).byteCount == 12)
    }

    @Test func `registered status codes have a reason phrase, and other codes have none`() {
        #expect(StatusReason.text(of: 200) == "OK" && StatusReason.text(of: 418) == "")
        #expect(StatusReason.text(of: 413) == "Content Too Large")
        #expect(StatusReason.text(of: -1) == "" && StatusReason.text(of: .max) == "")
    }

    // MARK: Messages

    @Test
    func `a recorded message is marked as cut if its dropped content is not in the body either`() {
        var message = MessageRecord(
            direction: .toClient, kind: .text, byteCount: 3, content: .bytes([1, 2, 3]))
        #expect(message.memoryByteCount == 3 && message.wireByteCount == 3)
        message.dropContent()
        #expect(message.content == .bytes([]) && message.flags == .cut && message.byteCount == 3)
        var event = MessageRecord(
            direction: .toClient, kind: .event, byteCount: 9, content: .body(5..<14))
        event.dropContent()
        #expect(event.content == .body(5..<14) && event.flags == [])
    }

    @Test func `message kinds and directions have distinct names`() {
        #expect(MessageRecord.Kind.allCases.filter(\.isData) == [.text, .binary, .grpc, .event])
        let names = MessageRecord.Kind.allCases.map(\.name)
        #expect(Set(names).count == names.count && names.first == "text")
        #expect(MessageRecord.Direction.allCases.map(\.name) == ["to_server", "to_client"])
    }

    // MARK: Updates

    @Test func `the size of an exchange update includes the bytes of all its parts`() {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 1), state: .active, timeline: Timeline(wallStart: 0, start: 0),
            isFirst: true)
        #expect(update.contentByteCount == 0 && !update.hasAppliedRules)
        let empty = update.memoryByteCount
        update.requestHead = RequestHead(method: .get, target: [0x2F], fields: HeaderFields())
        update.requestBody.appended = [1, 2]
        update.frames = [1]
        update.events = [.tagged("ab"), .sentResponseBody([1, 2, 3])]
        update.messages = [
            MessageRecord(direction: .toServer, kind: .text, byteCount: 4, content: .bytes([1]))
        ]
        let head = "GET / HTTP/1.1\r\n\r\n".utf8.count
        #expect(update.contentByteCount == head + 2 + 1 + 5 + update.messageByteCount)
        #expect(update.messageByteCount == 1 + MemoryLayout<MessageRecord>.stride)
        update.failure = ExchangeFailure(origin: .client, kind: .closedEarly, message: "gone")
        #expect(update.memoryByteCount == empty + update.contentByteCount + 4)
        update.events.append(.appliedRule(AppliedRule(rule: "a", phase: .request, outcome: "")))
        #expect(update.hasAppliedRules)
        #expect(update.events.map(\.isBody) == [false, true, false])
    }

    // MARK: Timelines in text

    @Test(arguments: [
        (0, "0.000"), (499_999, "0.000"), (500_000, "0.001"), (1_234_500_000, "1.235"),
        (-1_000_000, "-0.001"), (-499_999, "0.000"), (61_000_000_000, "61.000"),
        (Int64.max, "9223372036.855"), (Int64.min, "-9223372036.855"),
    ])
    func `nanoseconds are shown as seconds with three decimals`(nanoseconds: Int64, text: String) {
        #expect(Timeline.seconds(nanoseconds) == text)
    }

    @Test func `the description of a timeline contains only the phases that occurred`() {
        var timeline = Timeline(wallStart: 0, start: 0)
        #expect(timeline.description == "Timeline: {  }")
        timeline.mark(.sendStart, at: 0)
        timeline.mark(.sendEnd, at: 2_000_000)
        timeline.mark(.delivered, at: 5_000_000)
        #expect(
            timeline.description
                == "Timeline: { \"Send\": 0.002 secs, \"Total Duration\": 0.005 secs }")
    }
}

struct ExchangeNameTests {
    @Test(
        arguments: [
            ("4711", nil, 4_711), ("0", nil, 0), ("ci-17:4711", "ci-17", 4_711),
            ("a:b:7", "a:b", 7),
        ] as [(String, String?, Int64)])
    func `an exchange name is a number, optionally after the name of its store`(
        text: String, storeName: String?, number: Int64
    ) throws {
        let name = try #require(ExchangeName(text))
        #expect(name.storeName == storeName)
        #expect(name.number == number)
        #expect(name.description == text)
    }

    @Test(arguments: ["", ":", "ci-17", "ci-17:", ":7", "ci-17:x", "7 ", "9223372036854775808"])
    func `a string that is not a well-formed exchange name is rejected`(text: String) {
        #expect(ExchangeName(text) == nil)
    }

    @Test func `in a central store, the low 34 bits of an exchange ID are the number in its name`()
    {
        let id = ExchangeID(rawValue: 17 << 34 | 4_711)
        #expect(ExchangeName(id, in: "ci-17").description == "ci-17:4711")
        #expect(ExchangeName(id, in: "ci-17").fileName == "ci-17-4711")
        #expect(ExchangeName(id, in: nil).description == "\(17 << 34 | 4_711)")
        #expect(!id.isOwnNumber)
        #expect(ExchangeID(rawValue: 1 << 34 - 1).isOwnNumber)
    }
}
