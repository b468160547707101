package import ProxydCaptureModel
package import ProxydExchangeContent
package import ProxydHTTPModel

/// An exchange that was read for a request.
package struct ExchangeSubject {
    /// The most bytes of each body that are read unless a caller needs fewer.
    package static let bodyByteCountMax = 16 << 20

    package let row: ExchangeRow
    package let exchange: Exchange
    /// The bytes of a request head that could not be parsed, or nil if it could.
    package let malformedHead: [UInt8]?

    /// Creates a subject of parts that were read before.
    package init(row: ExchangeRow, exchange: Exchange, malformedHead: [UInt8]?) {
        self.row = row
        self.exchange = exchange
        self.malformedHead = malformedHead
    }

    /// Reads an exchange, with at most `bodyByteCountMax` bytes of each body; nil if it does not
    /// exist.
    package init?(
        _ id: ExchangeID, _ reader: any ExchangeReading,
        bodyByteCountMax: Int = ExchangeSubject.bodyByteCountMax
    ) throws(StoreError) {
        guard let row = try reader.row(id),
            let exchange = try reader.exchange(id, bodyByteCountMax: bodyByteCountMax)
        else { return nil }
        self.row = row
        self.exchange = exchange
        malformedHead =
            exchange.request.head == nil ? try reader.headBytes(of: id, .request) : nil
    }

    /// The decoded body of a message.
    package func content(_ part: StoredMessage) -> BodyContent {
        switch part {
        case .request: BodyContent(exchange.request.body, exchange.request.head?.fields)
        case .response:
            BodyContent(exchange.response?.body ?? Body(), exchange.response?.head.fields)
        }
    }
}
