internal import ClientLib

/// What makes two requests the same, so that the second need not be sent.
struct InflightKey: Hashable {
    private let request: HTTPRequest

    /// A key; nil where requests cannot be compared: streams, and downloads, as each caller has a
    /// file of its own.
    init?(_ request: HTTPRequest, task: RequestTask) {
        if case .download = task.transfer { return nil }
        switch request.body {
        case .none, .octets, .file: break
        case .multipart(_, let streams) where streams.isEmpty: break
        case .stream, .multipart: return nil
        }
        self.request = request
    }
}
