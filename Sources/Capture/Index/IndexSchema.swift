/// The index file `captures-index.sqlite`: values of exchanges in order, each with the exchange's
/// number, so that a filter need not look at every row.
///
/// It only proposes rows: the filter's whole condition is checked on each. It holds what the
/// store holds at some moment and may be deleted at any time; the recorder's thread fills it
/// behind the recording, because indexes inside the store would slow every insert.
enum IndexSchema {
    /// The layout's version, in `user_version`. Another one means: make the file anew.
    static let version: Int64 = 4
    /// Longer names and values of parameters are cut, in characters: a JSON leaf may be megabytes.
    static let textCharacterCountMax = 128
    /// The newest exchange numbers that are never indexed. They are few enough to look at all,
    /// most are final by the time they get old, and a number that is stored a little late (it is
    /// taken when the head is complete, stored within 200 ms) is not passed over.
    static let lagCount: Int64 = 14_336
    /// Values that are all different are kept apart for each 65,536 exchange numbers, an era: a new
    /// one would go anywhere among them, into a page that has to be fetched and written for it
    /// alone, but an era's pages stay in memory. Whoever looks for a value looks into each era.
    static let eraShift: Int64 = 16
    /// The condition that has the database do so, on a table with a column `era`.
    static let anyEra = "era IN (SELECT era FROM side.era)"

    /// What an empty file is given.
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

    /// The start of a query that has the hosts of the file as `hop`, each once, and NULL behind the
    /// last: they are few, so it hops from one to the next instead of reading all.
    static let hostHops = """
        WITH RECURSIVE hop(host) AS (
          SELECT min(host) FROM side.host_block UNION ALL
          SELECT (SELECT min(h.host) FROM side.host_block h WHERE h.host > hop.host)
          FROM hop WHERE hop.host IS NOT NULL)
        """

    /// Adds the places ?3 of block ?2 to a value ?1 of `host` or `status`.
    static func blockInsertion(_ column: String) -> String {
        """
        INSERT INTO main.\(column)_block VALUES (?1, ?2, ?3)
        ON CONFLICT (\(column), block) DO UPDATE SET places = (
          SELECT json_group_array(value) FROM (SELECT value FROM json_each(places)
            UNION SELECT value FROM json_each(excluded.places)))
        """
    }

    /// A text as it is kept, in SQL. SQLite cuts at a NUL, behind which there may be something to
    /// be found, unless it is told that a text is octets; there are four to a character at most.
    private static func cut(_ text: String) -> String {
        """
        iif(instr(\(text), char(0)),
          CAST(substr(CAST(\(text) AS BLOB), 1, \(4 * textCharacterCountMax)) AS TEXT),
          substr(\(text), 1, \(textCharacterCountMax)))
        """
    }

    /// Adds the parameters of the exchanges behind number ?1 up to ?2, also of those that have not
    /// ended. OR IGNORE since a parameter may repeat.
    static let parameterInsertion = """
        INSERT OR IGNORE INTO main.parameter
          SELECT exchange_id >> \(eraShift), substr(name, 1, \(textCharacterCountMax)),
            \(cut("ifnull(value, '')")), exchange_id
          FROM store.parameter WHERE exchange_id > ?1 AND exchange_id <= ?2 ORDER BY 1, 2, 3, 4
        """

    /// Whether the file under `schema` was made from the store under `store`: the sampled
    /// exchange began when it began, and the store has got at least as far.
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
