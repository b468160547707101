public import ProxydCaptureModel
public import ProxydHTTPModel
public import ProxydParameterCoding
internal import ProxydStoreCoding

/// Whole exchanges and their parts.
extension StoreReader {
    /// Returns an exchange with heads and bodies, or nil if it does not exist. At most
    /// `bodyByteCountMax` bytes of each body are read; use `forEachBodyChunk` to read all of it.
    public func exchange(
        _ id: ExchangeID, bodyByteCountMax: Int = 64 << 20
    ) throws(StoreError) -> Exchange? {
        try read {
            try StoredExchange.load(id.rawValue, bodyByteCountMax: bodyByteCountMax, $0)
        }
    }

    /// Returns the bytes of a head as received, even of a request head that could not be parsed, or
    /// nil if there is none.
    public func headBytes(
        of id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8]? {
        let heads = try read { try StoredExchange.heads(of: id.rawValue, $0) }
        return message == .request ? heads.requestBytes : heads.responseBytes
    }

    /// Passes the stored bytes of a body on from the start, in chunks of at most 256 KiB, until the
    /// closure returns false. No read transaction is open while the closure runs.
    public func forEachBodyChunk(
        of id: ExchangeID, _ message: StoredMessage,
        _ body: ([UInt8]) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let part = message.bodyPart
        let shared = try read { try StoredBody.shared(id.rawValue, part, $0) }
        if let shared, try !body(shared) { return }
        var position: Int64 = 0
        while true {
            let start = position
            let pieces = try read {
                try StoredBody.pieces(id.rawValue, part, from: start, $0)
            }
            if pieces.isEmpty { return }
            position += Int64(pieces.count)
            guard try body(Array(pieces.joined())) else { return }
        }
    }

    /// Returns the decoded parameters of a request: query parameters, then body parameters.
    public func parameters(of id: ExchangeID) throws(StoreError) -> [ExtractedParameter] {
        let parameters = try read {
            try $0.rows(
                """
                SELECT source, name, value FROM parameter WHERE exchange_id = ?
                ORDER BY source <> 'query', source, position
                """, [.integer(id.rawValue)], StoreReader.parameter)
        }
        return parameters.compactMap { $0 }
    }

    private static func parameter(_ row: SQLiteRow) -> ExtractedParameter? {
        row.text(0).flatMap(ExtractedParameter.Source.init(rawValue:)).map {
            ExtractedParameter(source: $0, name: row.text(1) ?? "", value: row.text(2))
        }
    }

    /// Returns what users added to an exchange.
    public func annotations(of id: ExchangeID) throws(StoreError) -> Exchange.Annotations {
        try read { try StoredExchange.annotations(of: id.rawValue, $0) }
    }
}
