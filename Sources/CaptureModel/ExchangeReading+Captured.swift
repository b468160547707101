internal import ProxydHTTPModel

/// Bodies up to this size in bytes are read together with their exchange, longer ones in chunks, so
/// that no read takes long.
private let joinedBodyByteCountMax = 16 << 20

extension ExchangeReading {
    /// Returns everything the store has of an exchange, with complete bodies, or nil if it was
    /// deleted after the row was read.
    public func captured(_ row: ExchangeRow) throws(StoreError) -> CapturedExchange? {
        let limit = joinedBodyByteCountMax
        guard var exchange = try exchange(row.id, bodyByteCountMax: limit) else { return nil }
        if exchange.request.body.kept.count == limit {
            exchange.request.body.kept = try wholeBody(row.id, .request)
        }
        if exchange.response?.body.kept.count == limit {
            exchange.response?.body.kept = try wholeBody(row.id, .response)
        }
        let malformedHead =
            exchange.request.head == nil ? try headBytes(of: row.id, .request) : nil
        return CapturedExchange(row: row, exchange: exchange, malformedHead: malformedHead)
    }

    private func wholeBody(
        _ id: ExchangeID, _ message: StoredMessage
    ) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBodyChunk(of: id, message) { chunk in
            bytes += chunk
            return true
        }
        return bytes
    }
}
