public import ProxydHTTPModel

/// Lets bytes pass at a pace of its own. Confined to its loop.
public protocol PaceActor: AnyObject {
    /// Bytes wait: `decision` is told how many of them go on. Asked again about the rest.
    func pass(_ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>)
}

/// Which way bytes go.
public enum PaceDirection: Sendable {
    /// To the server.
    case upstream
    /// To the client.
    case downstream
}

/// What becomes of bytes that wait.
public enum PaceVerdict {
    /// So many of them go on, one at least.
    case go(byteCount: Int)
    /// No byte goes on any more, and the client's connection ends; why, as it is recorded.
    case end(ExchangeEnd, because: ExchangeFailure)
}
