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
