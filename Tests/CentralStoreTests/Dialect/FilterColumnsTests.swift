import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydCentralStore
@testable import ProxydFilter

/// The expressions of filter columns on a row of `exchange`.
@Suite struct FilterColumnsTests {
    @Test func `each filter column has its own SQL expression`() {
        let texts = FilterTextColumn.allCases.map(\.centralExpression)
        let numbers = FilterNumberColumn.allCases.map(\.centralExpression)
        #expect(Set(texts + numbers).count == texts.count + numbers.count)
    }

    @Test func `SQL filters compare an exchange's state and error as the texts shown in lists`() {
        #expect(
            FilterTextColumn.state.centralExpression
                == "(CASE exchange.state WHEN 0 THEN 'active' WHEN 1 THEN 'complete' "
                + "WHEN 2 THEN 'failed' WHEN 3 THEN 'tunnel' END)")
        #expect(
            FilterTextColumn.error.centralExpression
                == "(exchange.error_origin || ' ' || exchange.error_kind || ': ' "
                + "|| exchange.error)")
    }

    @Test(
        arguments: [(.refused, "refused_reason"), (.repaired, "repaired")]
            as [(FilterTextColumn, String)])
    func `SQL filters look up response faults only for exchanges flagged as having one`(
        column: FilterTextColumn, name: String
    ) {
        #expect(
            column.centralExpression
                == "(CASE WHEN exchange.flags & 32 <> 0 THEN (SELECT \(name) FROM content "
                + "WHERE content.started_at = exchange.started_at "
                + "AND content.exchange_id = exchange.id) END)")
    }

    /// The names in RFC 9113 §7, by their numbers.
    @Test func `a filter on HTTP/2 resets matches error codes by their RFC 9113 names`() throws {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR",
            "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
            "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ]
        let cases = names.enumerated().map { " WHEN \($0.offset) THEN '\($0.element)'" }
        let expression =
            "((CASE exchange.reset >> 2\(cases.joined()) "
            + "ELSE CAST(exchange.reset >> 2 AS TEXT) END) COLLATE \"C\")"
        for (value, wanted) in [("8", "CANCEL"), ("cancel", "CANCEL"), ("77", "77"), ("x", "x")] {
            let written = try WrittenFilter("h2.reset=\(value)")
            #expect(written.sql == "\(expression) = $1")
            #expect(written.arguments == [.text(wanted)])
        }
    }

    /// The names in gRPC's doc/statuscodes.md, by their numbers.
    @Test func `a substring filter on the gRPC status searches the names of the status codes`()
        throws
    {
        let names = [
            "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
            "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
            "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
            "UNAUTHENTICATED",
        ]
        let cases = names.enumerated().map { " WHEN \($0.offset) THEN '\($0.element)'" }
        let written = try WrittenFilter("grpc.status:DENIED")
        #expect(
            written.sql == "position($1 in lower(((CASE exchange.grpc_status\(cases.joined()) "
                + "ELSE exchange.grpc_status::text END) COLLATE \"C\"))) > 0")
        #expect(written.arguments == [.text("denied")] && written.isExact)
    }

    @Test func `gRPC service and method are extracted from the path in SQL`() throws {
        let isCall =
            "exchange.request_type ILIKE 'application/grpc%' AND exchange.path LIKE '/%/%'"
        let head = "rtrim(exchange.path, replace(exchange.path, '/', ''))"
        let service = try WrittenFilter("grpc.service=shop.Greeter")
        #expect(
            service.sql
                == "(CASE WHEN \(isCall) THEN substr(\(head), 2, length(\(head)) - 2) END) = $1")
        let method = try WrittenFilter("grpc.method=SayHello")
        #expect(
            method.sql
                == "(CASE WHEN \(isCall) THEN substr(exchange.path, length(\(head)) + 1) END) = $1")
        #expect(method.arguments == [.text("SayHello")])
    }

    @Test func `a filter on an HTTP version also finds protocols carried over that version`() throws
    {
        let spoken = "(\(CentralViews.protocolSQL("exchange"))) = $1"
        let expected: [(String, String, [CentralValue])] = [
            ("ws", spoken, [.text("ws")]),
            ("h2", "(\(spoken) OR exchange.http_version = $2)", [.text("h2"), .integer(20)]),
            ("h3", "(\(spoken) OR exchange.http_version = $2)", [.text("h3"), .integer(30)]),
            (
                "h1", "(\(spoken) OR exchange.http_version BETWEEN $2 AND $3)",
                [.text("h1"), .integer(10), .integer(19)]
            ),
            (
                "h2c", "(\(spoken) OR (exchange.http_version = $2 AND exchange.scheme = $3))",
                [.text("h2c"), .integer(20), .text("http")]
            ),
        ]
        for (name, sql, arguments) in expected {
            let written = try WrittenFilter("proto=\(name)")
            #expect(written.sql == sql)
            #expect(written.arguments == arguments && written.isExact)
        }
    }

    // MARK: Tables

    /// Without a server this shows that no column is misspelt.
    @Test func `filter SQL refers only to columns that the schema's tables have`() throws {
        let tables = Self.columns
        #expect(tables["exchange"]?.contains("user_name") == true && tables.count > 10)
        var texts: Set<String> = []
        for filter in FilterCorpus.filters {
            if let written = try? WrittenFilter(filter) { texts.insert(written.sql) }
        }
        let names = texts.flatMap(Self.names)
        #expect(Set(names.map(\.table)).isSuperset(of: ["exchange", "parameter", "body_text"]))
        for name in names where name.table != "one" {
            #expect(tables[name.table]?.contains(name.column) == true, "\(name)")
        }
    }

    /// The columns of each table of the schema.
    private static var columns: [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        var table: String?
        let schema = CentralSchema.migrations.joined() + CentralAdditions.sql(after: .none)
        for line in schema.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("ALTER TABLE "), words.count > 5, words[3] == "ADD" {
                tables[String(words[2]), default: []].insert(String(words[5]))
            } else if line.hasPrefix("CREATE TABLE ") {
                table = line.split(separator: " ").dropFirst(2).first.map(String.init)
            } else if line.hasPrefix(")") {
                table = nil
            } else if let table, let word = line.split(separator: " ").first,
                word.allSatisfy({ $0 == "_" || $0.isLowercase })
            {
                tables[table, default: []].insert(String(word))
            }
        }
        return tables
    }

    /// The names `TABLE.COLUMN` in an SQL text.
    private static func names(_ sql: String) -> [(table: String, column: String)] {
        let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        return words.compactMap { word in
            let parts = word.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
            return (String(parts[0]), String(parts[1]))
        }
    }
}
