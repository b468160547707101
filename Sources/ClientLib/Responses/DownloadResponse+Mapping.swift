extension DownloadResponse {
    /// The same response with its value transformed.
    public func map<Other: Sendable>(
        _ transform: (Value) -> Other
    ) -> DownloadResponse<Other> {
        replacing(result.map(transform))
    }

    /// The same response with its value transformed, or a failure: a thrown error becomes
    /// `.responseSerializationFailed(.custom)` unless it is a `ClientError`.
    public func tryMap<Other: Sendable>(
        _ transform: (Value) throws -> Other
    ) -> DownloadResponse<Other> {
        replacing(result.tryMap(transform))
    }

    /// The same response with its error transformed.
    public func mapError(_ transform: (ClientError) -> ClientError) -> DownloadResponse<Value> {
        replacing(result.mapError(transform))
    }

    /// The same response with its error transformed or replaced by a value.
    public func tryMapError(_ transform: (ClientError) throws -> Value) -> DownloadResponse<Value> {
        replacing(result.tryMapError(transform))
    }

    private func replacing<Other: Sendable>(
        _ result: Result<Other, ClientError>
    ) -> DownloadResponse<Other> {
        DownloadResponse<Other>(
            request: request, response: response, fileURL: fileURL, resumeData: resumeData,
            timeline: timeline, result: result, attempts: attempts)
    }
}
