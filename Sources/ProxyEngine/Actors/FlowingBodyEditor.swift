public import ProxydHTTPModel

/// Changes a body on its way. Confined to its loop.
public protocol FlowingBodyEditor: AnyObject {
    /// Takes a piece of the body, after transfer-coding, and appends what goes on of it, and of
    /// what was kept back before.
    func receive(_ piece: Span<UInt8>, into output: inout [UInt8])
    /// The body has ended: appends what was kept back.
    func finish(into output: inout [UInt8])
    /// It is over, whether or not all of the body came: what is recorded of it. Called once.
    func end() -> [ExchangeEvent]
}
