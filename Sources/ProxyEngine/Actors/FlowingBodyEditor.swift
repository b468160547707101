public import ProxydHTTPModel

/// Changes a body on its way, a piece at a time. Confined to its loop.
public protocol FlowingBodyEditor: AnyObject {
    /// Takes a piece of the body, after transfer-coding. The next comes when this one is done.
    /// - Parameter done: Hears what goes on of the piece, and of what was kept back before; on the
    ///   loop, at once or later.
    func receive(_ piece: [UInt8], _ done: @escaping ([UInt8]) -> Void)
    /// The body has ended.
    /// - Parameter done: Hears what was kept back; on the loop, at once or later.
    func finish(_ done: @escaping ([UInt8]) -> Void)
    /// It is over, whether or not all of the body came: what is recorded of it. Called once.
    func end() -> [ExchangeEvent]
}
