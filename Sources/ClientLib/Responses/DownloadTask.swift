/// Waits for the value of a download.
public struct DownloadTask<Value: Sendable>: Sendable {
    let request: DownloadRequest
    let promise: Promise<DownloadResponse<Value>>
    let isCancelling: Bool

    /// The response, when it is there. Never throws: look at its `result`.
    public var response: DownloadResponse<Value> {
        get async {
            guard isCancelling, !promise.isThere else { return await promise.value }
            return await withTaskCancellationHandler {
                await promise.value
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// The value, or why there is none.
    public var result: Result<Value, ClientError> { get async { await response.result } }

    /// The value.
    /// - Throws: why there is none.
    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    /// Gives the request up.
    public func cancel() { request.cancel() }
}
