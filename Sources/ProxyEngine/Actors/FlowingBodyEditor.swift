public import ProxydHTTPModel

/// Changes a body while it streams, one piece at a time. Confined to its loop.
public protocol FlowingBodyEditor: AnyObject {
    /// Takes a piece of the body, with transfer coding removed. The next one follows after `done`
    /// - Parameter done: Takes the output for this piece and for what was kept back before; called
    ///   on the loop, immediately or later.
    ///   the loop, immediately or later.
    func receive(_ piece: [UInt8], _ done: @escaping ([UInt8]) -> Void)
    /// The body has ended.
    /// - Parameter done: Takes what was kept back; called on the loop, immediately or later.
    func finish(_ done: @escaping ([UInt8]) -> Void)
    /// The edit is over, whether or not the whole body arrived; returns what to record about it.
    /// Called once.
    func end() -> [ExchangeEvent]
}
