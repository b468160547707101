public import Dispatch
public import ProxydHTTPModel

// Handlers in the forms that Alamofire has: on a queue, without an answer, or with a completion
// handler.

extension ClientRequest {
    /// Calls `closure` on `queue` as bytes of the body are handed to the network.
    @discardableResult
    public func uploadProgress(
        queue: DispatchQueue, closure: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        uploadProgress { progress in queue.async { closure(progress) } }
    }

    /// Calls `closure` on `queue` as bytes of the response come.
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
    /// waits until it is told whether to go on, which must be once.
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

    /// Calls `handler` with each request that is sent: those of retries, redirects and answered
    /// challenges too.
    @discardableResult
    public func onURLRequestCreation(
        perform handler: @escaping @Sendable (HTTPRequest) -> Void
    ) -> Self {
        eventMonitor(
            ClosureEventMonitor { event, request in
                if case .willSend = event, let sent = request.request { handler(sent) }
            })
    }

    /// The heads of responses as they come, those of redirects too.
    public func httpResponses() -> some AsyncSequence<ResponseHead, Never> & Sendable {
        events.compactMap { if case .didReceive(let head) = $0 { head } else { nil } }
    }

    /// The request as a command, each time it is sent; secrets left out.
    public func cURLDescriptions() -> some AsyncSequence<String, Never> & Sendable {
        events.compactMap { [weak self] event in
            if case .willSend = event { self?.cURLDescription() } else { nil }
        }
    }
}
