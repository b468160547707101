public import ProxydHTTPModel

public enum RequestEvent: Sendable {
    /// The request was resumed, for the first time or after a pause.
    case didResume
    case didSuspend
    case didCancel
    /// All adapters have run; this request will be sent.
    case didAdapt(HTTPRequest)
    /// An attempt starts with this head; attempts are counted from 1.
    case willSend(RequestHead, attempt: Int)
    case didReceive(ResponseHead)
    /// The progress of sending the body, in bytes.
    case didSend(TransferProgress)
    /// The progress of receiving the response, in bytes.
    case didReceiveBody(TransferProgress)
    case willRedirect(ResponseHead, to: HTTPRequest)
    case willAuthenticate(ResponseHead, with: HTTPRequest)
    /// An attempt has ended, with an error or nil if it succeeded.
    case didCompleteAttempt(Timeline, error: ClientError?)
    /// Validation is complete; the error is nil if the response was accepted.
    case didValidate(error: ClientError?)
    /// The request will be retried after a delay.
    case isRetrying(retryCount: Int, delay: Duration)
    /// A serializer has run, with an error or nil if it succeeded.
    case didParse(error: ClientError?)
    case didMoveFile(path: String)
    /// The request has ended, with an error or nil if it succeeded.
    case didFinish(error: ClientError?)
}

/// Receives the events of a session's requests, or of one request. Called on the thread where the
/// event happens, so it must return quickly.
public protocol EventMonitor: Sendable {
    func on(_ event: RequestEvent, for request: any ClientRequest)
}

extension EventMonitor {
    /// The listener that passes one request's events to the monitor. The request keeps the
    /// listener, so the listener must not keep the request.
    func listener(for request: any ClientRequest) -> @Sendable (RequestEvent) -> Void {
        { [weak request] event in
            if let request { on(event, for: request) }
        }
    }
}

/// A monitor that calls a closure.
public struct ClosureEventMonitor: EventMonitor {
    private let closure: @Sendable (RequestEvent, any ClientRequest) -> Void

    public init(_ closure: @escaping @Sendable (RequestEvent, any ClientRequest) -> Void) {
        self.closure = closure
    }

    public func on(_ event: RequestEvent, for request: any ClientRequest) {
        closure(event, request)
    }
}

extension ClientRequest {
    /// How much of the body has been sent, as far as any caller has asked for progress.
    public var uploadProgress: TransferProgress? { core.read(\.uploadProgress) }
    /// How much of the response has been received, as far as any caller has asked for progress.
    public var downloadProgress: TransferProgress? { core.read(\.downloadProgress) }

    /// Calls `handler` as bytes of the body are handed to the network, on a network thread: it must
    /// return quickly.
    @discardableResult
    public func uploadProgress(handler: @escaping @Sendable (TransferProgress) -> Void) -> Self {
        core.configure { $0.onUploadProgress.append(handler) }
        return self
    }

    /// Calls `handler` as bytes of the response arrive.
    @discardableResult
    public func downloadProgress(handler: @escaping @Sendable (TransferProgress) -> Void) -> Self {
        core.configure { $0.onDownloadProgress.append(handler) }
        return self
    }

    /// A slow consumer gets only the newest value. Awaiting it starts the request.
    public func uploadProgressUpdates() -> RequestUpdates<TransferProgress> {
        updates(.bufferingNewest(1)) { continuation in
            uploadProgress { continuation.yield($0) }
        }
    }

    /// A slow consumer gets only the newest value. Awaiting it starts the request.
    public func downloadProgressUpdates() -> RequestUpdates<TransferProgress> {
        updates(.bufferingNewest(1)) { continuation in
            downloadProgress { continuation.yield($0) }
        }
    }

    /// The request's events from now on. Awaiting them starts the request, unless it is a
    /// `DataStreamRequest`: see `RequestUpdates`.
    public var events: RequestUpdates<RequestEvent> {
        updates(.unbounded) { continuation in
            eventMonitor(ClosureEventMonitor { event, _ in continuation.yield(event) })
        }
    }

    @discardableResult
    public func eventMonitor(_ monitor: any EventMonitor) -> Self {
        core.configure { $0.listeners.append(monitor.listener(for: self)) }
        return self
    }

    /// Calls `handler` with the head of the final response before its body is read; the result
    /// decides whether the request continues.
    @discardableResult
    public func onHTTPResponse(
        _ handler: @escaping @Sendable (ResponseHead) async -> ResponseDisposition
    ) -> Self {
        core.configure { $0.headHandlers.append(handler) }
        return self
    }

    private func updates<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ begin: (AsyncStream<Element>.Continuation) -> Void
    ) -> RequestUpdates<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: policy)
        begin(continuation)
        let isOver = core.change { state in
            guard state.completion == nil || !state.isOver else { return true }
            state.endings.append { continuation.finish() }
            return false
        }
        if isOver { continuation.finish() }
        return RequestUpdates(elements: stream, request: self)
    }
}

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

    public struct AsyncIterator: AsyncIteratorProtocol {
        var elements: AsyncStream<Element>.AsyncIterator
        let request: any ClientRequest

        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            if !(request is DataStreamRequest) { request.core.resumeAutomatically(request) }
            return await elements.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(elements: elements.makeAsyncIterator(), request: request)
    }
}
