public import ProxydHTTPModel

/// What a command's end is told to; called once, on any thread.
public typealias ControlCompletion<Value> = @Sendable (Result<Value, ControlError>) -> Void

/// A connection of a control client; its number is never used twice while the daemon runs.
public struct ControlClientID: Sendable, Hashable {
    /// 1 or more.
    public let rawValue: Int64

    /// A connection's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// What the daemon does for its control clients.
///
/// Members are called on the control server's loop and must not block it.
public protocol ControlHandler: AnyObject, Sendable {
    /// Reports how the daemon is.
    func status(completion: @escaping ControlCompletion<DaemonStatus>)
    /// Tells what the daemon knows of servers.
    func serverRules(completion: @escaping ControlCompletion<ServerRulesMessage>)
    /// Tells the rules in force, and what they have done.
    func rules(completion: @escaping ControlCompletion<RulesMessage>)
    /// Reads the file of rules again, and tells what came of it.
    func reloadRules(completion: @escaping ControlCompletion<RulesMessage>)
    /// Changes the rules in memory only, and tells what came of it; `badRules` for mistakes.
    func changeRules(
        _ change: RuleChangeMessage, completion: @escaping ControlCompletion<RulesMessage>)
    /// Deletes what a filter matches, everything where it is nil; how many exchanges that were.
    func clear(filter: String?, completion: @escaping ControlCompletion<Int>)
    /// Changes an exchange's annotations; 1, or the error `notFound`.
    func annotate(_ change: AnnotationMessage, completion: @escaping ControlCompletion<Int>)
    /// Keeps a file that describes messages; completes when it is committed.
    func addProtoFile(_ file: ProtoFileMessage, completion: @escaping ControlCompletion<Void>)
    /// Forgets the file of a name that describes messages; the error `notFound` where there is
    /// none.
    func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>)
    /// Takes the next exchange number.
    func nextExchangeID() -> ExchangeID
    /// Takes the next connection number.
    func nextConnectionID() -> ConnectionID
    /// Stores legs and news of exchanges; completes when they are committed.
    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>)
    /// Opens TLS to a host that passes unread, or the other way round; whether it is opened then.
    func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>)
    /// Does something about held messages for a client.
    func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>)
    /// A client's connection has ended.
    func clientLeft(_ client: ControlClientID)
    /// Stops or resumes recording.
    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>)
}

extension ControlHandler {
    /// One without rules.
    public func rules(completion: @escaping ControlCompletion<RulesMessage>) {
        completion(.failure(ControlError(.failed, "there are no rules")))
    }

    /// One that opens no TLS.
    public func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>
    ) {
        completion(.failure(ControlError(.failed, "no TLS is opened here")))
    }

    /// One that holds nothing.
    public func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>
    ) {
        completion(.failure(ControlError(.failed, "nothing is held here")))
    }

    /// One that keeps nothing for a client.
    public func clientLeft(_ client: ControlClientID) {}

    /// One without rules.
    public func reloadRules(completion: @escaping ControlCompletion<RulesMessage>) {
        rules(completion: completion)
    }

    /// One without rules.
    public func changeRules(
        _ change: RuleChangeMessage, completion: @escaping ControlCompletion<RulesMessage>
    ) {
        rules(completion: completion)
    }
}
