/// What happens to a request, as it happens: its progress or its events. Ends with the request.
///
/// Awaiting the first element starts the request, as attaching a handler does: where the session
/// starts requests by itself. Validators and the like come before that. Ending the iteration early
/// leaves the request as it is.
public struct RequestUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let elements: AsyncStream<Element>
    let request: any ClientRequest

    /// Asks for the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var elements: AsyncStream<Element>.AsyncIterator
        let request: any ClientRequest

        /// The next element; nil at the end.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The next element; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            request.core.resumeAutomatically(request)
            return await elements.next(isolation: actor)
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator(), request: request)
    }
}
