internal import ProxydCaptureModel
internal import ProxydStoreAnswers
internal import ProxydWebServer

/// Reads for requests of clients.
extension StoreDoor {
    /// Reads the store for a request; the read ends when the client leaves.
    func read<Value>(
        for request: WebRequest,
        _ body: (any ExchangeReading) throws(StoreError) -> Value
    ) throws -> Value {
        let cancellation = ReadCancellation()
        request.cancellation.onCancel { cancellation.cancel() }
        return try WebFailure.explaining { try read(cancellation, body) }
    }
}
