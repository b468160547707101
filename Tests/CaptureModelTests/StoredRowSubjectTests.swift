import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

/// What filters see of a stored exchange: its row at no cost, everything else when it is asked for.
struct StoredRowSubjectTests {
    /// Counts what is read.
    private final class Source: SubjectSource {
        var stored = StoredHeads()
        var fault: ResponseFault?
        var sentReset: HTTP2Facts.Reset?
        var bodies: [FilterSide: [UInt8]] = [:]
        var messages: [MessageRow] = []
        private(set) var reads: [String] = []

        var heads: StoredHeads? {
            reads.append("heads")
            return stored
        }
        var responseFault: ResponseFault? {
            reads.append("fault")
            return fault
        }
        var reset: HTTP2Facts.Reset? {
            reads.append("reset")
            return sentReset
        }

        func parameterValues(named name: String) -> [String?] {
            reads.append("parameter \(name)")
            return name == "a" ? ["1", nil] : []
        }

        func body(of side: FilterSide) -> [UInt8] {
            reads.append("body")
            return bodies[side] ?? []
        }

        func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
            for message in self.messages {
                reads.append("message \(message.position)")
                guard body(message) else { return }
            }
        }
    }

    private let source = Source()

    private static let row: ExchangeRow = {
        var row = ExchangeRow(id: ExchangeID(rawValue: 7), startedAtNs: 1_000, state: .failed)
        row.method = "POST"
        row.scheme = "http"
        row.host = "a.test"
        row.port = 8_080
        row.path = "/shop.Cart/Add"
        row.query = "q=1"
        row.httpVersion = "HTTP/2"
        row.status = 200
        row.durationNs = 2_000
        row.requestBodyByteCount = 3
        row.requestKeptByteCount = 3
        row.responseBodyByteCount = 4
        row.responseKeptByteCount = 4
        row.requestContentType = "application/grpc"
        row.responseContentType = "application/grpc+proto"
        row.clientAddress = "127.0.0.1:5000"
        row.process = "curl"
        row.pid = 9
        row.serverAddress = "10.0.0.1:8080"
        row.error = "upstream timedOut: late"
        row.stream = 5
        row.replayOf = ExchangeID(rawValue: 3)
        row.tags = ["t"]
        row.note = "n"
        row.isPinned = true
        row.messageCount = 2
        row.grpcStatus = 14
        row.rules = ["one", "two"]
        row.graphQL = [
            GraphQLOperation(kind: .mutation, name: "Pay"), GraphQLOperation(kind: nil, name: nil),
        ]
        row.user = "ann"
        row.listener = "127.0.0.1:1"
        row.namedClientAddress = "192.0.2.1:2"
        row.upstream = "corp"
        row.storeName = "ci-1"
        return row
    }()

    private func subject(_ change: (inout ExchangeRow) -> Void = { _ in }) -> StoredRowSubject<
        Source
    > {
        var row = Self.row
        change(&row)
        return StoredRowSubject(row, source)
    }

    @Test(
        arguments: [
            (.method, "POST"), (.scheme, "http"), (.host, "a.test"), (.path, "/shop.Cart/Add"),
            (.query, "q=1"), (.url, "http://a.test:8080/shop.Cart/Add?q=1"),
            (.requestType, "application/grpc"), (.responseType, "application/grpc+proto"),
            (.client, "127.0.0.1:5000"), (.namedClient, "192.0.2.1:2"),
            (.server, "10.0.0.1:8080"), (.process, "curl"), (.user, "ann"),
            (.listener, "127.0.0.1:1"), (.upstream, "corp"), (.error, "upstream timedOut: late"),
            (.state, "failed"), (.note, "n"), (.upgradedTo, nil), (.spokenProtocol, "grpc"),
            (.grpcService, "shop.Cart"), (.grpcMethod, "Add"), (.grpcStatus, "UNAVAILABLE"),
            (.store, "ci-1"),
        ] as [(FilterTextColumn, String?)])
    func `a filter on a text column needs only the list row, not the rest of the exchange`(
        column: FilterTextColumn, text: String?
    ) {
        #expect(subject().text(column) == text)
        #expect(source.reads.isEmpty)
    }

    @Test(
        arguments: [
            (.id, 7), (.port, 8_080), (.status, 200), (.responseSize, 4), (.requestSize, 3),
            (.duration, 2_000), (.started, 1_000), (.replayOf, 3), (.pinned, 1), (.stream, 5),
            (.messageCount, 2), (.webSocketMessageCount, nil), (.grpcStatus, 14),
        ] as [(FilterNumberColumn, Int64?)])
    func `a filter on a number column needs only the list row, not the rest of the exchange`(
        column: FilterNumberColumn, number: Int64?
    ) {
        #expect(subject().number(column) == number)
        #expect(source.reads.isEmpty)
    }

    @Test func `in filters, a column has no value if the exchange's list row lacks it`() {
        let bare = subject {
            $0 = ExchangeRow(id: ExchangeID(rawValue: 1), startedAtNs: 0, state: .active)
        }
        let present = FilterTextColumn.allCases.filter { bare.text($0) != nil }
        #expect(present == [.state])
        let numbers = FilterNumberColumn.allCases.filter { bare.number($0) != nil }
        #expect(numbers == [.id, .responseSize, .requestSize, .started, .pinned])
        #expect(bare.number(.pinned) == 0 && bare.tags == [] && bare.appliedRules == [])
    }

    @Test func `messages of a WebSocket are counted both as messages and as WebSocket messages`() {
        let socket = subject {
            $0.requestContentType = nil
            $0.upgradedTo = "websocket"
        }
        #expect(socket.number(.webSocketMessageCount) == 2 && socket.number(.messageCount) == 2)
        #expect(socket.text(.grpcService) == nil)
    }

    @Test func `filters compare HTTP versions as numbers and ignore unknown versions`() {
        let versions = ["HTTP/1.0", "HTTP/1.1", "HTTP/2"].map { text in
            subject { $0.httpVersion = text }.number(.httpVersion)
        }
        #expect(versions.allSatisfy { $0 != nil })
        #expect(versions.compactMap { $0 } == versions.compactMap { $0 }.sorted())
        #expect(subject { $0.httpVersion = "SPDY/3" }.number(.httpVersion) == nil)
    }

    @Test func `filters on rules, tags and GraphQL operations need only an exchange's list row`() {
        let subject = subject()
        #expect(subject.tags == ["t"] && subject.appliedRules == ["one", "two"])
        #expect(
            subject.graphQLOperations == [
                FilterGraphQLOperation(type: "mutation", name: "Pay"),
                FilterGraphQLOperation(type: "", name: ""),
            ])
        #expect(source.reads.isEmpty)
    }

    // MARK: Everything else

    @Test func `response faults and stream resets are loaded only for filters that test them`() {
        #expect(subject().text(.refused) == nil && subject().text(.repaired) == nil)
        #expect(subject().text(.reset) == nil)
        source.fault = ResponseFault(
            refusal: .init(bytes: [1], reason: "no status"), repairs: ["bare LF", "no CR"])
        source.sentReset = .init(side: .server, isOurs: false, code: .enhanceYourCalm)
        #expect(subject().text(.refused) == "no status")
        #expect(subject().text(.repaired) == "bare LF\nno CR")
        #expect(subject().text(.reset) == "ENHANCE_YOUR_CALM")
        #expect(source.reads == ["fault", "fault", "reset", "fault", "fault", "reset"])
    }

    @Test func `filters test header and trailer fields of request and response separately`() {
        #expect(subject().headerFields(of: .request).isEmpty)
        source.stored.requestBytes = Array("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nA: 2\r\n\r\n".utf8)
        source.stored.responseBytes = Array("HTTP/1.1 200 OK\r\nB: 3\r\n\r\n".utf8)
        source.stored.responseTrailers = HeaderFields([("T", "4")])
        let subject = subject()
        #expect(subject.headerFields(of: .request).map(\.value) == ["a", "1", "2"])
        #expect(subject.headerFields(of: .response).map(\.name) == ["B"])
        #expect(subject.trailerFields(of: .request).isEmpty)
        #expect(subject.trailerFields(of: .response).map(\.value) == ["4"])
        source.stored.requestTrailers = HeaderFields([("U", "5")])
        #expect(subject.trailerFields(of: .request).map(\.name) == ["U"])
    }

    @Test func `a filter decodes each body according to the Content-Encoding of its own message`() {
        // "hello" with gzip.
        let zipped: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6,
            0x10, 0x36, 5, 0, 0, 0,
        ]
        let coded = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        source.bodies = [.request: zipped, .response: zipped]
        source.stored.responseBytes = coded
        #expect(subject().decodedBody(of: .response) == Array("hello".utf8))
        #expect(subject().decodedBody(of: .request) == zipped)
    }

    @Test(arguments: ["gzip", "utf-8"])
    func `a filter searches the raw body if it is not encoded as its Content-Encoding says`(
        coding: String
    ) {
        source.bodies[.response] = Array(#"{"a":"x"}"#.utf8)
        source.stored.responseBytes = Array(
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n".utf8)
        let json = subject { $0.responseContentType = "application/json" }
        #expect(json.decodedBody(of: .response) == Array(#"{"a":"x"}"#.utf8))
        #expect(json.responseJSONValues(at: "a") == ["x"])
    }

    @Test func `a body filter does not load the head of a message that has no body`() {
        #expect(subject().decodedBody(of: .request) == nil)
        #expect(subject().responseJSONValues(at: "a") == [])
        #expect(source.reads == ["body", "body"])
    }

    @Test func `a filter finds values in a JSON response body by their path`() {
        source.bodies[.response] = Array(#"{"a":[{"b":1},{"b":"x"}]}"#.utf8)
        let json = subject { $0.responseContentType = "application/json" }
        #expect(json.responseJSONValues(at: "a[1].b") == ["x"])
        #expect(json.responseJSONValues(at: "c") == [])
    }

    @Test func `a filter on a parameter name gets only the parameters with that name`() {
        #expect(subject().parameterValues(named: "a") == ["1", nil])
        #expect(subject().parameterValues(named: "b") == [])
    }

    @Test func `a filter on messages stops reading them at the first match`() {
        source.messages = (0..<5).map { position in
            MessageRow(
                position: position, direction: .toClient, kind: .text, flags: [], atNs: 0,
                byteCount: position, wireByteCount: position, problem: nil, bytes: [])
        }
        let all = FilterMessages(kinds: [.text])
        #expect(subject().hasMessage(among: all) { $0.byteCount == 2 })
        #expect(source.reads == ["message 0", "message 1", "message 2"])
        #expect(!subject().hasMessage(among: all) { $0.byteCount == 9 })
        source.messages = []
        #expect(!subject().hasMessage(among: all) { _ in true })
    }
}
