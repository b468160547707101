internal import ProxydCaptureModel
internal import ProxydSystem
internal import Glibc

/// The index file `captures-index.sqlite`: sorted values of exchanges, each with the number of its
/// exchange, so that a filter need not scan every row.
///
/// It only proposes rows: each is checked against the complete condition of the filter. It reflects
/// the store at some earlier moment and may be deleted at any time. The recorder's thread fills it
/// in the background, because indexes inside the store would slow down every insert.
enum IndexSchema {
    /// The version of the layout, in `user_version`. If it differs, the file is rebuilt.
    static let version: Int64 = 4
    /// Longer parameter names and values are cut, in characters: a JSON leaf may be megabytes.
    static let textCharacterCountMax = 128
    /// The newest exchange numbers are not indexed. They are few enough to scan, and most exchanges
    /// have ended by the time they are old enough. It also ensures that an exchange stored a little
    /// late is not skipped (its number is taken when the head is complete, and it is stored within
    /// 200 ms).
    static let lagCount: Int64 = 14_336
    /// Values that are mostly distinct are stored separately for each 65,536 exchange numbers, an
    /// era. In one large table each new value would land on a random page that has to be read and
    /// written for it alone, but the pages of an era stay in memory. A lookup must search every
    /// era.
    static let eraShift: Int64 = 16
    /// The condition that makes the database search every era, on a table with a column `era`.
    static let anyEra = "era IN (SELECT era FROM side.era)"

    static let tables = """
        CREATE TABLE state (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          indexed_through INTEGER NOT NULL,
          indexed_count INTEGER NOT NULL,
          sample_id INTEGER,
          sample_started_ns INTEGER
        );
        INSERT INTO state VALUES (1, 0, 0, NULL, NULL);
        CREATE TABLE pending (exchange_id INTEGER PRIMARY KEY);
        CREATE TABLE host_block (
          host TEXT NOT NULL, block INTEGER NOT NULL, places TEXT NOT NULL,
          PRIMARY KEY (host, block)
        ) WITHOUT ROWID;
        CREATE VIEW host AS SELECT host, \(IndexBlock.exchangeID) AS exchange_id
          FROM host_block, json_each(places) place;
        CREATE TABLE status_block (
          status INTEGER NOT NULL, block INTEGER NOT NULL, places TEXT NOT NULL,
          PRIMARY KEY (status, block)
        ) WITHOUT ROWID;
        CREATE VIEW status AS SELECT status, \(IndexBlock.exchangeID) AS exchange_id
          FROM status_block, json_each(places) place;
        CREATE TABLE era (era INTEGER PRIMARY KEY);
        CREATE TABLE duration (
          era INTEGER NOT NULL, duration_ns INTEGER NOT NULL, exchange_id INTEGER NOT NULL,
          PRIMARY KEY (era, duration_ns, exchange_id)
        ) WITHOUT ROWID;
        CREATE TABLE parameter (
          era INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
          exchange_id INTEGER NOT NULL, PRIMARY KEY (era, name, value, exchange_id)
        ) WITHOUT ROWID;
        PRAGMA user_version = 4;
        """

    /// The start of a query that lists each host of the file once as `hop`, followed by NULL. There
    /// are few hosts, so it jumps from one to the next instead of reading all rows.
    static let hostHops = """
        WITH RECURSIVE hop(host) AS (
          SELECT min(host) FROM side.host_block UNION ALL
          SELECT (SELECT min(h.host) FROM side.host_block h WHERE h.host > hop.host)
          FROM hop WHERE hop.host IS NOT NULL)
        """

    /// Adds the offsets ?3 in block ?2 to a value ?1 of `host` or `status`.
    static func blockInsertion(_ column: String) -> String {
        """
        INSERT INTO main.\(column)_block VALUES (?1, ?2, ?3)
        ON CONFLICT (\(column), block) DO UPDATE SET places = (
          SELECT json_group_array(value) FROM (SELECT value FROM json_each(places)
            UNION SELECT value FROM json_each(excluded.places)))
        """
    }

    /// An SQL expression that truncates a text for storing. SQLite ends a text at a NUL, although
    /// there may be more to find after it, unless it is cast to a blob; a character takes at most
    /// four bytes.
    private static func cut(_ text: String) -> String {
        """
        iif(instr(\(text), char(0)),
          CAST(substr(CAST(\(text) AS BLOB), 1, \(4 * textCharacterCountMax)) AS TEXT),
          substr(\(text), 1, \(textCharacterCountMax)))
        """
    }

    /// Adds the parameters of the exchanges after number ?1 up to ?2, including those that have not
    /// ended. OR IGNORE because a parameter may repeat.
    static let parameterInsertion = """
        INSERT OR IGNORE INTO main.parameter
          SELECT exchange_id >> \(eraShift), substr(name, 1, \(textCharacterCountMax)),
            \(cut("ifnull(value, '')")), exchange_id
          FROM store.parameter WHERE exchange_id > ?1 AND exchange_id <= ?2 ORDER BY 1, 2, 3, 4
        """

    /// A condition for whether the file under `schema` was built from the store under `store`: the
    /// sampled exchange has the same start time in both, and the store reaches at least as far.
    static func belongsCondition(schema: StaticString, store: StaticString) -> String {
        """
        SELECT s.indexed_through
            BETWEEN 0 AND (SELECT last_exchange_id FROM \(store).store_state)
          AND ifnull((SELECT started_ns FROM \(store).exchange WHERE id = s.sample_id)
            = s.sample_started_ns, 1)
        FROM \(schema).state s
        """
    }
}

/// How the index file stores the exchanges that share a value (a host or a status): one row for
/// each block of 1,024 exchange numbers, with their offsets in the block as a JSON array. Most
/// exchanges share both values with many others, and one row per exchange would cost more than
/// recording it.
enum IndexBlock {
    private static let shift: Int64 = 10

    /// Exchange numbers start at 1.
    static func block(of id: Int64) -> Int64 { (id &- 1) >> shift }

    /// The exchange number, in SQL, from a row's `block` and an offset returned by `json_each`.
    static let exchangeID = "(block << \(shift)) + 1 + place.value"

    /// Passes ascending exchange numbers on by block, with the offsets as the file stores them.
    static func forEach(
        of ids: [Int64], _ body: (_ block: Int64, _ places: [UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = ids[...]
        while let first = rest.first {
            let block = block(of: first)
            let end = rest.firstIndex { self.block(of: $0) != block } ?? rest.endIndex
            var places: [UInt8] = []
            for id in rest[..<end] {
                places.append(UInt8(ascii: places.isEmpty ? "[" : ","))
                places += String(id &- 1 &- block << shift).utf8
            }
            places.append(UInt8(ascii: "]"))
            try body(block, places)
            rest = rest[end...]
        }
    }

    /// The exchange numbers of a block, ascending, or nil if the stored offsets are damaged.
    static func ids(in block: Int64, places: [UInt8]) -> [Int64]? {
        guard 0...Int64.max >> shift ~= block, places.first == UInt8(ascii: "["),
            places.last == UInt8(ascii: "]")
        else { return nil }
        let list = places.dropFirst().dropLast()
        var ids: [Int64] = []
        for digits in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let place = place(digits) else { return nil }
            ids.append(block << shift &+ 1 &+ place)
        }
        ids.sort()
        return zip(ids, ids.dropFirst()).allSatisfy { $0 != $1 } ? ids : nil
    }

    /// Parses one offset of a block as the file stores it.
    private static func place(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let place = Int64(String(decoding: digits, as: UTF8.self)), place >> shift == 0
        else { return nil }
        return place
    }
}

/// Names and removes the files beside the store that can be rebuilt.
enum IndexFile {
    static func indexPath(besideStore path: String) -> String {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        return stem + "-index.sqlite"
    }

    /// Deletes databases and their write-ahead logs. A log is deleted before its database, because
    /// a log left alone would be taken for the log of the next database.
    ///
    /// The names are removed immediately. Freeing the blocks of large files takes a tenth of a
    /// second, so that happens on a separate thread and the caller need not wait.
    /// - Parameter closing: Closes the open databases. It is called after the names are removed,
    ///   because SQLite then does not copy the log into a file that no one will read.
    static func remove(_ paths: [String], closing: () -> Void = {}) {
        let files = paths.flatMap { path in ["-wal", "-shm", ""].map { path + $0 } }
        // A reference keeps the blocks without opening the file: closing an open file would release
        // the locks that SQLite holds on it for this process.
        let descriptors = files.prefix(IndexFile.referenceCountMax)
            .map { open($0, IndexFile.referenceOnly | O_CLOEXEC) }
            .filter { $0 >= 0 }
        for file in files { _ = unlink(file) }
        closing()
        guard !descriptors.isEmpty else { return }
        let release = { @Sendable in for descriptor in descriptors { _ = close(descriptor) } }
        if !startDetachedThread(stackByteCount: 64 << 10, release) { release() }
    }

    /// The blocks of any further files are freed immediately, because descriptors may be scarce.
    private static let referenceCountMax = 48

    /// `O_PATH` of open(2), a macro that Swift cannot import; it has the same value on every
    /// platform with a Swift compiler.
    private static let referenceOnly: Int32 = 0o10_000_000

    /// Deletes the log of a database that no longer exists.
    static func removeOrphans(of path: String) {
        if access(path, F_OK) != 0 { remove([path]) }
    }

    /// The pragmas for a connection that writes such a file: after a machine crash the file may
    /// lack the latest changes, but must not be damaged.
    /// - Parameters:
    ///   - logPageCount: The number of pages after which the log is copied into the file; 0 if
    ///     that is done elsewhere.
    ///   - logByteCountMax: The size to which the log is truncated after it has been copied.
    static func setUp(logPageCount: Int, logByteCountMax: Int) -> String {
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA cache_size = -4096;
        PRAGMA temp_store = MEMORY;
        PRAGMA trusted_schema = OFF;
        PRAGMA wal_autocheckpoint = \(logPageCount);
        PRAGMA journal_size_limit = \(logByteCountMax);
        """
    }

    static func readOnlyURI(_ path: String) -> String {
        let escaped = path.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "?": "%3f"
            case "#": "%23"
            default: String(scalar)
            }
        }
        return "file:\(escaped.joined())?mode=ro"
    }
}
