/// The progress or the events of a request as they happen. The sequence ends with the request.
///
/// Awaiting the first element starts the request, as attaching a handler does, if the session
/// starts requests automatically. Attach validators, interceptors and the like before you create
/// the task that awaits: anything attached after the start may be too late.
///
/// A `DataStreamRequest` is not started by awaiting. Its pieces are not stored, so it starts with
/// the first handler or sequence that takes them, or with `resume()`.
///
/// Ending the iteration early does not affect the request.
public struct RequestUpdates<Element: Sendable>: AsyncSequence, Sendable {
    let elements: AsyncStream<Element>
    let request: any ClientRequest

    /// Iterates over the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var elements: AsyncStream<Element>.AsyncIterator
        let request: any ClientRequest

        /// The next element, or nil at the end.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The next element, or nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            if !(request is DataStreamRequest) { request.core.resumeAutomatically(request) }
            return await elements.next(isolation: actor)
        }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator(), request: request)
    }
}
