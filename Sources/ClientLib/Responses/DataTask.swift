/// Waits for the value of a data or upload request.
public struct DataTask<Value: Sendable>: Sendable {
    let request: any ClientRequest
    let waitForResponse: @Sendable () async -> DataResponse<Value>

    /// The response, when it is there. Never throws: look at its `result`.
    public var response: DataResponse<Value> { get async { await waitForResponse() } }

    /// The value, or why there is none.
    public var result: Result<Value, ClientError> { get async { await response.result } }

    /// The value.
    /// - Throws: why there is none.
    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    /// Gives the request up.
    public func cancel() { request.cancel() }
    /// Starts the request, or goes on after `suspend()`.
    public func resume() { request.resume() }
    /// Pauses the request.
    public func suspend() { request.suspend() }
}
