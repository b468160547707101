internal import Synchronization

/// The messages or events of a WebSocket as they arrive. Awaiting the first element starts the
/// request if the session starts requests automatically.
///
/// While no element is requested, at most about 512 KiB more is read from the server: a slow
/// program slows the server down. Several sequences of one WebSocket each get everything that
/// arrives after their creation, at the pace of the slowest. Releasing the last iterated sequence
/// cancels the request, unless it was created otherwise. Iterate a sequence only once.
public struct WebSocketSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    typealias Transform =
        @Sendable (WebSocketRequest.Event<WebSocketRequest.Message, Never>) throws(Failure) ->
        Element?

    private let subscription: WebSocketSubscription
    private let transform: Transform

    init(_ request: WebSocketRequest, _ isCancelling: Bool, _ transform: @escaping Transform) {
        subscription = WebSocketSubscription(request, isCancelling: isCancelling)
        self.transform = transform
    }

    /// Iterates over the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: WebSocketSubscription
        fileprivate let transform: Transform

        /// The next element, or nil at the end.
        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: nil)
        }

        /// The next element, or nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            while let event = await subscription.next() {
                if let element = try transform(event) { return element }
            }
            return nil
        }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        subscription.begin()
        return AsyncIterator(subscription: subscription, transform: transform)
    }
}

/// A subscription to a WebSocket, which ends when it is released.
final class WebSocketSubscription: Sendable {
    private let request: WebSocketRequest
    private let id: Int
    private let isCancelling: Bool
    private let hasBegun = Atomic<Bool>(false)

    init(_ request: WebSocketRequest, isCancelling: Bool) {
        self.request = request
        self.isCancelling = isCancelling
        id = request.conversation.events.subscribe()
    }

    deinit { leave() }

    func begin() { hasBegun.store(true, ordering: .relaxed) }

    /// The next event, or nil after the last.
    func next() async -> WebSocketRequest.Event<WebSocketRequest.Message, Never>? {
        request.core.resumeAutomatically(request)
        return await withTaskCancellationHandler {
            await request.conversation.events.next(for: id)
        } onCancel: {
            leave()
        }
    }

    private func leave() {
        let isLast = request.conversation.events.unsubscribe(id)
        if isLast, isCancelling, hasBegun.load(ordering: .relaxed) { request.cancel() }
    }
}
