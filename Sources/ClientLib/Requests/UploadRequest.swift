/// A request that carries a body and whose response is collected in memory.
public final class UploadRequest: DataCollectingRequest {
    /// The machinery that all kinds share.
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}
