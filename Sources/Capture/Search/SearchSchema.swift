internal import ProxydFilter

/// The side files `captures-search-N.sqlite`: trigrams of URLs and decoded bodies, so that looking
/// for a text need not read them all.
///
/// Each file covers a range of exchange numbers and only proposes some of them: the whole filter
/// is checked on each, and exchanges outside all ranges are looked at as ever. FTS5 of SQLite 3.40
/// cannot delete from tables without content, so a file goes whole once its exchanges have gone.
enum SearchSchema {
    /// The layout's version, in `user_version`. Another one means: make the files anew.
    static let version: Int64 = 1
    /// The newest exchange numbers that are never indexed: most are final by the time they get
    /// old, and few numbers are stored that late.
    static let lagCount: Int64 = 2_048
    /// A file that covers so much text or so many exchanges is full.
    static let textByteCountMax: Int64 = 64 << 20
    static let exchangeCountMax: Int64 = 100_000
    /// Bodies longer than this, decoded or not, are not indexed but always looked at, in octets.
    static let bodyByteCountMax = 1 << 20
    /// Bodies are indexed in pieces: a step can end between two, and the more trigrams have to
    /// come together in the same piece the fewer bodies are proposed for nothing. They overlap by
    /// what a query looks at, so that each needle lies whole in one of them.
    static let pieceByteCount = 16 << 10

    /// Where the number of a body's piece keeps its parts: exchange, then side (1 bit), then
    /// position (7 bits, enough for `bodyByteCountMax`).
    enum PieceKey {
        static let positionBits: Int64 = 7
        static let exchangeShift: Int64 = 8

        static func key(exchange: Int64, side: FilterSide, position: Int) -> Int64 {
            exchange << exchangeShift | number(of: side) << positionBits | Int64(position)
        }

        static func number(of side: FilterSide) -> Int64 { side == .request ? 0 : 1 }
    }

    /// What an empty file is given. `rest` names exchanges that must be looked at in any case:
    /// for their bodies (too long, or no text), and for everything where `is_url_missing` (open
    /// when their turn came, or stored late).
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
        PRAGMA user_version = 1;
        """
}
