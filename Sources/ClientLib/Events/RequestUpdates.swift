/// What happens to a request, as it happens: its progress or its events. Ends with the request.
///
/// Awaiting the first element starts the request, as attaching a handler does: where the session
/// starts requests by itself. Attach validators, interceptors and the like before you make the
/// task that awaits: what comes after the start may be too late.
///
/// A `DataStreamRequest` is not started by awaiting: its pieces are kept nowhere, so it starts with
/// the first handler or sequence that takes them, or with `resume()`.
///
/// Ending the iteration early leaves the request as it is.
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
            if !(request is DataStreamRequest) { request.core.resumeAutomatically(request) }
            return await elements.next(isolation: actor)
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator(), request: request)
    }
}
