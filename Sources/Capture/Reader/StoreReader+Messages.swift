public import ProxydCaptureModel
public import ProxydHTTPModel

/// The messages of one exchange.
extension StoreReader {
    /// Returns a page of at most `limit` messages of an exchange, in the page's order. At most
    /// `byteCountMax` bytes of each message are read.
    public func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        try read {
            try StoredMessages.page(of: id.rawValue, page, limit, byteCountMax: byteCountMax, $0)
        }
    }

    /// Returns the position of an exchange's last message, or nil if it has none.
    public func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        try read { try StoredMessages.lastPosition(of: id.rawValue, $0) }
    }
}
