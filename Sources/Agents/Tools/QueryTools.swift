internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydParameterCoding
internal import ProxydStoreAnswers

/// Tools about the filter language, and SQL.
struct QueryTools {
    private static let sqlNsMax: Int64 = 2_000_000_000
    private static let sqlRowCountMax = 500

    private let services: AgentServices
    private let store: AgentStore

    init(_ services: AgentServices, _ store: AgentStore) {
        self.services = services
        self.store = store
    }

    var all: [Tool] {
        guard services.policy.allowsSQL, let sql = services.sql else { return [explain] }
        return [explain, query(sql)]
    }

    private var explain: Tool {
        Tool(
            "explain_filter", "Explain a filter",
            """
            Checks a filter: answers with what each condition tests, or with the column of the \
            mistake. Nothing is searched.
            """, [ToolParameter("filter", .text, "The filter.", isRequired: true)],
            returns: [
                ("valid", .flag), ("filter", .text),
                (
                    "conditions",
                    .list(
                        .members([
                            ("field", .text), ("column", .integer), ("meaning", .textOrNull),
                        ]))
                ),
            ], isCaptured: false
        ) { arguments in
            .own(
                FilterJSON.value(try arguments.filter(now: store.now)).members.map {
                    ($0.name, $0.value)
                })
        }
    }

    private func query(_ sql: @escaping AgentServices.SQLRunner) -> Tool {
        Tool(
            "query_sql", "Run SQL",
            """
            Runs one read-only SQLite statement on the store, for at most 2 seconds and \
            \(QueryTools.sqlRowCountMax) rows. The resource proxyd://schema describes the views \
            and tables.
            """, [ToolParameter("statement", .text, "A SELECT.", isRequired: true)],
            returns: [
                ("columns", .texts), ("rows", .list(.list(.anything))), ("more", .flag),
            ]
        ) { arguments in
            let statement = try arguments.text("statement") ?? ""
            let cancellation = ReadCancellation()
            var columns: [String] = []
            var rows: [JSONValue] = []
            var hasMore = false
            do {
                try TimeLimit.run(QueryTools.sqlNsMax, cancellation) {
                    try cancellation.run {
                        try sql(statement) {
                            columns = $0
                        } _: { row in
                            hasMore = rows.count == QueryTools.sqlRowCountMax
                            if !hasMore { rows.append(.array(row)) }
                            return !hasMore
                        }
                    }
                }
            } catch  where cancellation.isCancelled {
                throw ToolProblem("the statement was ended after 2 seconds")
            }
            return .captured(
                [
                    ("columns", .strings(columns)), ("rows", .array(rows)),
                    ("more", .bool(hasMore)),
                ], from: "recorded exchanges", advice: "select fewer or shorter columns")
        }
    }
}
