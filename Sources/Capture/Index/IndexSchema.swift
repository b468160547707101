/// The index file `captures-index.sqlite`: sorted values of exchanges, each with the number of its
/// exchange, so that a filter need not scan every row.
///
/// It only proposes rows: each is checked against the complete condition of the filter. It reflects
/// the store at some earlier moment and may be deleted at any time. The recorder's thread fills it
/// in the background, because indexes inside the store would slow down every insert.
enum IndexSchema {
    /// The version of the layout, in `user_version`. If it differs, the file is rebuilt.
    static let version: Int64 = 4
    /// Longer parameter names and values are truncated, in characters: a JSON leaf may be
    /// megabytes.
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

    /// The statements that create the tables in an empty file.
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
