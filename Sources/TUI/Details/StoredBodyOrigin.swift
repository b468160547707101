internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// A body in a store, read through the connection of the work that reads it.
struct StoredBodyOrigin: BodyOrigin {
    let exchanges: any ExchangeSource
    let exchange: ExchangeID
    let message: StoredMessage

    func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        try exchanges.forEachBodyChunk(exchange, message, body)
    }
}
