// When everything happened, under the name that Alamofire has for what it measures.

extension ClientRequest {
    /// When everything happened so far.
    public var metrics: RequestTimeline? { timeline }
}

extension DataResponse {
    /// When everything happened.
    public var metrics: RequestTimeline? { timeline }
}

extension DownloadResponse {
    /// When everything happened.
    public var metrics: RequestTimeline? { timeline }
}

extension DataStreamRequest.Completion {
    /// When everything happened.
    public var metrics: RequestTimeline? { timeline }
}

extension TransferProgress {
    /// Bytes that passed.
    public var completedUnitCount: Int64 { completedByteCount }
    /// Bytes there will be; -1 where no one knows.
    public var totalUnitCount: Int64 { totalByteCount ?? -1 }
}
