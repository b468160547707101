import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Filters on exchanges that are still on their way.
@Suite struct FilterDecisionTests {
    private static let row = FilterRow.with { row in
        row.texts[.query] = "a=1"
        row.parameters = [("a", "1"), ("b", "2")]
        row.headers = [.request: [("X", "q")], .response: [("X", "s")]]
        row.bodies = [.request: Array("b=2".utf8), .response: Array("hello".utf8)]
        row.tags = ["t"]
    }

    private static func decision(_ text: String, at moment: FilterMoment) throws -> FilterDecision {
        try Filter.parse(text).decision(PartOfRow(row: row, moment: moment))
    }

    @Test(arguments: [
        ("host=example.com", FilterMoment.connection), ("port:80", .connection),
        ("user=a", .connection), ("listener=a", .connection), ("client:a", .connection),
        ("upstream=a", .end), ("store=a", .end), ("id=a:1", .end),
        ("~dst example", .connection), ("method=GET", .requestHead),
        ("word", .requestHead),
        ("reqheader.x=q", .requestHead), ("header.x=q", .responseHead), ("param.a=1", .requestBody),
        ("reqbody:b", .requestBody), ("reqsize=0", .requestBody), ("status=200", .responseHead),
        ("type:json", .responseHead), ("~tq json", .requestHead), ("~a", .responseHead),
        ("body:hello", .responseBody), ("size=0", .responseBody), ("duration>1s", .end),
        ("resjson.a=1", .responseBody), ("rule=a", .end),
        ("tag=t", .end), ("~marked", .end), ("host=a status=200", .responseHead),
        ("msg:a", .end), ("ws.out:a", .end), ("ws.close=1000", .end), ("ws.count>1", .end),
        ("sse.data:a", .end), ("grpc.service:a", .requestHead), ("grpc.status>0", .end),
        ("grpc.status=OK", .end), ("trailer.a:b", .end), ("stream=1", .end),
        ("grpc.message:a", .end), ("graphql.operation:a", .requestBody),
        ("host=a or not reqbody:x", .requestBody), ("", .connection), ("~all", .connection),
    ])
    func `a filter can be evaluated once the last exchange part that it tests has arrived`(
        text: String, moment: FilterMoment
    ) throws {
        #expect(try Filter.parse(text).moment == moment)
    }

    @Test func `a filter on the response has no result before the response head has arrived`()
        throws
    {
        for text in ["status=200", "not status=200", "status=404", "resheader.x=s", "~q"] {
            #expect(try Self.decision(text, at: .requestBody) == .open, "\(text)")
            #expect(try Self.decision(text, at: .responseHead) != .open, "\(text)")
        }
    }

    @Test func `a filter has an early result if one of its parts alone decides it`() throws {
        #expect(try Self.decision("host=other reqbody:x", at: .connection) == .fails)
        #expect(try Self.decision("reqbody:x host=other", at: .connection) == .fails)
        #expect(try Self.decision("host=example.com or status=500", at: .connection) == .passes)
        #expect(try Self.decision("not (host=other status=200)", at: .connection) == .passes)
        #expect(try Self.decision("host=example.com reqbody:b", at: .requestHead) == .open)
        #expect(try Self.decision("host=example.com reqbody:b", at: .requestBody) == .passes)
    }

    @Test func `a filter on either request or response passes as soon as the request matches`()
        throws
    {
        #expect(try Self.decision("header.x=q", at: .requestHead) == .passes)
        #expect(try Self.decision("header.x=s", at: .requestHead) == .open)
        #expect(try Self.decision("body:b=2", at: .requestBody) == .passes)
        #expect(try Self.decision("header.x=z", at: .responseHead) == .fails)
    }

    @Test func `a filter on parameters tests the query before the body has arrived`() throws {
        #expect(try Self.decision("param.a=1", at: .connection) == .open)
        #expect(try Self.decision("param.a=1", at: .requestHead) == .passes)
        #expect(try Self.decision("param.b=2", at: .requestHead) == .open)
        #expect(try Self.decision("param.b=2", at: .requestBody) == .passes)
        #expect(try Self.decision("param.c=2", at: .requestBody) == .fails)
    }

    @Test
    func `a JSON filter waits for the response body; a rule filter waits until the exchange ends`()
        throws
    {
        let row = FilterRow.with { row in
            row.responseLeaves = [("a", "1")]
            row.appliedRules = ["staging"]
        }
        func decision(_ text: String, at moment: FilterMoment) throws -> FilterDecision {
            try Filter.parse(text).decision(PartOfRow(row: row, moment: moment))
        }
        #expect(try decision("resjson.a=1", at: .responseHead) == .open)
        #expect(try decision("resjson.a=1", at: .responseBody) == .passes)
        #expect(try decision("not resjson.a=2", at: .responseBody) == .passes)
        #expect(try decision("rule=staging", at: .responseBody) == .open)
        #expect(try decision("rule=staging", at: .end) == .passes)
        #expect(try decision("rule=other", at: .end) == .fails)
    }

    @Test
    func `a filter on WebSocket messages passes at the first match or fails when the socket ends`()
        throws
    {
        let row = FilterRow.with { row in
            row.texts[.upgradedTo] = "websocket"
            row.messages = [.init(.text, "one"), .init(.close, [3, 0xE8], .toClient)]
        }
        func decision(_ text: String, at moment: FilterMoment) throws -> FilterDecision {
            try Filter.parse(text).decision(PartOfRow(row: row, moment: moment))
        }
        #expect(try decision("ws:one", at: .connection) == .open)
        #expect(try decision("ws:one", at: .responseHead) == .passes)
        #expect(try decision("not msg:one", at: .responseHead) == .fails)
        #expect(try decision("ws:two", at: .responseBody) == .open)
        #expect(try decision("ws:two", at: .end) == .fails)
        #expect(try decision("ws.close=1000", at: .responseBody) == .open)
        #expect(try decision("ws.close=1000", at: .end) == .passes)
        #expect(try decision("ws.close=1006", at: .responseBody) == .open)
        #expect(try decision("ws.close=1006", at: .end) == .fails)
    }

    @Test
    func `a filter lists the fields it tests, each with its column and when it becomes available`()
        throws
    {
        let terms = try Filter.parse("a (Host=b or !status>=500) ~c 200").terms
        #expect(terms.map(\.name) == ["url", "host", "status", "~c"])
        #expect(terms.map(\.column) == [1, 4, 15, 28])
        #expect(
            terms.map(\.moment) == [.requestHead, .connection, .responseHead, .responseHead])
    }

    /// A decision is never taken back, and falls when the filter says at the latest.
    @Test(arguments: 0..<8)
    func `an early result of a filter never changes later`(seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        let rows = (1...40).map { RandomFilters.row(id: Int64($0), &generator) }
        var earlyCount = 0
        for _ in 0..<150 {
            let text = RandomFilters.filter(depth: 3, &generator)
            let filter = try Filter.parse(text, now: 50_000_000_000)
            for row in rows {
                let last: FilterDecision = filter.matches(row) ? .passes : .fails
                for moment in FilterMoment.allCases {
                    let decision = filter.decision(PartOfRow(row: row, moment: moment))
                    #expect(decision == last || decision == .open, "\(text) at \(moment)")
                    if moment >= filter.moment { #expect(decision == last, "\(text) \(moment)") }
                    if moment < filter.moment, decision != .open { earlyCount += 1 }
                }
            }
        }
        #expect(earlyCount > 1_000)
    }
}

/// An exchange of which only the beginning is known. Asking for the rest is a mistake.
struct PartOfRow: FilterSubject {
    let row: FilterRow
    let moment: FilterMoment

    func isKnown(_ moment: FilterMoment) -> Bool { moment <= self.moment }

    private func check(_ needed: FilterMoment) { #expect(isKnown(needed)) }

    func text(_ column: FilterTextColumn) -> String? {
        check(column.moment)
        return row.text(column)
    }

    func number(_ column: FilterNumberColumn) -> Int64? {
        check(column.moment)
        return row.number(column)
    }

    var tags: [String] {
        check(.end)
        return row.tags
    }

    func parameterValues(named name: String) -> [String?] {
        check(.requestHead)
        // The first one is the query's.
        var part = row
        if moment < .requestBody { part.parameters = Array(part.parameters.prefix(1)) }
        return part.parameterValues(named: name)
    }

    func headerFields(of side: FilterSide) -> [(name: String, value: String)] {
        check(side.headMoment)
        return row.headerFields(of: side)
    }

    func trailerFields(of side: FilterSide) -> [(name: String, value: String)] {
        check(side.bodyMoment)
        return row.trailerFields(of: side)
    }

    func decodedBody(of side: FilterSide) -> [UInt8]? {
        check(side.bodyMoment)
        return row.decodedBody(of: side)
    }

    func hasMessage(
        among messages: FilterMessages, where holds: (any MessageFilterSubject) -> Bool
    ) -> Bool {
        check(.requestHead)
        // The first one comes with the response's head.
        var part = row
        if moment < .responseHead { part.messages = [] }
        if moment < .end { part.messages = Array(part.messages.prefix(1)) }
        return part.hasMessage(among: messages, where: holds)
    }

    func responseJSONValues(at path: String) -> [String?] {
        check(.responseBody)
        return row.responseJSONValues(at: path)
    }

    var appliedRules: [String] {
        check(.end)
        return row.appliedRules
    }

    var graphQLOperations: [FilterGraphQLOperation] {
        check(.requestBody)
        return row.graphQLOperations
    }
}
