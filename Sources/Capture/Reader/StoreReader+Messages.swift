public import ProxydCaptureModel
public import ProxydHTTPModel

/// The messages of one exchange.
extension StoreReader {
    /// A page of an exchange's messages, at most `limit`, in the page's order. Of each at most
    /// `byteCountMax` bytes are read.
    public func messages(
        of id: ExchangeID, _ page: MessagePage, limit: Int, byteCountMax: Int
    ) throws(StoreError) -> [MessageRow] {
        try read {
            try StoredMessages.page(of: id.rawValue, page, limit, byteCountMax: byteCountMax, $0)
        }
    }

    /// The position of an exchange's last message; nil where it has none.
    public func lastMessagePosition(of id: ExchangeID) throws(StoreError) -> Int64? {
        try read { try StoredMessages.lastPosition(of: id.rawValue, $0) }
    }
}
