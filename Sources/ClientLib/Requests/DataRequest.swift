/// A request whose response is collected in memory.
public final class DataRequest: DataCollectingRequest {
    /// The machinery that all kinds share.
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}

/// A request whose response is collected in memory: what data and upload requests share.
public protocol DataCollectingRequest: ClientRequest {}

extension DataCollectingRequest {
    /// The body so far as it is complete; nil before, and where there is none.
    public var data: [UInt8]? { core.read { $0.completion?.data } }
}
