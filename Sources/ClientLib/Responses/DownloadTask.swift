/// Waits for the value of a download.
public struct DownloadTask<Value: Sendable>: Sendable {
    let request: DownloadRequest
    let promise: Promise<DownloadResponse<Value>>
    let isCancelling: Bool

    /// Waits for the response. Never throws; check its `result`.
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

    /// Waits for the value or the error.
    public var result: Result<Value, ClientError> { get async { await response.result } }

    /// Waits for the value.
    /// - Throws: why there is none.
    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }
}
