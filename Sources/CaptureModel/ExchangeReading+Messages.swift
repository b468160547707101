public import ProxydHTTPModel

extension ExchangeReading {
    /// Passes the messages of an exchange after a position to the closure, oldest first and page by
    /// page, until it returns false; returns the position of the last message. Pages are sized to
    /// hold a few MiB of contents. No read is open while the closure runs.
    /// - Parameter byteCountMax: The maximum number of bytes read of each message.
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
            let byteCount = page.reduce(0) { $0 + $1.bytes.count }
            if byteCount > messagePageByteCountMax {
                limit = max(messagePageCountMin, limit / 4)
            } else if byteCount < messagePageByteCountMax / 4 {
                limit = min(messagePageCountMax, limit * 4)
            }
        }
    }
}

/// The size of the first page, and of pages of long messages.
private let messagePageCountMin = 16
private let messagePageCountMax = 4_096
/// The target size of a page's contents in bytes.
private let messagePageByteCountMax = 4 << 20
