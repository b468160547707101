/// The index files `captures-search-N.sqlite`: trigrams of URLs, decoded bodies and messages, so
/// that looking for a text need not read them all.
///
/// Each file covers a range of exchange numbers and only proposes some of them: the whole filter
/// is checked on each, and exchanges outside all ranges are looked at as ever. FTS5 of SQLite 3.40
/// cannot delete from tables without content, so a file goes whole once its exchanges have gone.
enum SearchSchema {
    /// The layout's version, in `user_version`. Another one means: make the files anew.
    static let version: Int64 = 2
    /// The newest exchange numbers that are never indexed: most are final by the time they get
    /// old, and few numbers are stored that late.
    static let lagCount: Int64 = 2_048
    /// A file that covers so much text or so many exchanges is full.
    static let textByteCountMax: Int64 = 64 << 20
    static let exchangeCountMax: Int64 = 100_000
    /// Bodies longer than this, decoded or not, are not indexed but always looked at, in octets.
    static let bodyByteCountMax = 1 << 20
    /// The same of all messages of an exchange that are no part of a body.
    static let messagesByteCountMax = 4 << 20
    /// Bodies are indexed in pieces: a step can end between two, and the more trigrams have to
    /// come together in the same piece the fewer bodies are proposed for nothing. They overlap by
    /// what a query looks at, so that each needle lies whole in one of them.
    static let pieceByteCount = 16 << 10

    /// What of an exchange a piece is of.
    enum Side: Int64 {
        case request = 0
        case response = 1
        case messages = 2
    }

    /// Where the number of a piece keeps its parts: exchange, then side (2 bits), then position (9
    /// bits, enough for `messagesByteCountMax`).
    enum PieceKey {
        static let positionBits: Int64 = 9
        static let sideMask: Int64 = 3
        static let exchangeShift: Int64 = 11

        static func key(exchange: Int64, side: Side, position: Int) -> Int64 {
            exchange << exchangeShift | side.rawValue << positionBits | Int64(position)
        }
    }

    /// What an empty file is given. `rest` names exchanges that must be looked at in any case:
    /// for their bodies and messages (too long, or no text), and for everything where
    /// `is_url_missing` (open when their turn came, or stored late).
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
        PRAGMA user_version = 2;
        """
}
