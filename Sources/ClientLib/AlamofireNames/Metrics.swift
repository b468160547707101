// The timeline under Alamofire's name for its metrics.

extension ClientRequest {
    /// When each step has happened so far.
    public var metrics: RequestTimeline? { timeline }
}

extension DataResponse {
    /// When each step of the request happened.
    public var metrics: RequestTimeline? { timeline }
}

extension DownloadResponse {
    /// When each step of the request happened.
    public var metrics: RequestTimeline? { timeline }
}

extension DataStreamRequest.Completion {
    /// When each step of the request happened.
    public var metrics: RequestTimeline? { timeline }
}

extension TransferProgress {
    /// The number of bytes transferred so far.
    public var completedUnitCount: Int64 { completedByteCount }
    /// The total number of bytes, or -1 if it is unknown.
    public var totalUnitCount: Int64 { totalByteCount ?? -1 }
}
