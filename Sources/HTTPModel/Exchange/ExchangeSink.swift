/// Where exchanges go to be recorded: the store's recorder, or a running daemon's control socket.
///
/// All calls are safe on any thread and never wait for a disk.
public protocol ExchangeSink: AnyObject, Sendable {
    /// Takes the next exchange number.
    func nextExchangeID() -> ExchangeID
    /// Takes the next connection number.
    func nextConnectionID() -> ConnectionID
    /// Hands over news of an exchange.
    func record(_ update: consuming ExchangeUpdate)
    /// Hands over what is known of a connection; replaces what was known.
    func record(_ connection: ConnectionRecord)
    /// Whether more is waiting than the queue may hold. A caller that can should stop reading
    /// until `whenDrained` calls.
    var isCongested: Bool { get }
    /// Calls once, on any thread, when the queue has room again; at once where it has room now.
    func whenDrained(_ resume: @escaping @Sendable () -> Void)
}
