public import ProxydHTTPModel

extension ClientRequest {
    /// How much of the body has been sent, as far as any caller has asked for progress.
    public var uploadProgress: TransferProgress? { core.read(\.uploadProgress) }
    /// How much of the response has been received, as far as any caller has asked for progress.
    public var downloadProgress: TransferProgress? { core.read(\.downloadProgress) }

    /// Calls `handler` as bytes of the body are handed to the network, on a network thread: it must
    /// return quickly.
    @discardableResult
    public func uploadProgress(
        handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        core.configure { $0.onUploadProgress.append(handler) }
        return self
    }

    /// Calls `handler` as bytes of the response arrive.
    @discardableResult
    public func downloadProgress(
        handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        core.configure { $0.onDownloadProgress.append(handler) }
        return self
    }

    /// How much of the body has been sent, as it is sent; a slow consumer gets only the newest.
    /// Awaiting it starts the request.
    public func uploadProgressUpdates() -> RequestUpdates<TransferProgress> {
        updates(.bufferingNewest(1)) { continuation in
            uploadProgress { continuation.yield($0) }
        }
    }

    /// How much of the response has arrived; a slow consumer gets only the newest value.
    /// Awaiting it starts the request.
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

    /// Sends the events of the request to a monitor.
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
