/// A request whose response is collected in memory.
public final class DataRequest: DataCollectingRequest {
    /// The implementation that all kinds of requests share.
    public let core: RequestCore

    init(_ core: RequestCore) { self.core = core }
}

/// A request whose response is collected in memory: the common part of data and upload requests.
public protocol DataCollectingRequest: ClientRequest {}

extension DataCollectingRequest {
    /// The body once it is complete, or nil before that and if there is none.
    public var data: [UInt8]? { core.read { $0.completion?.data } }
}
