public import Dispatch
public import ProxydHTTPModel

// Handlers in Alamofire's forms: on a queue, without a result, or with a completion handler.

extension ClientRequest {
    /// Calls `closure` on `queue` as bytes of the body are handed to the network.
    @discardableResult
    public func uploadProgress(
        queue: DispatchQueue, closure: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        uploadProgress { progress in queue.async { closure(progress) } }
    }

    /// Calls `closure` on `queue` as bytes of the response arrive.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue, closure: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        downloadProgress { progress in queue.async { closure(progress) } }
    }

    /// Calls `handler` with the head of the final response before its body is read.
    @discardableResult
    public func onHTTPResponse(
        _ handler: @escaping @Sendable (ResponseHead) async -> Void
    ) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            await handler(response)
            return .allow
        }
    }

    /// Calls `handler` with the head of the final response before its body is read; the request
    /// waits until the completion handler says whether to continue, which must be called exactly
    /// once.
    @discardableResult
    public func onHTTPResponse(
        _ handler:
            @escaping @Sendable (
                ResponseHead, _ completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
            ) -> Void
    ) -> Self {
        onHTTPResponse { response -> ResponseDisposition in
            await withCheckedContinuation { continuation in
                handler(response) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls `handler` with each request that is sent, including those of retries, redirects and
    /// answered challenges.
    @discardableResult
    public func onURLRequestCreation(
        perform handler: @escaping @Sendable (HTTPRequest) -> Void
    ) -> Self {
        eventMonitor(
            ClosureEventMonitor { event, request in
                if case .willSend = event, let sent = request.request { handler(sent) }
            })
    }

    /// The heads of responses as they arrive, including those of redirects.
    public func httpResponses() -> some AsyncSequence<ResponseHead, Never> & Sendable {
        events.compactMap { if case .didReceive(let head) = $0 { head } else { nil } }
    }

    /// The request as a curl command each time it is sent, without secrets.
    public func cURLDescriptions() -> some AsyncSequence<String, Never> & Sendable {
        events.compactMap { [weak self] event in
            if case .willSend = event { self?.cURLDescription() } else { nil }
        }
    }
}
