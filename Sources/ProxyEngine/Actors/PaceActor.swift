internal import ProxydEventLoops
public import ProxydHTTPModel

/// Lets bytes through at its own pace. Confined to its loop.
public protocol PaceActor: AnyObject {
    /// Bytes are waiting: the answer to `decision` says how many of them go on. Asked again for the
    /// rest.
    func pass(_ byteCount: Int, _ direction: PaceDirection, _ decision: Decision<PaceVerdict>)
    /// More bytes arrived before the decision; `byteCount` is the new total of waiting bytes.
    func grew(to byteCount: Int, _ direction: PaceDirection)
    /// The number of bytes that may wait before reading from their source pauses.
    func byteCountAheadMax(_ direction: PaceDirection) -> Int
}

extension PaceActor {
    /// Does nothing: the new total is passed with the next question.
    public func grew(to byteCount: Int, _ direction: PaceDirection) {}

    /// The number of bytes that may wait for a slow receiver.
    public func byteCountAheadMax(_ direction: PaceDirection) -> Int {
        StreamWatermarks.lowByteCount
    }
}

/// The direction in which bytes travel.
public enum PaceDirection: Sendable {
    /// To the server.
    case upstream
    /// To the client.
    case downstream
}

/// What to do with waiting bytes.
public enum PaceVerdict {
    /// Lets this many of them through, at least one.
    case go(byteCount: Int)
    /// Lets no more bytes through and ends the client's connection; the failure is recorded as the
    /// reason.
    case end(ExchangeEnd, because: ExchangeFailure)
}
