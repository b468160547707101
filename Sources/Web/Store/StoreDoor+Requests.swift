internal import ProxydCaptureModel
internal import ProxydHTTPModel
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

    /// The exchange that the route's segment `id` names.
    func exchangeID(of request: WebRequest) throws -> ExchangeID {
        let name = request.segment("id")
        guard let id = try exchangeID(named: name, for: request), id.rawValue > 0 else {
            throw WebProblem(404, "there is no exchange \(name)")
        }
        return id
    }

    /// The exchange of a name that a client sent; nil if the store cannot have one of that name.
    func exchangeID(named name: String, for request: WebRequest) throws -> ExchangeID? {
        try read(for: request) { (reader) throws(StoreError) in
            try reader.exchangeID(named: name)
        }
    }

    /// The name of an exchange for users.
    func name(of id: ExchangeID, for request: WebRequest) throws -> String {
        try read(for: request) { (reader) throws(StoreError) in try reader.name(of: id) }
    }
}
