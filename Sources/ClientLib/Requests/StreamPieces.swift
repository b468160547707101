internal import ProxydHTTPModel
internal import Synchronization

/// Passes the pieces of a response to all handlers, one after another.
final class StreamPieces: BodyConsumer {
    typealias Handler = @Sendable ([UInt8]) async throws(ClientError) -> Void

    private let handlers = Mutex<[Handler]>([])

    let wantsPiecesAtOnce = true
    let isValidatedAtHead: Bool

    /// With `isValidatedAtHead`, no handler gets pieces of a response that validators reject.
    init(isValidatedAtHead: Bool = false) { self.isValidatedAtHead = isValidatedAtHead }

    /// Adds a handler for pieces. An error that it throws ends the request.
    func add(_ handler: @escaping Handler) {
        handlers.withLock { $0.append(handler) }
    }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {}

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        for handler in handlers.withLock({ $0 }) { try await handler(bytes) }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {}
}
