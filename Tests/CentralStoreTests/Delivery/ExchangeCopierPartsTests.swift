import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydCentralStore

/// The parts of exchanges that have tables of their own.
@Suite struct ExchangeCopierPartsTests {
    private let connection = ScriptedConnection()

    private func copy(_ exchanges: [DeliveredExchange]) throws {
        let lineage = ShipperLineage([ShipperLineage.Generation(shipper: 1, after: 0)])
        try ExchangeCopier(connection, lineage, .all).copy(exchanges)
    }

    private func message(
        _ position: Int64, at atNs: Int64, bodyStart: Int64? = nil
    ) -> MessageRow {
        MessageRow(
            position: position, direction: .toServer, kind: .text, flags: [], atNs: atNs,
            byteCount: 2, wireByteCount: 3, problem: nil, bytes: [0x68, 0x69],
            bodyStart: bodyStart)
    }

    @Test func `messages are delivered with their time relative to the start of the exchange`()
        throws
    {
        var exchange = DeliveredExchange.sample(5)
        let start = SampleTime.startedNs
        exchange.messages = { [self] page in
            try page([message(0, at: start), message(4, at: start + 9)])
            try page([message(5, at: start - 1, bodyStart: 7)])
        }
        try copy([.sample(4), exchange])
        let rows = try connection.copied(into: "message").rows
        #expect(rows.allSatisfy { $0.integer("exchange_id") == centralNumber(1, 5) })
        #expect(rows.map { $0.integer("position") } == [0, 4, 5])
        #expect(rows.map { $0.integer("time_ns") } == [0, 9, -1])
        // What is part of a body is not stored twice.
        #expect(rows.map { $0.text("octets") } == ["hi", "hi", nil])
        #expect(rows.map { $0.integer("body_offset") } == [nil, nil, 7])
        let first = try #require(rows.first)
        let numbers = ["direction", "kind", "flags", "bytes", "wire_bytes"].map(first.integer)
        #expect(numbers == [0, 1, 0, 2, 3])
        #expect(first["problem"] == nil)
    }

    @Test func `a parameter with NUL is delivered as text and also as its original bytes`() throws {
        var exchange = DeliveredExchange.sample(5)
        let parameters: [(String, String?)] = [
            ("a\0", "b"), ("c", "\0"), ("", nil), ("\u{2400}", ""),
        ]
        exchange.record.parameters = parameters.enumerated().map { position, parameter in
            StoredParameter(
                position: Int64(position),
                parameter: ExtractedParameter(
                    source: .query, name: parameter.0, value: parameter.1))
        }
        try copy([exchange])
        let rows = try connection.copied(into: "parameter").rows
        #expect(rows.map { $0.integer("position") } == [0, 1, 2, 3])
        #expect(rows.allSatisfy { $0.text("source") == "query" })
        #expect(rows.map { $0.text("name") } == ["a\u{2400}", "c", "", "\u{2400}"])
        #expect(rows.map { $0.text("value") } == ["b", "\u{2400}", nil, ""])
        #expect(rows.map { $0["name_octets"] } == [[0x61, 0], nil, nil, nil])
        #expect(rows.map { $0["value_octets"] } == [nil, [0], nil, nil])
    }

    @Test func `applied rules are delivered with their position in each exchange`() throws {
        var first = DeliveredExchange.sample(5)
        first.record.appliedRules = [
            AppliedRule(rule: "r", phase: .connect, outcome: "routed", detail: "d"),
            AppliedRule(rule: "r", phase: .request, outcome: "changed"),
        ]
        var second = DeliveredExchange.sample(6)
        second.record.appliedRules = [AppliedRule(rule: "s", phase: .response, outcome: "held")]
        try copy([first, second])
        let rows = try connection.copied(into: "applied_rule").rows
        let numbers = [centralNumber(1, 5), centralNumber(1, 5), centralNumber(1, 6)]
        #expect(rows.compactMap { $0.integer("exchange_id") } == numbers)
        #expect(rows.map { $0.integer("position") } == [0, 1, 0])
        #expect(rows.map { $0.text("rule") } == ["r", "r", "s"])
        #expect(rows.map { $0.text("phase") } == ["connect", "request", "response"])
        #expect(rows.map { $0.text("outcome") } == ["routed", "changed", "held"])
        #expect(rows.map { $0.text("detail") } == ["d", nil, nil])
    }

    @Test func `forwarded heads and bodies and response faults are delivered in the content row`()
        throws
    {
        var exchange = DeliveredExchange.sample(5)
        exchange.record.heads = StoredHeads.columns.indices.map { .blob([UInt8($0)]) }
        exchange.record.requestBodySent = []
        exchange.record.responseBodySent = [8]
        exchange.record.responseFault = ResponseFault(
            refusal: ResponseFault.Refusal(bytes: [0xFF], reason: "no\0"), repairs: ["a", "b"])
        try copy([exchange])
        let content = try #require(try connection.copied(into: "content").rows.first)
        for (index, column) in StoredHeads.columns.enumerated() {
            #expect(content[column] == [UInt8(index)], "\(column)")
        }
        #expect(content["request_body"] == nil && content["response_body"] == nil)
        // It was emptied on the way, which is not the same as being forwarded unchanged.
        #expect(content["request_body_sent"] == [])
        #expect(content["response_body_sent"] == [8])
        #expect(content["refused_octets"] == [0xFF])
        #expect(content.text("refused_reason") == "no\u{2400}")
        #expect(content.text("repaired") == "a\nb")
    }

    @Test func `a plain exchange is delivered as one exchange row and one content row`() throws {
        try copy([.sample(5), .sample(6)])
        #expect(connection.outline == ["COPY exchange", "COPY content"])
        let row = try #require(try connection.copied(into: "content").rows.first)
        let values = [
            "exchange_id": centralNumber(1, 5), "started_at": SampleTime.startedAt,
        ]
        #expect(Set(row.values.keys) == Set(values.keys))
        for (column, number) in values { #expect(row.integer(column) == number) }
        let exchange = try #require(try connection.copied(into: "exchange").rows.last)
        #expect(exchange["rules"] == nil && exchange["note"] == nil)
        // An array without elements has no dimensions.
        #expect(exchange["tags"] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
        #expect(exchange["timeline"] == [])
        #expect(exchange.integer("pinned") == 0)
    }

    // MARK: Bodies

    @Test(
        arguments: [
            (0, []), (1, []), (262_144, []), (262_145, [262_144, 1]),
            (524_288, [262_144, 262_144]),
        ] as [(Int, [Int])])
    func `a body up to 256 KiB is delivered with the heads, and a longer one in pieces`(
        count: Int, pieces: [Int]
    ) throws {
        var exchange = DeliveredExchange.sample(5)
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
        exchange.record.responseBody = body
        exchange.record.requestBody = [1]
        try copy([exchange])
        let content = try #require(try connection.copied(into: "content").rows.first)
        #expect(content["request_body"] == [1])
        let isBeside = count > 0 && pieces.isEmpty
        #expect(content["response_body"] == (isBeside ? body : nil))
        guard !pieces.isEmpty else {
            #expect(connection.outline == ["COPY exchange", "COPY content"])
            return
        }
        let rows = try connection.copied(into: "body_piece").rows
        #expect(rows.map { $0["octets"]?.count ?? 0 } == pieces)
        #expect(rows.flatMap { $0["octets"] ?? [] } == body)
        #expect(rows.map { $0.integer("part") } == [1, 1])
        #expect(rows.map { $0.integer("position") } == [0, 1])
    }

    @Test func `a body that is not in memory is delivered in the same pieces in which it is read`()
        throws
    {
        var exchange = DeliveredExchange.sample(5)
        exchange.record.responseBody = [9]
        exchange.longBody = { part, piece in
            for number in 1...3 as ClosedRange<UInt8> {
                try piece(part == .request ? [number] : [0])
            }
        }
        try copy([exchange])
        let rows = try connection.copied(into: "body_piece").rows
        // The response is in memory, and short.
        #expect(rows.map { $0.integer("part") } == [0, 0, 0])
        #expect(rows.map { $0.integer("position") } == [0, 1, 2])
        #expect(rows.map { $0["octets"] } == [[1], [2], [3]])
        let content = try #require(try connection.copied(into: "content").rows.first)
        #expect(content["response_body"] == [9])
    }

    private struct DiskError: Error, CustomStringConvertible {
        var description: String { "the disk is gone" }
    }

    @Test
    func `an error from the local store ends a delivery and is reported as a connection error`()
        throws
    {
        let expected = CentralError.connection("the local store: the disk is gone")
        var messages = DeliveredExchange.sample(5)
        messages.messages = { page in
            try page([])
            throw DiskError()
        }
        #expect(throws: expected) { try copy([messages]) }
        var body = DeliveredExchange.sample(5)
        body.longBody = { _, _ in throw DiskError() }
        #expect(throws: expected) { try copy([body]) }
        let whole = ["COPY exchange", "COPY content", "COPY exchange", "COPY content"]
        #expect(connection.outline == whole)
    }

    @Test func `an error from the central store during delivery is thrown unchanged`() throws {
        var exchange = DeliveredExchange.sample(5)
        exchange.messages = { _ in throw CentralError.cancelled }
        #expect(throws: CentralError.cancelled) { try copy([exchange]) }
    }
}
