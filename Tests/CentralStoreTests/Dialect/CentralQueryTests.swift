import ProxydFilter
import ProxydFilterTestSupport
import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Filters as statements, and what is left of them to look at.
@Suite struct CentralQueryTests {
    private func query(_ text: String) throws -> CentralQuery {
        CentralQuery(try Filter.parse(text, now: 0, timeZone: .utc))
    }

    @Test func `filters that match everything become WHERE true in SQL`() throws {
        for text in ["", "~all", "~http"] {
            let query = try query(text)
            #expect(query.residual == nil)
            let statement = query.statement("SELECT id FROM exchange", "LIMIT 1")
            #expect(statement.sql == "SELECT id FROM exchange WHERE true LIMIT 1")
            #expect(statement.arguments == [])
        }
        #expect(try query("not ~all").condition.sql == "false")
    }

    @Test(
        arguments: [
            (
                "status=7 host:a",
                "(exchange.status = $1 AND position($2 in lower(exchange.host)) > 0)",
                [.integer(7), .text("a")]
            ),
            (
                "not (status=7 user=a)",
                "(NOT coalesce(exchange.status = $1, false) "
                    + "OR NOT coalesce(exchange.user_name = $2, false))",
                [.integer(7), .text("a")]
            ),
            (
                "not (status=7 or not user=a)",
                "(NOT coalesce(exchange.status = $1, false) AND exchange.user_name = $2)",
                [.integer(7), .text("a")]
            ),
            (
                "status=7 (user=a or port>8)",
                "(exchange.status = $1 AND (exchange.user_name = $2 OR exchange.port >= $3))",
                [.integer(7), .text("a"), .integer(9)]
            ),
        ] as [(String, String, [CentralValue])])
    func `and, or and not in filters are translated into AND, OR and NOT in SQL`(
        filter: String, sql: String, arguments: [CentralValue]
    ) throws {
        let query = try query(filter)
        #expect(query.condition.numbered() == sql)
        #expect(query.condition.arguments == arguments)
        #expect(query.residual == nil)
    }

    @Test func `a filter test that SQL cannot evaluate becomes true in SQL, even if it is negated`()
        throws
    {
        let either = try query("status=7 (path~x or port=8) user=a").condition
        #expect(
            either.numbered() == "(exchange.status = $1 AND (true OR exchange.port = $2) "
                + "AND exchange.user_name = $3)")
        let neither = try query("not (status=7 path~x)").condition
        #expect(neither.numbered() == "(NOT coalesce(exchange.status = $1, false) OR true)")
        let negated = try query("status=7 not (port=8 or path~x)").condition
        #expect(
            negated.numbered() == "(exchange.status = $1 "
                + "AND (NOT coalesce(exchange.port = $2, false) AND true))")
    }

    @Test func `only the parts of a filter that SQL cannot evaluate are tested after the query`()
        throws
    {
        let slash = FilterRow.with { $0.texts[.path] = "/" }
        let found = FilterRow.with { $0.texts[.path] = "/x" }
        // The row has the status 200, which is no concern of the predicate.
        let residual = try #require(try query("status=7 path~x").residual)
        #expect(residual.matches(found) && !residual.matches(slash))
        // A part is left as a whole.
        let whole = try #require(try query("not (path~x or status=7)").residual)
        #expect(!whole.matches(found) && whole.matches(slash))
        #expect(!whole.matches(FilterRow.with { $0.numbers[.status] = 7 }))
        let several = try #require(try query("path~x status=7 not header.a:b").residual)
        #expect(several.matches(found) && !several.matches(slash))
        #expect(
            !several.matches(
                FilterRow.with {
                    $0.texts[.path] = "/x"
                    $0.headers[.request] = [("A", "b")]
                }))
    }

    @Test func `the arguments of an SQL statement are numbered before those of its filter`() throws
    {
        let query = try query("status=4xx user=a")
        let statement = query.statement(
            "SELECT $1, $2 FROM exchange", "ORDER BY id", [.integer(1), .text("b")])
        #expect(
            statement.sql == "SELECT $1, $2 FROM exchange "
                + "WHERE (exchange.status BETWEEN $3 AND $4 AND exchange.user_name = $5) "
                + "ORDER BY id")
        #expect(
            statement.arguments
                == [.integer(1), .text("b"), .integer(400), .integer(499), .text("a")])
    }

    @Test
    func `an added SQL restriction precedes the filter and leaves the in-memory test unchanged`()
        throws
    {
        let restriction = PostgresFragment(
            "exchange.id > \(PostgresFragment.argument)", [.integer(3)])
        let exact = try query("user=a").restricted(by: restriction)
        #expect(exact.condition.numbered() == "(exchange.id > $1 AND exchange.user_name = $2)")
        #expect(exact.condition.arguments == [.integer(3), .text("a")])
        #expect(exact.residual == nil)
        let inexact = try query("user=a path~x").restricted(by: restriction)
        #expect(
            inexact.condition.numbered()
                == "(exchange.id > $1 AND (exchange.user_name = $2 AND true))")
        let residual = try #require(inexact.residual)
        #expect(residual.matches(FilterRow.with { $0.texts[.path] = "/x" }))
        #expect(!residual.matches(FilterRow()))
    }

    /// docs/FLEET.md names `host=` among the tests that have indexes. PostgreSQL uses an index of
    /// an expression only where the condition has the same expression.
    @Test func `a host filter uses the same SQL expression as the index on hosts`() throws {
        let schema = CentralSchema.migrations.joined()
        let head = try #require(schema.firstRange(of: "INDEX exchange_host_key\n  ON exchange ("))
        let rest = schema[head.upperBound...]
        let end = try #require(rest.firstRange(of: ", started_at"))
        let indexed = String(rest[..<end.lowerBound])
            .replacing("host", with: "exchange.host")
        #expect(indexed.contains("exchange.host"))
        #expect(try query("host=a.test").condition.sql.contains(indexed))
    }
}
