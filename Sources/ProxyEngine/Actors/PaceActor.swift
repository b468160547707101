internal import ProxydEventLoops
public import ProxydHTTPModel

/// Lets bytes pass at a pace of its own. Confined to its loop.
public protocol PaceActor: AnyObject {
    /// Bytes wait: `decision` is told how many of them go on. Asked again about the rest.
    func pass(_ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>)
    /// More bytes have come before it was decided; how many wait now, in all.
    func grew(to byteCount: Int, _ direction: PaceDirection)
    /// How many bytes may wait before their source rests.
    func byteCountAheadMax(_ direction: PaceDirection) -> Int
}

extension PaceActor {
    /// Hears of them when it is asked again.
    public func grew(to byteCount: Int, _ direction: PaceDirection) {}

    /// As many as wait before a slow receiver.
    public func byteCountAheadMax(_ direction: PaceDirection) -> Int {
        StreamWatermarks.lowByteCount
    }
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
