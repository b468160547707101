import Testing

@testable import ProxydCentralStore

/// Tests that PostgreSQL decides alone: their SQL and arguments.
@Suite struct PostgresDialectTests {
    private func expect(
        _ filter: String, _ sql: String, _ arguments: [CentralValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let written = try WrittenFilter(filter)
        #expect(written.sql == sql, sourceLocation: sourceLocation)
        #expect(written.arguments == arguments, sourceLocation: sourceLocation)
        #expect(written.isExact && !written.hasResidual, sourceLocation: sourceLocation)
    }

    // MARK: Numbers

    @Test(
        arguments: [
            ("status=404", "exchange.status = $1", [404]),
            ("status=4xx", "exchange.status BETWEEN $1 AND $2", [400, 499]),
            ("status>4xx", "exchange.status >= $1", [500]),
            ("status<4xx", "exchange.status <= $1", [399]),
            ("~c 200", "exchange.status = $1", [200]),
            ("~s", "exchange.status IS NOT NULL", []),
            ("port=8443", "exchange.port = $1", [8_443]),
            ("stream=5", "exchange.client_stream = $1", [5]),
            ("reqsize>0", "exchange.request_body_bytes >= $1", [1]),
            ("size<=10k", "exchange.response_body_bytes <= $1", [10_000]),
            (
                "duration=1.5s", "exchange.duration_ns BETWEEN $1 AND $2",
                [1_500_000_000, 1_599_999_999]
            ),
            ("duration<2", "exchange.duration_ns <= $1", [1_999_999]),
            ("grpc.status=not_found", "exchange.grpc_status = $1", [5]),
            ("grpc.status:5", "exchange.grpc_status = $1", [5]),
            ("pinned=yes", "(CASE WHEN exchange.pinned THEN 1 ELSE 0 END) = $1", [1]),
            // An exchange has its number in the low 34 bits.
            ("id=7", "(exchange.id & 17179869183) = $1", [7]),
            ("~replay", "(exchange.replay_of & 17179869183) IS NOT NULL", []),
        ] as [(String, String, [Int64])])
    func `a number filter is translated into an SQL comparison`(
        filter: String, sql: String, numbers: [Int64]
    ) throws {
        try expect(filter, sql, numbers.map { .integer($0) })
    }

    @Test(
        arguments: [
            ("id<=9223372036854775807", "IS NOT NULL", []),
            ("id>=-9223372036854775808", "IS NOT NULL", []),
            ("id=9223372036854775807", "= $1", [.max]),
            ("id>=9223372036854775807", "= $1", [.max]),
            // Nothing is less or greater: the range is empty.
            ("id<-9223372036854775808", "BETWEEN $1 AND $2", [1, 0]),
            ("id>9223372036854775807", "BETWEEN $1 AND $2", [1, 0]),
        ] as [(String, String, [Int64])])
    func `number filters at the limits of 64-bit integers do not overflow in SQL`(
        filter: String, comparison: String, numbers: [Int64]
    ) throws {
        try expect(
            filter, "(exchange.id & 17179869183) \(comparison)", numbers.map { .integer($0) })
    }

    @Test func `a time filter also restricts the partition column started_at`() throws {
        // 1970-01-01T00:00:40Z is 946,684,760 seconds before 2000.
        let start: Int64 = 40_000_000_000
        try expect(
            "time>=1970-01-01T00:00:40Z",
            "(exchange.started_ns >= $1 AND exchange.started_at >= $2)",
            [.integer(start), .timestamp(-946_684_760_000_000)])
        try expect(
            "time<1970-01-01T00:00:40Z",
            "(exchange.started_ns <= $1 AND exchange.started_at <= $2)",
            [.integer(start - 1), .timestamp(-946_684_760_000_001)])
        try expect(
            "time=1970-01-01T00:00:40Z",
            "(exchange.started_ns BETWEEN $1 AND $2 AND exchange.started_at >= $3 "
                + "AND exchange.started_at <= $4)",
            [
                .integer(start), .integer(start + 999_999_999), .timestamp(-946_684_760_000_000),
                .timestamp(-946_684_759_000_001),
            ])
    }

    // MARK: Texts

    private static let isHost =
        "(left(lower(exchange.host), 256) IN (left($1, 256), left($2, 256)) "
        + "AND lower(exchange.host) IN ($3, $4))"

    @Test(
        arguments: [
            ("method=POST", "exchange.method = $1", ["POST"]),
            ("method:Put", "position($1 in lower(exchange.method)) > 0", ["put"]),
            ("scheme=https", "exchange.scheme = $1", ["https"]),
            (
                "host=Shop.Test.", Self.isHost,
                ["shop.test", "shop.test.", "shop.test", "shop.test."]
            ),
            ("host=Shop..", Self.isHost, ["shop", "shop.", "shop", "shop."]),
            ("host=\"\"", Self.isHost, ["", "", "", ""]),
            ("host:SHOP", "position($1 in lower(exchange.host)) > 0", ["shop"]),
            ("path=/É", "exchange.path = $1", ["/É"]),
            ("path:/É", "position($1 in lower(exchange.path)) > 0", ["/É"]),
            ("query:\"\"", "position($1 in lower(exchange.query)) > 0", [""]),
            (
                "type:json",
                "(position($1 in lower(exchange.request_type)) > 0 "
                    + "OR position($2 in lower(exchange.response_type)) > 0)", ["json", "json"]
            ),
            (
                "client=a", "(exchange.client_address = $1 OR exchange.named_client_address = $2)",
                ["a", "a"]
            ),
            ("process=curl", "exchange.process = $1", ["curl"]),
            ("user=alice", "exchange.user_name = $1", ["alice"]),
            ("listener=office", "exchange.listener = $1", ["office"]),
            ("upstream=corp", "exchange.upstream = $1", ["corp"]),
            ("note:ask", "position($1 in lower(exchange.note)) > 0", ["ask"]),
            ("store=ci", "(SELECT name FROM shipper WHERE no = exchange.shipper_no) = $1", ["ci"]),
            ("~websocket", "exchange.upgraded_to = $1", ["websocket"]),
            ("port:80", "position($1 in lower(exchange.port::text)) > 0", ["80"]),
            ("stream:5", "position($1 in lower(exchange.client_stream::text)) > 0", ["5"]),
            ("id:7", "position($1 in lower((exchange.id & 17179869183)::text)) > 0", ["7"]),
        ] as [(String, String, [String])])
    func `a text filter is translated into an SQL comparison or substring search`(
        filter: String, sql: String, texts: [String]
    ) throws {
        try expect(filter, sql, texts.map { .text($0) })
        try expect("not \(filter)", "NOT coalesce(\(sql), false)", texts.map { .text($0) })
    }

    @Test
    func `a filter for an ID with a store name compares both the store and the number in SQL`()
        throws
    {
        try expect(
            "id=ci-17:4711",
            "((SELECT name FROM shipper WHERE no = exchange.shipper_no) = $1 "
                + "AND (exchange.id & 17179869183) = $2)",
            [.text("ci-17"), .integer(4_711)])
    }

    @Test(arguments: [("tag", "tags"), ("rule", "rules")])
    func `a tag or rule filter matches if any of an exchange's tags or rules matches`(
        field: String, column: String
    ) throws {
        let head = "EXISTS (SELECT 1 FROM unnest(exchange.\(column)) AS one(element) WHERE "
        try expect("\(field)=Slow", head + "one.element = $1)", [.text("Slow")])
        try expect(
            "\(field):Slow", head + "position($1 in lower(one.element)) > 0)", [.text("slow")])
        try expect(
            "\(field)!=a", "NOT coalesce(\(head)one.element = $1), false)", [.text("a")])
    }

    @Test func `the filter ~marked finds exchanges with a pin, a note or a tag`() throws {
        try expect(
            "~marked",
            "(exchange.pinned OR exchange.note IS NOT NULL OR exchange.tags <> '{}')", [])
    }

    @Test func `a parameter filter uses the prefix index on parameter names and values`() throws {
        let head =
            "EXISTS (SELECT 1 FROM parameter WHERE parameter.started_at = exchange.started_at "
            + "AND parameter.exchange_id = exchange.id "
            + "AND left(parameter.name, 128) = left($1, 128) AND parameter.name = $2 AND "
        let value = "coalesce(parameter.value, '')"
        let names = [CentralValue.text("User"), .text("User")]
        try expect(
            "param.User=Al",
            head + "\(value) = $3 AND left(parameter.value, 128) = left($4, 128))",
            names + [.text("Al"), .text("Al")])
        // A parameter without a value has none that the index could find.
        try expect("param.User=\"\"", head + "\(value) = $3)", names + [.text("")])
        try expect(
            "param.User:Al", head + "position($3 in lower(\(value))) > 0)", names + [.text("al")])
    }

    @Test func `a GraphQL filter matches any one of the operations stored for an exchange`() throws
    {
        try expect(
            "graphql.operation=Basket",
            "position(chr(10) || $1 || chr(10) in chr(10) || exchange.graphql_operation "
                + "|| chr(10)) > 0", [.text("Basket")])
        try expect(
            "graphql.type:QUERY", "position($1 in lower(exchange.graphql_type)) > 0",
            [.text("query")])
        for filter in ["graphql.operation=\"a\nb\"", "graphql.type:\"\n\""] {
            try expect(filter, "false", [])
            try expect("not \(filter)", "NOT coalesce(false, false)", [])
        }
    }
}
