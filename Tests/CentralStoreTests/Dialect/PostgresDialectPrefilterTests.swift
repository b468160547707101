import ProxydFilter
import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Tests that PostgreSQL does not decide: what it lets through at least.
@Suite struct PostgresDialectPrefilterTests {
    private func expectPrefilter(
        _ filter: String, _ sql: String, _ texts: [String]
    ) throws {
        let written = try WrittenFilter(filter)
        #expect(written.sql == sql)
        #expect(written.arguments == texts.map { .text($0) })
        #expect(!written.isExact && written.hasResidual)
        // Whatever it finds too many would be missing from the rest.
        let negated = try WrittenFilter("not \(filter)")
        #expect(negated.sql == "true" && negated.arguments == [])
        #expect(!negated.isExact && negated.hasResidual)
    }

    @Test(arguments: [
        "path~^/v1", "~u x", "~d x", "~m x", "~dst x", "~src x", "~comment x", "id~1", "status~^4",
        "proto~^h", "grpc.service~x", "store~x", "error~x", "refused~x", "header.a:b",
        "reqheader.a=b", "resheader.a~b", "~h x", "~hq x", "~hs x",
    ])
    func `filters by regular expression or header field exclude no rows in SQL`(filter: String)
        throws
    {
        try expectPrefilter(filter, "true", [])
    }

    @Test func `a regular expression filter on content types is left undecided by SQL`()
        throws
    {
        try expectPrefilter("type~json", "(true OR true)", [])
    }

    private static let parts: [(String, String)] = [
        ("resjson.a=1", "exchange.response_kept_bytes > 0"),
        ("reqbody:ab", "(exchange.request_kept_bytes > 0 AND true)"),
        ("resbody~b", "(exchange.response_kept_bytes > 0 AND true)"),
        (
            "body:\"\"",
            "((exchange.request_kept_bytes > 0 OR exchange.response_kept_bytes > 0) AND true)"
        ),
        ("~bq x", "(exchange.request_kept_bytes > 0 AND true)"),
        ("grpc.message:x", "exchange.request_type ILIKE 'application/grpc%'"),
        ("tag~x", "exchange.tags <> '{}'"),
        ("rule~x", "exchange.rules <> '{}'"),
        ("graphql.operation~x", "exchange.graphql_operation IS NOT NULL"),
        ("graphql.type~x", "exchange.graphql_type IS NOT NULL"),
        (
            "trailer.t:x",
            "EXISTS (SELECT 1 FROM content WHERE content.started_at = exchange.started_at "
                + "AND content.exchange_id = exchange.id "
                + "AND (request_trailers IS NOT NULL OR response_trailers IS NOT NULL))"
        ),
    ]

    @Test(arguments: parts)
    func `the SQL of a filter excludes exchanges that lack what the filter tests`(
        filter: String, sql: String
    ) throws {
        try expectPrefilter(filter, sql, [])
    }

    @Test
    func `SQL selects parameters by name; a value that SQL cannot compare is checked in Swift`()
        throws
    {
        let sql =
            "EXISTS (SELECT 1 FROM parameter WHERE parameter.started_at = exchange.started_at "
            + "AND parameter.exchange_id = exchange.id "
            + "AND left(parameter.name, 128) = left($1, 128) AND parameter.name = $2 AND "
        try expectPrefilter("param.a~x", sql + "true)", ["a", "a"])
        let value = "coalesce(parameter.value, '') = $3 "
        try expectPrefilter(
            "param.\"\u{2400}\"=x", sql + value + "AND left(parameter.value, 128) = left($4, 128))",
            ["\u{2400}", "\u{2400}", "x", "x"])
    }

    /// PostgreSQL has U+2400 in place of U+0000, so it cannot tell them apart.
    @Test(
        arguments: [
            ("path=\u{2400}", "exchange.path = $1", ["\u{2400}"]),
            ("note:A\u{2400}", "position($1 in lower(exchange.note)) > 0", ["a\u{2400}"]),
            ("tag=\u{2400}", "exchange.tags <> '{}'", []),
            (
                "graphql.operation=\u{2400}",
                "position(chr(10) || $1 || chr(10) in chr(10) || exchange.graphql_operation "
                    + "|| chr(10)) > 0", ["\u{2400}"]
            ),
            (
                "\"\u{2400}\"", "position($1 in lower(\(CentralSchema.url))) > 0", ["\u{2400}"]
            ),
        ] as [(String, String, [String])])
    func `SQL matches of a filter text that contains U+2400 are tested again after the query`(
        filter: String, sql: String, texts: [String]
    ) throws {
        try expectPrefilter(filter, sql, texts)
    }

    /// A filter cannot be typed with NUL, but other programs may build tests.
    @Test func `SQL matches of a filter text that contains NUL are tested again after the query`() {
        let contained = PostgresDialect.condition(
            for: .text(.columns([.path]), .contains(ByteSearch("a\0b"))))
        #expect(contained.numbered() == "position($1 in lower(exchange.path)) > 0")
        #expect(contained.arguments == [.text("a\0b")] && !contained.isExact)
        let equal = PostgresDialect.condition(for: .text(.columns([.note]), .equals("\0")))
        #expect(equal.numbered() == "exchange.note = $1")
        #expect(equal.arguments == [.text("\0")] && !equal.isExact)
        #expect(equal.negated.sql == "true")
    }
}
