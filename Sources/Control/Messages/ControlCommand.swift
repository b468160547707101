/// A client's command for the daemon.
public enum ControlCommand: Sendable, Hashable, Codable {
    /// Reports the daemon's status; answered by `ControlResult.status`.
    case status
    /// Commits what has ended, for a client that is about to read the store; answered by `done`
    /// after that, or immediately while nothing can be written.
    case commit
    /// Reports the daemon's rules for servers; answered by `ControlResult.serverRules`.
    case serverRules
    /// Reports the active rules; answered by `ControlResult.rules`.
    case rules
    /// Reloads the rules file; answered by `ControlResult.rules`, whose problems list its mistakes.
    case reloadRules
    /// Changes the rules in memory only, until the daemon ends; answered by `ControlResult.rules`,
    /// or the error `badRules`.
    case changeRules(change: RuleChangeMessage)
    /// Deletes the exchanges that a filter matches, or all if it is nil; answered by `affected`.
    case clear(filter: String?)
    /// Changes the note, tags or pin of an exchange; answered by `affected`.
    case annotate(change: AnnotationMessage)
    /// Notes how far the store was delivered to a central store; answered by `done`.
    case noteDelivery(progress: DeliveryMessage)
    /// Stores a file that describes messages and replaces one with the same name; answered by
    /// `done`.
    case addProtoFile(file: ProtoFileMessage)
    /// Removes the named file that describes messages; answered by `done`, or the error `notFound`.
    case removeProtoFile(name: String)
    /// Reserves the next numbers for exchanges and connections; answered by `identifiers`.
    case takeIdentifiers(exchangeCount: Int, connectionCount: Int)
    /// Stores these connections and updates of exchanges; answered by `done` when they are
    /// committed.
    case importExchanges(connections: [ConnectionMessage], updates: [UpdateMessage])
    /// Starts sending `ControlEvent`s; answered by `done`, then by events with the same id.
    case subscribe
    /// A command about held messages.
    case hold(command: HoldCommand)
    /// Switches TLS interception of a host on or off for its next connections; answered by
    /// `interception`.
    case toggleInterception(host: String, port: UInt16)
    /// Refuses requests to an address at which the client listens, until the client's connection
    /// ends; answered by `done`, or `badMessage` for an invalid address.
    case guardAddress(ip: String, port: UInt16)
    /// Stops or resumes recording; answered by `done`.
    case setRecording(isOn: Bool)
}
