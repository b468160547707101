internal import ClientLib

/// Identifies equal requests, so that the second need not be sent.
struct InflightKey: Hashable {
    private let request: HTTPRequest

    /// Returns nil if requests cannot be compared: streams, and downloads, because each caller has
    /// its own file.
    init?(_ request: HTTPRequest, task: RequestTask) {
        if case .download = task.transfer { return nil }
        switch request.body {
        case .none, .bytes, .file: break
        case .multipart(_, let streams) where streams.isEmpty: break
        case .stream, .multipart: return nil
        }
        self.request = request
    }
}
