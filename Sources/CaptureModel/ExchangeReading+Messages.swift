public import ProxydHTTPModel

extension ExchangeReading {
    /// Hands over the messages of an exchange behind a position, oldest first, page by page, until
    /// the body says false; returns the position of the last one. Pages are as long as keeps what
    /// they say within some MiB. No read is open while the body runs.
    /// - Parameter byteCountMax: Bytes read of each message at most.
    @discardableResult
    public func forEachMessagePage(
        of id: ExchangeID, after position: Int64 = -1, byteCountMax: Int,
        _ body: ([MessageRow]) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int64 {
        var last = position
        var limit = messagePageCountMin
        while true {
            let page = try messages(
                of: id, .after(last), limit: limit, byteCountMax: byteCountMax)
            guard let end = page.last else { return last }
            last = end.position
            guard try body(page) else { return last }
            let byteCount = page.reduce(0) { $0 + $1.octets.count }
            if byteCount > messagePageByteCountMax {
                limit = max(messagePageCountMin, limit / 4)
            } else if byteCount < messagePageByteCountMax / 4 {
                limit = min(messagePageCountMax, limit * 4)
            }
        }
    }
}

/// A page is this long at first, and where messages are long.
private let messagePageCountMin = 16
private let messagePageCountMax = 4_096
/// What a page should hold at most, in bytes.
private let messagePageByteCountMax = 4 << 20
