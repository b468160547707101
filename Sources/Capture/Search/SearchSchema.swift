internal import ProxydCaptureModel
internal import FoundationEssentials

/// The index files `captures-search-N.sqlite`: trigrams of URLs, decoded bodies and messages, so
/// that a text search need not read them all.
///
/// Each file covers a range of exchange numbers and only proposes candidates: each is checked
/// against the whole filter, and exchanges outside all ranges are scanned. FTS5 of SQLite 3.40
/// cannot delete from contentless tables, so a file is deleted as a whole once its exchanges are
/// gone.
enum SearchSchema {
    /// The version of the layout, in `user_version`. If it differs, the files are rebuilt.
    static let version: Int64 = 3
    /// The newest exchange numbers are not indexed: most exchanges have ended by the time they are
    /// old enough, and few are stored that late.
    static let lagCount: Int64 = 2_048
    /// A file that covers this much text or this many exchanges is full.
    static let textByteCountMax: Int64 = 64 << 20
    static let exchangeCountMax: Int64 = 100_000
    /// Bodies longer than this, encoded or decoded, are not indexed but always scanned, in bytes.
    static let bodyByteCountMax = 1 << 20
    /// The same limit for all messages of an exchange that are not part of a body, in bytes.
    static let messagesByteCountMax = 4 << 20
    /// Bodies are indexed in pieces: a step can end between two, and the more trigrams must occur
    /// in the same piece, the fewer bodies are proposed in vain. Pieces overlap by the length that
    /// a query examines, so that each needle lies completely within one of them.
    static let pieceByteCount = 16 << 10

    /// The part of an exchange that a piece belongs to.
    enum Side: Int64 {
        case request = 0
        case response = 1
        case messages = 2
    }

    /// The bit layout of a piece's key: exchange, then side (2 bits), then position (9 bits, enough
    /// for `messagesByteCountMax`).
    enum PieceKey {
        static let positionBits: Int64 = 9
        static let sideMask: Int64 = 3
        static let exchangeShift: Int64 = 11

        static func key(exchange: Int64, side: Side, position: Int) -> Int64 {
            exchange << exchangeShift | side.rawValue << positionBits | Int64(position)
        }
    }

    /// The statements that create the tables in an empty file. `rest` lists exchanges that must
    /// always be scanned: for their bodies and messages (too long, or not text), and for everything
    /// if `is_url_missing` (open when their turn came, or stored late).
    static let tables = """
        CREATE TABLE state (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          first_id INTEGER NOT NULL,
          through_id INTEGER NOT NULL,
          indexed_count INTEGER NOT NULL,
          text_byte_count INTEGER NOT NULL,
          sample_started_ns INTEGER
        );
        CREATE TABLE rest (
          exchange_id INTEGER PRIMARY KEY,
          is_url_missing INTEGER NOT NULL
        );
        CREATE VIRTUAL TABLE url USING fts5(
          text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
        CREATE VIRTUAL TABLE body USING fts5(
          text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
        PRAGMA user_version = 3;
        """
}

struct SearchFiles: Sendable {
    /// Files with other numbers do not belong to this program.
    static let numbersAllowed = 1...(1 << 40)

    private let directory: String
    private let prefix: String

    init(besideStore path: String) {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        let slash = stem.lastIndex(of: "/")
        directory = slash.map { String(stem[..<$0]) } ?? "."
        prefix = (slash.map { String(stem[stem.index(after: $0)...]) } ?? stem) + "-search-"
    }

    /// The numbers of the existing files, ascending.
    var numbers: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(names.compactMap(number)).sorted()
    }

    func path(_ number: Int) -> String { "\(directory)/\(prefix)\(number).sqlite" }

    /// Deletes all files; `closing` closes the open ones.
    func removeAll(closing: () -> Void = {}) {
        IndexFile.remove(numbers.map(path), closing: closing)
    }

    /// The number of a file. Logs without their database count too, so that they are removed.
    private func number(_ name: String) -> Int? {
        guard name.hasPrefix(prefix), let dot = name.firstIndex(of: "."),
            name[dot...].hasPrefix(".sqlite")
        else { return nil }
        let digits = name[..<dot].dropFirst(prefix.count)
        return Int(digits).flatMap {
            SearchFiles.numbersAllowed.contains($0) && String($0) == digits ? $0 : nil
        }
    }
}

struct SearchExtent: Sendable, Hashable {
    /// The first and last exchange number it covers; empty if `throughID < firstID`.
    var firstID: Int64
    var throughID: Int64
    /// The number of exchanges examined and of bytes of text indexed.
    var indexedCount: Int64 = 0
    var textByteCount: Int64 = 0
    /// The start time of the exchange `throughID`, to recognize the store.
    var sampleStartedNs: Int64?

    /// The exchange numbers that a file can contain; others are damage.
    private static let exchangeIDs = 1..<Schema.ChunkKey.exchangeIDs.upperBound
    private static let sums: Range<Int64> = 0..<(1 << 48)

    /// Whether the next exchange goes into another file.
    func isFull(exchangeCountMax: Int64) -> Bool {
        textByteCount >= SearchSchema.textByteCountMax || indexedCount >= exchangeCountMax
    }

    /// Reads a file's extent; nil if it is empty, has another layout or invalid numbers.
    static func read(_ database: SQLiteConnection) throws(StoreError) -> SearchExtent? {
        guard try database.integer("PRAGMA user_version") == SearchSchema.version else {
            return nil
        }
        return try database.first(
            """
            SELECT first_id, through_id, indexed_count, text_byte_count, sample_started_ns
            FROM state
            """, [], extent) ?? nil
    }

    private static func extent(_ row: SQLiteRow) -> SearchExtent? {
        guard let first = row.integer(0), let through = row.integer(1),
            let count = row.integer(2), let byteCount = row.integer(3),
            exchangeIDs.contains(first), exchangeIDs.contains(through &+ 1),
            sums.contains(count), sums.contains(byteCount)
        else { return nil }
        return SearchExtent(
            firstID: first, throughID: through, indexedCount: count, textByteCount: byteCount,
            sampleStartedNs: row.integer(4))
    }

    /// Whether the file was built from this store: its last exchange has the same start time in
    /// both, and the store reaches at least as far.
    func belongs(to store: SQLiteConnection) throws(StoreError) -> Bool {
        try store.isTrue(
            """
            SELECT last_exchange_id >= ?1
              AND ifnull((SELECT started_ns FROM exchange WHERE id = ?1) = ?2, 1)
            FROM store_state
            """, [.integer(throughID), SQLValue(sampleStartedNs)])
    }

    /// Counts the exchanges of its range that are still in the store, up to a limit.
    func remainingCount(_ store: SQLiteConnection, countMax: Int64) throws(StoreError) -> Int64 {
        try store.integer(
            "SELECT count(*) FROM (SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT ?)",
            [.integer(firstID), .integer(throughID), .integer(countMax)]) ?? 0
    }
}
