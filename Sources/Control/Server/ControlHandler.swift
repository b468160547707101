public import ProxydCaptureModel
public import ProxydHTTPModel

/// Called once with the result of a command, on any thread.
public typealias ControlCompletion<Value> = @Sendable (Result<Value, ControlError>) -> Void

/// Identifies a control client's connection; the number is never reused while the daemon runs.
public struct ControlClientID: Sendable, Hashable {
    /// The number of the connection, 1 or more.
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// Carries out the commands of control clients.
///
/// Its members are called on the control server's loop and must not block it.
public protocol ControlHandler: AnyObject, Sendable {
    func status(completion: @escaping ControlCompletion<DaemonStatus>)
    /// Commits what has ended, and completes when that is done or nothing can be written.
    func commit(completion: @escaping ControlCompletion<Void>)
    func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>)
    func rules(completion: @escaping ControlCompletion<RulesStatus>)
    func reloadRules(completion: @escaping ControlCompletion<RulesStatus>)
    /// Changes the rules in memory only and reports the result; `badRules` for mistakes.
    func changeRules(_ change: RulesUpdate, completion: @escaping ControlCompletion<RulesStatus>)
    /// Deletes the exchanges that a filter matches, or all if it is nil; reports their number.
    func clear(filter: String?, completion: @escaping ControlCompletion<Int>)
    /// Changes an exchange's annotations; reports 1, or the error `notFound`.
    func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>)
    /// Notes how far the store was delivered to a central store; completes when it is committed.
    func noteDelivery(_ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>)
    /// Stores a file that describes messages; completes when it is committed.
    func addProtoFile(_ file: ProtoFile, completion: @escaping ControlCompletion<Void>)
    /// Removes the named file that describes messages; the error `notFound` if there is none.
    func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>)
    /// Reserves the next exchange number.
    func nextExchangeID() -> ExchangeID
    func nextConnectionID() -> ConnectionID
    /// Stores connections and updates of exchanges; completes when they are committed.
    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>)
    /// Switches TLS interception of a host on or off; reports whether it is now on.
    func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>)
    func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>)
    /// Refuses requests to an address at which a client listens, until `clientLeft`.
    func guardAddress(
        ip: String, port: UInt16, for client: ControlClientID,
        completion: @escaping ControlCompletion<Void>)
    func clientLeft(_ client: ControlClientID)
    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>)
}

extension ControlHandler {
    /// The default for a daemon that commits immediately.
    public func commit(completion: @escaping ControlCompletion<Void>) {
        completion(.success(()))
    }

    /// The default for a daemon without rules.
    public func rules(completion: @escaping ControlCompletion<RulesStatus>) {
        completion(.failure(ControlError(.failed, "there are no rules")))
    }

    /// The default for a daemon without TLS interception.
    public func toggleInterception(
        ofHost host: String, port: UInt16, completion: @escaping ControlCompletion<Bool>
    ) {
        completion(.failure(ControlError(.failed, "TLS cannot be intercepted here")))
    }

    /// The default for a daemon without holds.
    public func hold(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>
    ) {
        completion(.failure(ControlError(.failed, "messages cannot be held here")))
    }

    /// The default for a daemon that forwards nothing.
    public func guardAddress(
        ip: String, port: UInt16, for client: ControlClientID,
        completion: @escaping ControlCompletion<Void>
    ) {
        completion(.success(()))
    }

    /// The default for a daemon that keeps no state for clients.
    public func clientLeft(_ client: ControlClientID) {}

    public func reloadRules(completion: @escaping ControlCompletion<RulesStatus>) {
        rules(completion: completion)
    }

    public func changeRules(
        _ change: RulesUpdate, completion: @escaping ControlCompletion<RulesStatus>
    ) {
        rules(completion: completion)
    }
}
