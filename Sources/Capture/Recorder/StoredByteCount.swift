/// The size of the bodies of an exchange in the store.
enum StoredByteCount {
    /// An expression on a row of `exchange`. No column counts the bodies as forwarded, so the index
    /// of the last piece tells how many pieces there are.
    static let sql = """
        exchange.request_kept_bytes + exchange.response_kept_bytes
          + \(sent(.requestSent)) + \(sent(.responseSent)) + \(messages)
        """

    /// The messages that are not part of a body, plus the overhead of each row. Only exchanges that
    /// have such messages are looked up.
    private static let messages = """
        iif(exchange.message_count IS NULL, 0,
          ifnull((SELECT sum(ifnull(length(octets), 0) + 40) FROM message
            WHERE key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift)
              AND (exchange.id << \(Schema.ChunkKey.exchangeShift))
                + \(Schema.MessageKey.positionMax)
              AND exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound)
              AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound)), 0))
        """

    private static func sent(_ part: BodyPart) -> String {
        let first = Schema.ChunkKey.key(exchange: 0, part: part, position: 0)
        let positionMax = Schema.ChunkKey.positionMax
        let ids = Schema.ChunkKey.exchangeIDs
        let start = "(exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(first)"
        return """
            ifnull((SELECT ((max(key) & \(positionMax)) + 1) * \(ExchangeWriter.pieceByteCount)
              FROM body_piece WHERE key BETWEEN \(start) AND \(start) + \(positionMax)
              AND exchange.id >= \(ids.lowerBound) AND exchange.id < \(ids.upperBound)), 0)
            """
    }
}
