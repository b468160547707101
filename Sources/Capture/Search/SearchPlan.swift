internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import Glibc

/// How to go through the store for a filter: ranges of numbers, some covered by a search file.
struct SearchPlan {
    /// A range of numbers to go through; all of them are scanned if no file covers it or helps.
    struct Section {
        let lowest: Int64
        let highest: Int64
        let file: SearchFile?

        /// The numbers in the range that may match, ascending, or nil if all must be scanned.
        func candidates(_ probes: [SearchProbe]) -> [Int64]? {
            guard let ids = try? file?.candidates(probes) else { return nil }
            return ids.filter { lowest <= $0 && $0 <= highest }
        }
    }

    /// The sections of a range, ascending and without gaps.
    static func sections(
        lowest: Int64, highest: Int64, storePath: String, _ store: SQLiteConnection
    ) -> [Section] {
        let files = SearchFiles(besideStore: storePath)
        let opened = files.numbers.compactMap { number -> SearchFile? in
            // The file is damaged, of another store or was just deleted: the store is scanned.
            guard let file = try? SearchFile(number, path: files.path(number)),
                (try? file.extent.belongs(to: store)) == true
            else { return nil }
            return file
        }
        var sections: [Section] = []
        var next = lowest
        for file in opened.sorted(by: { $0.extent.firstID < $1.extent.firstID }) {
            let first = max(next, file.extent.firstID)
            let last = min(highest, file.extent.throughID)
            guard first <= last else { continue }
            if next < first {
                sections.append(Section(lowest: next, highest: first - 1, file: nil))
            }
            sections.append(Section(lowest: first, highest: last, file: file))
            next = last + 1
        }
        if next <= highest { sections.append(Section(lowest: next, highest: highest, file: nil)) }
        return sections
    }
}

/// A text that each match has in its URL or its bodies, as a query to the search files.
struct SearchProbe: Sendable {
    /// A `SELECT` of exchange numbers in one file; it may return too many, but never too few.
    let sql: String
    let query: String

    /// The probes for tests that every matching exchange must pass.
    static func probes(for tests: [FilterTest]) -> [SearchProbe] {
        tests.compactMap { test in
            guard case .text(let target, let match) = test else { return nil }
            return probe(for: target, match)
        }
    }

    private static func probe(for target: FilterTarget, _ match: FilterTextMatch) -> SearchProbe? {
        guard let needle = SearchText.needle(of: match),
            let query = SearchText.query(for: needle)
        else { return nil }
        if case .messages(let messages, let column) = target {
            guard isWritten(needle, column) else { return nil }
            let isOutsideBodies =
                messages.kinds.map { !$0.contains(where: \.isPartOfBody) } ?? false
            return SearchProbe(sql: isOutsideBodies ? messagesSQL : anySQL, query: query)
        }
        switch target {
        // All these are parts of the URL.
        case .columns([.url]), .columns([.path]), .columns([.query]):
            return SearchProbe(sql: urlSQL, query: query)
        case .body(let sides):
            return SearchProbe(sql: sides.count == 1 ? sideSQL(sides[0]) : bodySQL, query: query)
        default: return nil
        }
    }

    private static let urlSQL = """
        SELECT rowid FROM url WHERE url MATCH ?
        UNION SELECT exchange_id FROM rest WHERE is_url_missing
        """

    /// Whether a matching message contains the bytes literally, and does not match because of how a
    /// missing field or a field with several lines is interpreted.
    private static func isWritten(_ needle: [UInt8], _ column: MessageTextColumn) -> Bool {
        switch column {
        case .text, .id: true
        case .data: !needle.contains(0x0A)
        case .event: !"message".contains(String(decoding: needle, as: UTF8.self))
        case .kind, .direction, .problem: false
        }
    }

    private static let bodySQL = sql("!= \(SearchSchema.Side.messages.rawValue)")
    private static let messagesSQL = sql("= \(SearchSchema.Side.messages.rawValue)")
    private static let anySQL = sql(">= 0")

    private static func sideSQL(_ side: FilterSide) -> String {
        let wanted: SearchSchema.Side = side == .request ? .request : .response
        return sql("= \(wanted.rawValue)")
    }

    /// Exchanges that have a matching piece on one of the sides.
    private static func sql(_ side: String) -> String {
        typealias Key = SearchSchema.PieceKey
        return """
            SELECT rowid >> \(Key.exchangeShift) FROM body WHERE body MATCH ?
              AND (rowid >> \(Key.positionBits)) & \(Key.sideMask) \(side)
            UNION SELECT exchange_id FROM rest
            """
    }
}

extension MessageRecord.Kind {
    /// Whether messages of the kind can be part of a body.
    fileprivate var isPartOfBody: Bool {
        switch self {
        case .text, .binary, .close, .ping, .pong: false
        case .grpc, .trailers, .event, .comment, .invalid: true
        }
    }
}

extension SearchText {
    /// The maximum number of trigrams in a query, which limits the bytes it examines. Each lookup
    /// costs, and after fourteen matching trigrams further ones add little.
    static let trigramCountMax = 14
    /// How many bytes of a needle the index is queried for.
    static let needleByteCountMax = trigramCountMax + 2

    /// The query for texts that may contain a needle, or nil if it is too short.
    static func query(for needle: [UInt8]) -> String? {
        guard needle.count >= needleByteCountMin else { return nil }
        let head = Array(needle.prefix(needleByteCountMax))
        let trigrams = Set(
            (0...(head.count - 3)).map { start in
                var text: [UInt8] = []
                append(head.span.extracting(start..<(start + 3)), to: &text)
                return String(decoding: text, as: UTF8.self)
            })
        return trigrams.sorted().map(quoted).joined(separator: " AND ")
    }

    private static func quoted(_ trigram: String) -> String {
        "\"" + trigram.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
    }
}

/// One search file, open for reading: the range it covered when it was opened, and its proposals.
final class SearchFile: Sendable {
    let extent: SearchExtent
    private let connection: SharedConnection

    /// Opens a file; returns nil if it does not exist or has another layout.
    init?(_ number: Int, path: String) throws(StoreError) {
        guard access(path, F_OK) == 0 else { return nil }
        connection = try SharedConnection(
            path: path, busyTimeoutMs: 250,
            setUp: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
        guard let extent = try connection.read({ try SearchExtent.read($0) }) else { return nil }
        self.extent = extent
    }

    /// The numbers of exchanges that may match all probes, ascending, or nil if there are too many,
    /// so that a scan of the store is better.
    func candidates(_ probes: [SearchProbe]) throws(StoreError) -> [Int64]? {
        let limit = max(SearchFile.candidateCountMin, extent.indexedCount / 4)
        let selects = probes.map { "SELECT * FROM (\($0.sql))" }
        let ids = try connection.read {
            try $0.integers(
                selects.joined(separator: " INTERSECT ") + " ORDER BY 1 LIMIT ?",
                probes.map { .text($0.query) } + [.integer(limit + 1)])
        }
        return ids.count > limit ? nil : ids
    }

    /// Up to this many are worth looking up in any file.
    private static let candidateCountMin: Int64 = 100
}
