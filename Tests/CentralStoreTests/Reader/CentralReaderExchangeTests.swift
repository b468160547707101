import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydCentralStore

/// Whole exchanges, put together from their tables.
@Suite struct CentralReaderExchangeTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader
    private let id = ExchangeID(rawValue: centralNumber(1, 5))

    init() { reader = CentralReader(ScriptedServer(connection).link) }

    /// An exchange as its main row has it: `exchange`, then heads, bodies, faults and annotations.
    private static func main(flags: UInt8 = 6) -> [CentralValue] {
        var columns = [CentralValue](repeating: .null, count: 26)
        columns[0] = .encoded(type: 21, [0, 1])
        columns[1] = .integer(SampleTime.startedNs)
        columns[2] = .text("http")
        columns[3] = .text("a.test")
        columns[4] = .encoded(type: 23, [0, 0, 0, 80])
        columns[5] = .text("/")
        columns[7] = .integer(2)
        columns[8] = .integer(600_000)
        columns[9] = .bytes([])
        columns[10] = .integer(centralNumber(1, 8))
        columns[11] = .integer(centralNumber(1, 9))
        columns[17] = .encoded(type: 23, [0, 0, 0, flags])
        var heads = [CentralValue](repeating: .null, count: 10)
        heads[0] = .bytes(Array("PUT / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8))
        heads[1] = .bytes(Array("HTTP/1.1 200 OK\r\nX: 1\r\n\r\n".utf8))
        let bodies: [CentralValue] = [.bytes([0x68, 0x69]), .null, .null, .bytes([7])]
        let rest: [CentralValue] = [
            .bytes([0xFF]), .text("no"), .text("a\nb"), .text("n"), .texts(["t", "u"]),
            .boolean(true),
        ]
        return columns + heads + bodies + rest
    }

    private static func link(_ number: Int64, _ side: String) -> [CentralValue] {
        var values = [CentralValue](repeating: .null, count: 23)
        values[0] = .integer(centralNumber(1, number))
        values[1] = .text(side)
        values[2] = .integer(5)
        values[3] = .text("10.0.0.\(number):1")
        values[4] = .text("10.0.0.1:2")
        values[5] = .text("TLSv1.3")
        values[12] = .bytes([0, 0, 0, 1, 7])
        return values
    }

    private func know(flags: UInt8 = 6) {
        connection.answer(
            CentralReader.startQuestion, .rows([.timestamp(SampleTime.startedAt)]))
        connection.answer("LEFT JOIN content", .rows(Self.main(flags: flags)))
        connection.answer(
            "LEFT JOIN certificate_chain",
            .rows(Self.link(9, "server"), Self.link(8, "client")))
        connection.answer(
            "FROM body_piece", .rows([.bytes([1, 2, 3])]), .rows([.bytes([4, 5, 6])]), .rows())
    }

    @Test func `the central reader assembles an exchange from the rows of all its tables`() throws {
        know()
        let exchange = try #require(try reader.exchange(id, bodyByteCountMax: 100))
        #expect(exchange.id == id && exchange.state == .complete)
        #expect(exchange.request.head?.method == "PUT")
        #expect(exchange.request.body.kept == [0x68, 0x69])
        #expect(exchange.response?.head.status == 200)
        #expect(exchange.response?.body.kept == [1, 2, 3, 4, 5, 6])
        #expect(exchange.response?.body.byteCount == 600_000)
        #expect(exchange.response?.sentBody?.kept == [7])
        let annotations = Exchange.Annotations(note: "n", tags: ["t", "u"], isPinned: true)
        #expect(exchange.annotations == annotations)
        #expect(exchange.client?.peerAddress == "10.0.0.8:1")
        #expect(exchange.client?.side == .client)
        #expect(exchange.server?.peerAddress == "10.0.0.9:1")
        #expect(exchange.server?.security?.peerCertificates == [[7]])
        // The flags say that there is neither.
        #expect(exchange.responseFault == nil && exchange.appliedRules == [])
        #expect(!connection.outline.contains("SELECT rule"))
    }

    @Test func `the central reader looks up connections by the day on which the exchange started`()
        throws
    {
        know()
        _ = try reader.exchange(id, bodyByteCountMax: 100)
        let asked = try #require(
            connection.requests.last { $0.sql.contains("LEFT JOIN certificate_chain") })
        #expect(asked.sql.contains("connection.started_at = $1"))
        let day: Int64 = 86_400_000_000
        let arguments: [CentralValue] = [
            .timestamp(SampleTime.startedAt - SampleTime.startedAt % day),
            .integers([centralNumber(1, 8), centralNumber(1, 9)]),
        ]
        #expect(asked.arguments == arguments)
    }

    @Test func `response faults and applied rules are read if an exchange's flags report them`()
        throws
    {
        know(flags: 6 + 32 + 64)
        connection.answer(
            "FROM applied_rule",
            .rows(
                [.text("r"), .text("request"), .text("changed"), .text("d")],
                [.text("r"), .text("not a phase"), .text("x"), .null],
                [.text("s"), .text("response"), .text("held"), .null]))
        let exchange = try #require(try reader.exchange(id, bodyByteCountMax: 100))
        let refusal = ResponseFault.Refusal(bytes: [0xFF], reason: "no")
        #expect(exchange.responseFault == ResponseFault(refusal: refusal, repairs: ["a", "b"]))
        let rules = [
            AppliedRule(rule: "r", phase: .request, outcome: "changed", detail: "d"),
            AppliedRule(rule: "s", phase: .response, outcome: "held"),
        ]
        #expect(exchange.appliedRules == rules)
        #expect(
            connection.arguments(of: "SELECT rule") == [
                [.timestamp(SampleTime.startedAt), .integer(id.rawValue)]
            ])
    }

    @Test(
        arguments: [(0, [], 0), (3, [1, 2, 3], 1), (5, [1, 2, 3, 4, 5], 2)]
            as [(Int, [UInt8], Int)])
    func `the central reader reads no more pieces of a body than requested`(
        limit: Int, kept: [UInt8], pieceCount: Int
    ) throws {
        know()
        let exchange = try #require(try reader.exchange(id, bodyByteCountMax: limit))
        #expect(exchange.response?.body.kept == kept)
        #expect(connection.requests.first?.arguments.last == .integer(Int64(limit)))
        let pieces = connection.requests.filter { $0.sql.contains("FROM body_piece") }
        let expected = (0..<pieceCount).map { position -> [CentralValue] in
            [
                .integer(id.rawValue), .timestamp(SampleTime.startedAt), .integer(1),
                .integer(Int64(position)),
            ]
        }
        #expect(pieces.map(\.arguments) == expected)
    }

    @Test func `a body limit above PostgreSQL's integer maximum is capped at that maximum`() throws
    {
        know()
        _ = try reader.exchange(id, bodyByteCountMax: .max)
        #expect(connection.requests.first?.arguments.last == .integer(2_147_483_647))
    }

    @Test func `reading a missing exchange from the central store returns nil`() throws {
        #expect(try reader.exchange(id) == nil)
        #expect(connection.requests.count == 1)
        connection.answer(CentralReader.startQuestion, .rows())
        let other = ExchangeID(rawValue: centralNumber(1, 6))
        #expect(try reader.exchange(other) == nil)
        #expect(connection.requests.count == 1)
    }

    /// A statement without the start is planned for the tables of all days.
    @Test func `the start of an exchange that was listed is not looked up to read its parts`()
        throws
    {
        connection.answer("SELECT exchange.id", .rows(SelectedRow.list(id.rawValue, at: 77)))
        #expect(try reader.rows(.newest, limit: 1).map(\.id) == [id])
        connection.answer(
            CentralReader.startQuestion, .failure(.server(code: "42501", message: "no right")))
        _ = try reader.exchange(id)
        _ = try reader.parameters(of: id)
        _ = try reader.heads(of: id)
        _ = try reader.annotations(of: id)
        _ = try reader.messages(of: id, .newest, limit: 1, byteCountMax: 1)
        _ = try reader.lastMessagePosition(of: id)
        let arguments = connection.requests.filter { $0.sql.contains("started_at = $2") }
            .map { $0.arguments.prefix(2) }
        #expect(arguments.count == 6)
        #expect(arguments.allSatisfy { $0 == [.integer(id.rawValue), .timestamp(77)] })
    }

    // MARK: Parts

    @Test func `the central reader passes on a body piece by piece until the receiver stops`()
        throws
    {
        know()
        var pieces: [[UInt8]] = []
        try reader.forEachBodyChunk(of: id, .response) { piece in
            pieces.append(piece)
            return true
        }
        #expect(pieces == [[1, 2, 3], [4, 5, 6]])
        connection.answer("FROM body_piece", .rows([.bytes([1])]))
        pieces = []
        try reader.forEachBodyChunk(of: id, .response) { piece in
            pieces.append(piece)
            return pieces.count < 2
        }
        #expect(pieces == [[1], [1]])
    }

    @Test func `the central reader passes on a short body as one piece`() throws {
        connection.answer("SELECT request_body", .rows([.bytes([9, 8])]))
        var pieces: [[UInt8]] = []
        try reader.forEachBodyChunk(of: id, .request) { piece in
            pieces.append(piece)
            return true
        }
        #expect(pieces == [[9, 8]] && connection.requests.count == 1)
    }

    @Test func `parameters are restored from their stored bytes if their text lost a NUL`() throws {
        connection.answer(
            "FROM parameter",
            .rows(
                [.text("query"), .text("a\u{2400}"), .text("b"), .bytes([0x61, 0]), .null],
                [.text("form"), .text("c"), .null, .null, .null],
                [.text("json"), .text("d"), .text("\u{2400}"), .null, .bytes([0])],
                [.text("unknown"), .text("e"), .null, .null, .null]))
        let expected = [
            ExtractedParameter(source: .query, name: "a\0", value: "b"),
            ExtractedParameter(source: .form, name: "c", value: nil),
            ExtractedParameter(source: .json, name: "d", value: "\0"),
        ]
        #expect(try reader.parameters(of: id) == expected)
    }

    @Test func `the central reader skips protobuf descriptors from an unknown source`() throws {
        connection.answer(
            "octets FROM proto_file",
            .rows(
                [.text("a.proto"), .text("given"), .integer(3), .bytes([1])],
                [.text("b.proto"), .text("unknown"), .integer(4), .bytes([2])]))
        connection.answer("max(added_ns) FROM proto_file", .rows([.integer(2), .integer(4)]))
        let file = ProtoFile(name: "a.proto", source: .given, addedNs: 3, bytes: [1])
        #expect(try reader.protoFiles() == [file])
        let version = ProtoFileVersion(count: 2, lastID: 0, lastAddedNs: 4)
        #expect(try reader.protoFileVersion() == version)
    }
}
