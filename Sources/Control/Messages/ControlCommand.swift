/// What a client asks of the daemon.
public enum ControlCommand: Sendable, Hashable, Codable {
    /// How the daemon is; answered by `ControlResult.status`.
    case status
    /// What the daemon knows of servers; answered by `ControlResult.serverRules`.
    case serverRules
    /// The rules in force; answered by `ControlResult.rules`.
    case rules
    /// Read the file of rules again; answered by `ControlResult.rules`, whose problems say what is
    /// wrong with it.
    case reloadRules
    /// Change the rules in memory only, until the daemon ends; answered by `ControlResult.rules`,
    /// or the error `badRules`.
    case changeRules(change: RuleChangeMessage)
    /// Delete what a filter matches, everything where it is nil; answered by `affected`.
    case clear(filter: String?)
    /// Change note, tags or pin of an exchange; answered by `affected`.
    case annotate(change: AnnotationMessage)
    /// Keep a file that describes messages, in place of one of its name; answered by `done`.
    case addProtoFile(file: ProtoFileMessage)
    /// Forget the file of a name that describes messages; answered by `done`, or the error
    /// `notFound`.
    case removeProtoFile(name: String)
    /// Take the next numbers for exchanges and connections; answered by `identifiers`.
    case takeIdentifiers(exchangeCount: Int, connectionCount: Int)
    /// Store these legs and this news of exchanges; answered by `done` when they are committed.
    case importExchanges(connections: [ConnectionMessage], updates: [UpdateMessage])
    /// Send `ControlEvent`s from now on; answered by `done`, then by events of the same id.
    case subscribe
    /// Something about held messages.
    case hold(command: HoldCommand)
    /// Open TLS to a host that passes unread, or the other way round, for its next connections;
    /// answered by `interception`.
    case toggleInterception(host: String, port: UInt16)
    /// Stop or resume recording; answered by `done`.
    case setRecording(isOn: Bool)
}
