internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydOperations

/// Tools that answer about many exchanges.
struct ListTools {
    private static let defaultLimit = 20
    private static let limitMax = 200

    let store: AgentStore
    let finish: AnswerFinish

    var all: [Tool] { [list, count, summarize] }

    private var list: Tool {
        Tool(
            "list_exchanges", "List exchanges",
            """
            Lists recorded HTTP exchanges, newest first: method, URL, status, duration, sizes, \
            errors. Members that are null, empty or false are left out. For totals call \
            count_exchanges or summarize_exchanges instead, which need far less room.
            """,
            [
                .filter,
                ToolParameter(
                    "before", .position,
                    "Only exchanges older than this one: the previous answer's next."),
                ToolParameter(
                    "limit", .integer(1...ListTools.limitMax),
                    "The most rows; \(ListTools.defaultLimit) if absent."),
            ], returns: [("exchanges", .list(.row)), ("next", .textOrNull)]
        ) { arguments in
            let filter = try arguments.filter(now: store.now)
            let limit =
                try arguments.number("limit", in: 1...ListTools.limitMax) ?? ListTools.defaultLimit
            let start = try arguments.number("before", in: 1...Int.max).map {
                ExchangeID(rawValue: Int64($0))
            }
            let rows = try store.rows { (reader) throws(StoreError) in
                try reader.rows(
                    matching: filter, start.map(PageDirection.before) ?? .newest, limit: limit)
            }
            let (values, last) = BriefRow.list(rows, finish)
            let hasMore = rows.count == limit || values.count < rows.count
            return .captured(
                [
                    ("exchanges", .array(values)),
                    ("next", .text(hasMore ? last.map { "\($0.id)" } : nil)),
                ], from: "recorded exchanges", advice: "use a smaller limit")
        }
    }

    private var count: Tool {
        Tool(
            "count_exchanges", "Count exchanges",
            "Counts the recorded exchanges that match a filter.", [.filter],
            returns: [("count", .integer)], isCaptured: false
        ) { arguments in
            let filter = try arguments.filter(now: store.now)
            let count = try store.read { (reader) throws(StoreError) in
                try reader.count(matching: filter)
            }
            return .own([("count", .integer(count))])
        }
    }

    private enum Grouping: String, CaseIterable {
        case overview, path
    }

    private var summarize: Tool {
        Tool(
            "summarize_exchanges", "Summarize exchanges",
            """
            Summarizes the recorded exchanges that match a filter. by=overview: counts by host, \
            method and status, percentiles of duration and size, the slowest exchanges. by=path: \
            one level of the tree of servers and paths, with counts, errors and bytes; server and \
            folder, as named in an earlier answer, select the level.
            """,
            [
                .filter,
                ToolParameter("by", .choice(["overview", "path"]), "overview if absent."),
                ToolParameter("server", .text, "With by=path: SCHEME://HOST:PORT."),
                ToolParameter("folder", .text, "With by=path: the path of a folder, like /api/v1."),
            ], returns: ListTools.summaryMembers
        ) { arguments in
            let filter = try arguments.filter(now: store.now)
            let value: JSONValue
            switch try arguments.choice("by", Grouping.self) ?? .overview {
            case .overview:
                value =
                    try store.read { (reader) throws(StoreError) in
                        try SummaryJSON.value(reader.summary(matching: filter), reader)
                    }
            case .path:
                let place = try ListTools.place(arguments)
                value = BranchesJSON.value(
                    try store.read { (reader) throws(StoreError) in
                        try reader.branches(of: place, matching: filter)
                    })
            }
            return .captured(
                value.members.map { ($0.name, $0.value) }, from: "recorded exchanges",
                advice: "use a narrower filter")
        }
    }

    /// With `by=overview` all but `branches` and `total`, with `by=path` these and `others`.
    private static var summaryMembers: [(String, ToolResult)] {
        let histogram = ToolResult.members(
            [("count", .integer)]
                + ["min", "p50", "p90", "p95", "p99", "max", "mean"].map { ($0, .orNull(.number)) })
        let named = ToolResult.list(.members([("name", .anything), ("count", .integer)]))
        let interval: [(String, ToolResult)] = [
            ("at", .text), ("count", .integer), ("errors", .integer),
        ]
        let branch: [(String, ToolResult)] = [
            ("kind", .choice(["server", "folder", "path"])), ("name", .textOrNull),
            ("host?", .textOrNull), ("port?", .orNull(.integer)),
        ]
        return [
            ("count?", .integer), ("errors?", .integer), ("bytes?", .integer),
            ("first_started_at?", .textOrNull), ("last_started_at?", .textOrNull),
            ("duration_ms?", histogram), ("response_bytes?", histogram), ("statuses?", named),
            ("types?", named), ("methods?", named),
            (
                "times?",
                .members([("interval_ms", .integer), ("intervals", .list(.members(interval)))])
            ),
            ("hosts?", .list(.members([("name", .textOrNull)] + ToolResult.totals))),
            ("slowest?", .list(.members([("id", .text), ("duration_ms", .orNull(.number))]))),
            ("branches?", .list(.members(branch + ToolResult.totals))),
            ("total?", .members(ToolResult.totals)), ("others?", .anything),
        ]
    }

    private static func place(_ arguments: ToolArguments) throws -> TreePath {
        guard let text = try arguments.text("server") else {
            guard try arguments.text("folder") == nil else {
                throw ToolProblem("folder needs server, as an answer names it")
            }
            return .everything
        }
        guard let server = ServerText(text)?.server else {
            throw ToolProblem("server must be SCHEME://HOST:PORT, as an answer names it")
        }
        let folder = try arguments.text("folder") ?? ""
        return TreePath(server: server, folder: folder == "/" ? "" : folder)
    }
}

/// Tools about the filter language, and SQL.
struct QueryTools {
    private static let sqlNsMax: Int64 = 2_000_000_000
    private static let sqlRowCountMax = 500

    let services: AgentServices
    let store: AgentStore

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
            returns: [("columns", .texts), ("rows", .list(.list(.anything))), ("more", .flag)]
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
