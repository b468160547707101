public import ProxydCaptureModel
public import ProxydFilter
public import ProxydHTTPModel
internal import ProxydSystem
internal import Synchronization

/// Pages of rows.
extension StoreReader {
    /// If a read takes longer than this, the next one is smaller; in nanoseconds.
    static let windowNs: Int64 = 200_000_000
    static let pageCount = 500

    public func row(_ id: ExchangeID) throws(StoreError) -> ExchangeRow? {
        try rows([id]).first
    }

    public func rows(_ ids: [ExchangeID]) throws(StoreError) -> [ExchangeRow] {
        try read { database in
            let statement = try database.statement(RowSelection.sql + " WHERE exchange.id = ?")
            return try ids.compactMap { id in
                statement.bind([.integer(id.rawValue)])
                return try statement.first({ ExchangeRow($0) })
            }
        }
    }

    public func rows(
        matching filter: Filter = .everything, _ direction: PageDirection, limit: Int,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> [ExchangeRow] {
        guard limit > 0 else { return [] }
        var rows: [ExchangeRow] = []
        try forEachPage(filter.compile(), direction, limit: limit) { page, share in
            rows += page
            progress(share)
            return rows.count < limit
        }
        return Array(rows.prefix(limit))
    }

    public func forEachRow(
        matching filter: Filter = .everything, _ direction: PageDirection,
        _ body: (ExchangeRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try forEachPage(filter.compile(), direction, limit: StoreReader.pageCount) {
            (page, _) throws(StoreError) in
            for row in page {
                guard try body(row) else { return false }
            }
            return true
        }
    }

    /// Passes pages of at most `limit` rows, including empty ones, to the closure until it returns
    /// false. The closure also receives the share of the rows in that direction that was scanned.
    func forEachPage(
        _ compiled: CompiledFilter, _ direction: PageDirection, limit: Int,
        _ page: ([ExchangeRow], Double) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try attachIndex()
        let limit = min(limit, StoreReader.pageCount)
        guard let window = try firstWindow(direction) else { return }
        let body = { (rows: [ExchangeRow], through: Int64) throws(StoreError) in
            try page(rows, window.share(through: through))
        }
        guard !compiled.searches.isEmpty, !window.isEmpty else {
            if let ids = try proposed(window, compiled) {
                _ = try look(at: ids, window.isAscending, compiled, body)
            } else {
                _ = try scan(window, compiled, limit: limit, body)
            }
            return
        }
        let path = path
        let sections = try read {
            SearchPlan.sections(lowest: window.lowest, highest: window.highest, storePath: path, $0)
        }
        for section in window.isAscending ? sections : sections.reversed() {
            let part = ScanWindow(
                lowest: section.lowest, highest: section.highest, isAscending: window.isAscending)
            let goesOn =
                if let ids = section.candidates(compiled.searches) {
                    try look(at: ids, part.isAscending, compiled, body)
                } else {
                    try scan(part, compiled, limit: limit, body)
                }
            guard goesOn else { return }
        }
    }

    /// The rows the index file proposes in a window, or nil if it is of no help or if the window is
    /// so small that scanning it costs less than a query.
    private func proposed(
        _ window: ScanWindow, _ compiled: CompiledFilter
    ) throws(StoreError) -> [Int64]? {
        guard window.bounds != (window.lowest, window.highest) else { return nil }
        return try read {
            try candidates(compiled, from: window.lowest, through: window.highest, in: $0)
        }
    }

    /// Scans all numbers of a window in parts; returns false if the body stopped it.
    private func scan(
        _ whole: ScanWindow, _ compiled: CompiledFilter, limit: Int,
        _ body: ([ExchangeRow], Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var window = whole
        while !window.isEmpty {
            let started = SystemClock.monotonicNow()
            let page = try page(of: &window, compiled, limit: limit)
            window.resize(wasSlow: SystemClock.monotonicNow() - started > StoreReader.windowNs)
            // A full page ends at its last row, any other page where the read ended.
            let last = page.rows.count == limit ? page.rows.last?.id.rawValue : nil
            window.advance(past: last ?? page.end)
            guard try body(page.rows, last ?? page.end) else { return false }
        }
        return true
    }

    func firstWindow(_ direction: PageDirection) throws(StoreError) -> ScanWindow? {
        let bounds: (first: Int64, last: Int64)? = try read {
            try $0.first(
                "SELECT (SELECT min(id) FROM exchange), (SELECT max(id) FROM exchange)"
            ) { row in row.integer(0).flatMap { first in row.integer(1).map { (first, $0) } } }
                ?? nil
        }
        guard let (first, last) = bounds else { return nil }
        var window = ScanWindow(lowest: first, highest: last, isAscending: direction.isAscending)
        switch direction {
        case .newest, .oldest: break
        case .before(let id):
            if id.rawValue <= last { window.advance(past: id.rawValue) }
        case .after(let id):
            if id.rawValue >= first { window.advance(past: id.rawValue) }
        }
        return window.isEmpty ? nil : window
    }

    /// The rows of one read, and the number up to which it scanned.
    private func page(
        of window: inout ScanWindow, _ filter: CompiledFilter, limit: Int
    ) throws(StoreError) -> (rows: [ExchangeRow], end: Int64) {
        try read { database in
            try StoreReader.skipGap(&window, database)
            guard !window.isEmpty else {
                return ([], window.isAscending ? window.highest : window.lowest)
            }
            let bounds = window.bounds
            let rows = try StoreReader.rows(
                where: "exchange.id BETWEEN ? AND ? AND (\(filter.sqlCondition))",
                [.integer(bounds.lowest), .integer(bounds.highest)] + filter.arguments,
                isAscending: window.isAscending, filter.residual, limit, database)
            return (rows, window.isAscending ? bounds.highest : bounds.lowest)
        }
    }

    /// Moves the start of a window to the next existing exchange. Missing numbers need not be
    /// scanned, and in a damaged store the gaps may be too large to go through.
    static func skipGap(_ window: inout ScanWindow, _ database: SQLiteConnection) throws {
        let sql =
            window.isAscending
            ? "SELECT min(id) FROM exchange WHERE id >= ?"
            : "SELECT max(id) FROM exchange WHERE id <= ?"
        let start = window.isAscending ? window.lowest : window.highest
        let statement = try database.statement(sql)
        statement.bind([.integer(start)])
        window.skip(to: try statement.first { $0.integer(0) } ?? nil)
    }

    /// Rows that satisfy a condition on `exchange` and a predicate, ordered by exchange number.
    static func rows(
        where condition: String, _ arguments: [SQLValue], isAscending: Bool,
        _ residual: FilterPredicate?, _ limit: Int, _ database: SQLiteConnection
    ) throws -> [ExchangeRow] {
        let sql =
            RowSelection.sql + " WHERE \(condition)"
            + " ORDER BY exchange.id \(isAscending ? "ASC" : "DESC")"
        // Not cached: a long-running viewer uses too many filters to keep a statement for each.
        let statement = try SQLiteStatement(database, sql)
        statement.bind(arguments)
        var rows: [ExchangeRow] = []
        guard limit > 0 else { return rows }
        try statement.takeRows(while: { columns in
            let row = ExchangeRow(columns)
            let subject = StoredRowSubject(
                row, SQLiteSubject(id: row.id.rawValue, database: database))
            if residual?.matches(subject) ?? true { rows.append(row) }
            return rows.count < limit
        })
        return rows
    }

    // MARK: Rows that the index file or a search proposed

    /// The exchange numbers of a range that may match a filter, ascending, or nil if all must be
    /// scanned. The index file is queried once per filter and state of the store. Call it inside a
    /// read, before anything else is read.
    func candidates(
        _ compiled: CompiledFilter, from lowest: Int64, through highest: Int64,
        in database: SQLiteConnection
    ) throws -> [Int64]? {
        guard !compiled.probes.isEmpty,
            let changeNumber = try IndexPlan.changeNumber(in: database)
        else { return nil }
        let question = CandidateCache.Question(
            probes: compiled.probes, changeNumber: changeNumber,
            indexFile: attachedIndex.withLock { $0 })
        let known = candidateCache.withLock { $0.answer(to: question) }
        let all = known ?? IndexPlan.candidates(for: compiled.probes, in: database)
        // An incomplete answer must not be used.
        if ReadCancellation.isCurrentCancelled { throw StoreError.cancelled }
        if known == nil { candidateCache.withLock { $0.keep(all, for: question) } }
        return all?.filter { lowest <= $0 && $0 <= highest }
    }

    /// A condition on `exchange` for rows whose number is in a list and that match a filter.
    static func condition(
        among ids: some Sequence<Int64>, _ compiled: CompiledFilter
    ) -> (sql: String, arguments: [SQLValue]) {
        let list = ids.map { "\($0)" }.joined(separator: ",")
        return (
            "exchange.id IN (SELECT value FROM json_each(?)) AND (\(compiled.sqlCondition))",
            [.text("[\(list)]")] + compiled.arguments
        )
    }

    /// How many numbers the first read covers.
    private static let lookCountFirst = 32

    /// Goes through ascending numbers in parts; returns false if the body stopped it.
    func look(
        at ids: [Int64], _ isAscending: Bool, _ compiled: CompiledFilter,
        _ body: ([ExchangeRow], Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var rest = ids[...]
        var count = StoreReader.lookCountFirst
        while !rest.isEmpty {
            let started = SystemClock.monotonicNow()
            let part = isAscending ? rest.prefix(count) : rest.suffix(count)
            rest = isAscending ? rest.dropFirst(count) : rest.dropLast(count)
            let condition = StoreReader.condition(among: part, compiled)
            let rows = try read {
                try StoreReader.rows(
                    where: condition.sql, condition.arguments, isAscending: isAscending,
                    compiled.residual, part.count, $0)
            }
            let wasSlow = SystemClock.monotonicNow() - started > StoreReader.windowNs
            count = wasSlow ? max(1, count / 4) : min(StoreReader.pageCount, count * 2)
            let through = (isAscending ? part.last : part.first) ?? 0
            guard try body(rows, through) else { return false }
        }
        return true
    }
}

/// Selects what `ExchangeRow.init(_:)` decodes. The table `exchange` must not be
/// aliased, because filter conditions refer to it by name.
enum RowSelection {
    static let sql = """
        SELECT exchange.id, exchange.method, exchange.scheme, exchange.host, exchange.port,
          exchange.path, exchange.query, exchange.http_version, exchange.status, exchange.reason,
          exchange.started_ns, exchange.duration_ns, exchange.request_body_bytes,
          exchange.request_kept_bytes, exchange.response_body_bytes, exchange.response_kept_bytes,
          exchange.request_type, exchange.response_type, c.peer_address, c.process, c.pid,
          s.peer_address, coalesce(s.tls_version, c.tls_version),
          exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error,
          exchange.state, exchange.upgraded_to, exchange.replay_of,
          (SELECT json_group_array(tag) FROM tag WHERE exchange_id = exchange.id),
          a.note, coalesce(a.pinned, 0), exchange.client_stream,
          exchange.message_count, exchange.grpc_status, exchange.graphql_operation,
          exchange.graphql_type,
          iif(exchange.flags & \(ExchangeFlags.appliedRules.rawValue),
            (SELECT json_group_array(rule) FROM applied_rule WHERE exchange_id = exchange.id),
            NULL),
          exchange.user, c.listener, c.proxy_protocol_peer, s.upstream,
          exchange.received_status, exchange.held_ns
        FROM exchange
          LEFT JOIN connection c ON c.id = exchange.client_connection_id
          LEFT JOIN connection s ON s.id = exchange.server_connection_id
          LEFT JOIN annotation a ON a.exchange_id = exchange.id
        """
}

/// The exchange numbers that a scan goes through, window by window.
struct ScanWindow {
    /// How many numbers the first read and the largest read cover: a read must stay short.
    private static let countFirst: Int64 = 2_000
    private static let countMax: Int64 = 50_000

    private(set) var lowest: Int64
    private(set) var highest: Int64
    let isAscending: Bool
    private var count = ScanWindow.countFirst
    /// Whether the scan is complete; at the ends of the integer range the bounds cannot express it.
    private var isDone = false

    init(lowest: Int64, highest: Int64, isAscending: Bool) {
        self.lowest = lowest
        self.highest = highest
        self.isAscending = isAscending
    }

    var isEmpty: Bool { isDone || lowest > highest }

    /// The first and last number of the next window.
    var bounds: (lowest: Int64, highest: Int64) {
        if isAscending {
            let (end, isOver) = lowest.addingReportingOverflow(count - 1)
            return (lowest, isOver ? highest : min(highest, end))
        }
        let (end, isOver) = highest.subtractingReportingOverflow(count - 1)
        return (isOver ? lowest : max(lowest, end), highest)
    }

    /// The share of the window that has been scanned once `id` has been, 0 to 1.
    func share(through id: Int64) -> Double {
        let all = Double(highest) - Double(lowest) + 1
        let seen = isAscending ? Double(id) - Double(lowest) : Double(highest) - Double(id)
        return all > 0 ? min(1, max(0, (seen + 1) / all)) : 1
    }

    mutating func advance(past id: Int64) {
        isDone = isAscending ? id >= highest : id <= lowest
        guard !isDone else { return }
        if isAscending { lowest = id + 1 } else { highest = id - 1 }
    }

    /// Skips the numbers before the next existing one; nil if there is none.
    mutating func skip(to id: Int64?) {
        guard let id, lowest <= id, id <= highest else { return isDone = true }
        if isAscending { lowest = id } else { highest = id }
    }

    mutating func resize(wasSlow: Bool) {
        count = wasSlow ? max(100, count / 4) : min(ScanWindow.countMax, count * 2)
    }
}

/// Reads the parts of an exchange that filters ask for.
struct SQLiteSubject: SubjectSource {
    let id: Int64
    let database: SQLiteConnection

    var heads: StoredHeads? { try? StoredExchange.heads(of: id, database) }
    var responseFault: ResponseFault? { try? StoredExchange.responseFault(of: id, database) }
    var reset: HTTP2Facts.Reset? { try? StoredExchange.reset(of: id, database) }

    func parameterValues(named name: String) -> [String?] {
        let values = try? database.rows(
            "SELECT value FROM parameter WHERE exchange_id = ? AND name = ?",
            [.integer(id), .text(name)]
        ) { Optional.some($0.text(0)) }
        return values ?? []
    }

    func body(of side: FilterSide) -> [UInt8] {
        (try? StoredBody.bytes(of: id, side == .request ? .request : .response, database)) ?? []
    }

    /// Reads row by row, with at most one message in memory.
    func forEachMessage(among messages: FilterMessages, _ body: (MessageRow) -> Bool) {
        try? StoredMessages.forEach(of: id, among: messages, database) { body($0) }
    }
}
