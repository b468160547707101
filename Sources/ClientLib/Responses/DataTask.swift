/// Waits for the value of a data or upload request.
public struct DataTask<Value: Sendable>: Sendable {
    let request: any ClientRequest
    let waitForResponse: @Sendable () async -> DataResponse<Value>

    /// Waits for the response. Never throws; check its `result`.
    public var response: DataResponse<Value> { get async { await waitForResponse() } }

    /// Waits for the value or the error.
    public var result: Result<Value, ClientError> { get async { await response.result } }

    /// Waits for the value.
    /// - Throws: why there is none.
    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }
    /// Starts the request, or continues it after `suspend()`.
    public func resume() { request.resume() }
    /// Pauses the request.
    public func suspend() { request.suspend() }
}
