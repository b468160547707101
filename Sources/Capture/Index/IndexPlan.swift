internal import ProxydCaptureModel
internal import ProxydFilter

/// How a reader uses the index file for one filter: attach it once per connection, query it once
/// per filter and state of the store.
enum IndexPlan {
    /// If more rows are proposed than this, the store is scanned instead: that many lookups cost
    /// more than they save, and a limited listing finds common rows immediately.
    static let candidateCountMax = 20_000

    /// Attaches the index file of a store to a connection that reads the store. Does nothing if
    /// there is no index file; call it again later. Must not be called inside a transaction.
    static func attach(to database: SQLiteConnection, storePath: String) {
        guard !isAttached(database) else { return }
        let uri = IndexFile.readOnlyURI(IndexFile.indexPath(besideStore: storePath))
        try? database.run("ATTACH DATABASE ? AS side", [.text(uri)])
    }

    /// The numbers of exchanges that may match a filter, ascending; no match is missing. Returns
    /// nil if the index file is missing, damaged, of another store or of no help. There are at most
    /// about 40,000, so that a reader need not go through the store in windows.
    ///
    /// Call it inside a transaction, before any query other than `changeNumber`.
    static func candidates(for probes: [IndexProbe], in database: SQLiteConnection) -> [Int64]? {
        guard let through = try? indexedThrough(database),
            let probe = try? bestProbe(of: probes, database),
            let ids = try? ids(probe, beyond: through, database)
        else { return nil }
        return ids
    }

    /// The exchanges that a probe proposes, plus all that are not in the index file yet, or nil if
    /// there are too many.
    private static func ids(
        _ probe: IndexProbe, beyond through: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> [Int64]? {
        let countMax = 2 * candidateCountMax
        let ids = try database.integers(
            """
            SELECT * FROM (\(probe.sql)) UNION ALL SELECT exchange_id FROM side.pending
            UNION ALL SELECT id FROM main.exchange WHERE id > ? LIMIT ?
            """, probe.arguments + [.integer(through), .integer(Int64(countMax) + 1)])
        guard ids.count <= countMax else { return nil }
        var last: Int64?
        return ids.sorted().filter { id in
            defer { last = id }
            return id != last
        }
    }

    /// A number that changes whenever another connection writes to the store, or nil if there is no
    /// index file. Later queries in the transaction see a state of the index file no newer than
    /// that of the store.
    static func changeNumber(in database: SQLiteConnection) throws(StoreError) -> Int64? {
        guard isAttached(database) else { return nil }
        // The first read of a file fixes the snapshot that the transaction sees.
        _ = try? database.integer("PRAGMA side.user_version")
        return try database.integer("PRAGMA main.data_version")
    }

    static func isAttached(_ database: SQLiteConnection) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM pragma_database_list WHERE name = 'side')"
        return (try? database.isTrue(sql)) ?? false
    }

    /// The last indexed exchange number, or nil if the index file is not of this store.
    static func indexedThrough(_ database: SQLiteConnection) throws(StoreError) -> Int64? {
        let version = try database.integer("PRAGMA side.user_version")
        guard version == IndexSchema.version,
            try database.isTrue(IndexSchema.belongsCondition(schema: "side", store: "main"))
        else { return nil }
        return try database.integer("SELECT indexed_through FROM side.state")
    }

    /// The probe that proposes the fewest rows, or nil if every probe proposes too many.
    private static func bestProbe(
        of probes: [IndexProbe], _ database: SQLiteConnection
    ) throws(StoreError) -> IndexProbe? {
        var best: (count: Int64, probe: IndexProbe)?
        for probe in probes {
            let limit = best?.count ?? Int64(candidateCountMax) + 1
            let count = try database.integer(
                "SELECT count(*) FROM (\(probe.sql) LIMIT ?)", probe.arguments + [.integer(limit)])
            if let count, count < limit { best = (count, probe) }
        }
        return best?.probe
    }
}

/// A query that the index file can answer: which exchanges may pass one test.
struct IndexProbe: Sendable, Hashable {
    /// A `SELECT exchange_id …` on the attached file; may return too many rows, never too few.
    let sql: String
    let arguments: [SQLValue]

    /// The probes for tests that every matching exchange must pass.
    static func probes(for tests: [FilterTest]) -> [IndexProbe] { tests.compactMap(probe) }

    private static func probe(for test: FilterTest) -> IndexProbe? {
        switch test {
        case .number(.status, let range):
            number("SELECT exchange_id FROM side.status WHERE status BETWEEN ? AND ?", range)
        case .number(.duration, let range):
            number(
                """
                SELECT exchange_id FROM side.duration
                WHERE \(IndexSchema.anyEra) AND duration_ns BETWEEN ? AND ?
                """, range)
        case .text(.columns([.host]), let match): host(match)
        case .text(.parameter(let name), let match): parameter(name, match)
        default: nil
        }
    }

    private static func number(_ sql: String, _ range: FilterNumberRange) -> IndexProbe {
        IndexProbe(sql: sql, arguments: [.integer(range.lower), .integer(range.upper)])
    }

    private static func host(_ match: FilterTextMatch) -> IndexProbe? {
        switch match {
        case .equals(let host):
            IndexProbe(
                sql: "SELECT exchange_id FROM side.host WHERE host = ?", arguments: [.text(host)])
        case .isHost(let name):
            IndexProbe(
                sql: """
                    SELECT exchange_id FROM side.host WHERE host IN (
                      \(IndexSchema.hostHops)
                      SELECT host FROM hop WHERE lower(host) IN (?, ?))
                    """,
                arguments: [.text(name), .text(name + ".")])
        case .contains(let search):
            IndexProbe(
                sql: """
                    SELECT exchange_id FROM side.host WHERE host IN (
                      \(IndexSchema.hostHops)
                      SELECT host FROM hop WHERE instr(lower(host), ?) > 0)
                    """,
                arguments: [.text(search.needleText)])
        case .regex(let regex):
            regex.literalPrefix.map { prefix in
                IndexProbe(
                    sql: "SELECT exchange_id FROM side.host WHERE host >= ? AND host < ?",
                    arguments: [.text(prefix), .text(upperBound(of: prefix))])
            }
        }
    }

    private static func parameter(_ name: String, _ match: FilterTextMatch) -> IndexProbe? {
        let head =
            "SELECT exchange_id FROM side.parameter WHERE \(IndexSchema.anyEra) AND name = ? AND "
        let name = cut(name)
        let longest = IndexSchema.textCharacterCountMax
        switch match {
        case .isHost: return nil
        case .equals(let value):
            return IndexProbe(sql: head + "value = ?", arguments: [.text(name), .text(cut(value))])
        case .contains(let search):
            return IndexProbe(
                sql: head + """
                    (instr(lower(value), ?) > 0 OR length(value) >= \(longest)
                      OR instr(value, char(0)))
                    """,
                arguments: [.text(name), .text(search.needleText)])
        case .regex(let regex):
            guard let prefix = regex.literalPrefix.map(cut), !prefix.isEmpty else { return nil }
            return IndexProbe(
                sql: head + "value >= ? AND value < ?",
                arguments: [.text(name), .text(prefix), .text(upperBound(of: prefix))])
        }
    }

    /// Truncates the text as the index does; SQLite counts Unicode scalars and stops at a NUL.
    private static func cut(_ text: String) -> String {
        let kept = text.unicodeScalars.prefix(IndexSchema.textCharacterCountMax)
        return String(String.UnicodeScalarView(kept.prefix { $0 != "\0" }))
    }

    /// The smallest text greater than all texts with the prefix, in byte order.
    static func upperBound(of prefix: String) -> String {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next: UInt32 = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return String(repeating: "\u{10FFFF}", count: IndexSchema.textCharacterCountMax)
    }
}

/// Caches the latest answer of the index file: pages, counts and sums ask for the same.
struct CandidateCache: Sendable {
    /// What was asked, and about which state of the store. If no matching row of that state is
    /// missing, the answer stays right until something is written, whatever happens to the index
    /// file.
    struct Question: Sendable, Hashable {
        let probes: [IndexProbe]
        /// `PRAGMA data_version` of the store.
        let changeNumber: Int64
        /// The inode number of the index file.
        let indexFile: UInt64
    }

    private var last: (question: Question, ids: [Int64]?)?

    /// The cached answer: the inner optional is nil if the index file is of no help, the outer one
    /// if the question was not asked yet.
    func answer(to question: Question) -> [Int64]?? {
        guard let last, last.question == question else { return nil }
        return .some(last.ids)
    }

    mutating func keep(_ ids: [Int64]?, for question: Question) { last = (question, ids) }
}
