/// Receives exchanges to record: the store's recorder, or a connection to a running daemon's
/// control socket.
///
/// All methods are safe on any thread and never wait for the disk.
public protocol ExchangeSink: AnyObject, Sendable {
    /// Returns the next exchange identifier.
    func nextExchangeID() -> ExchangeID
    /// Returns the next connection identifier.
    func nextConnectionID() -> ConnectionID
    /// Records new information about an exchange.
    func record(_ update: consuming ExchangeUpdate)
    /// Records what is known about a connection; replaces earlier information.
    func record(_ connection: ConnectionRecord)
    /// Whether more is waiting than the queue should hold. A caller that can should stop reading
    /// until `whenDrained` calls back.
    var isCongested: Bool { get }
    /// Calls back once, on any thread, when the queue has room again; immediately if it has room
    /// now.
    func whenDrained(_ resume: @escaping @Sendable () -> Void)
}
