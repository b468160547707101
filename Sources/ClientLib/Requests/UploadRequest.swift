/// A request that sends a body and collects the response in memory.
public final class UploadRequest: DataCollectingRequest {
    /// The implementation that all kinds of requests share.
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}
