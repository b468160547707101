internal import Synchronization

/// What comes over a WebSocket, as it comes: messages, or events. Asking for the first element
/// starts the request where the session starts requests by itself.
///
/// While no one asks for more, no more is read from the server than some 512 KiB: a slow program
/// slows the server down. Several sequences of one WebSocket get everything that comes after they
/// were made, and the slowest of them sets the pace. Letting go of the last that was iterated
/// cancels the request, unless it was asked for otherwise. A sequence is to be iterated once.
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

    /// Asks for the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: WebSocketSubscription
        fileprivate let transform: Transform

        /// The next element; nil at the end.
        public mutating func next() async throws(Failure) -> Element? {
            try await next(isolation: nil)
        }

        /// The next element; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            while let event = await subscription.next() {
                if let element = try transform(event) { return element }
            }
            return nil
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator {
        subscription.begin()
        return AsyncIterator(subscription: subscription, transform: transform)
    }
}

/// One listener of a WebSocket, for as long as someone holds it.
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

    /// The next event; nil behind the last.
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
