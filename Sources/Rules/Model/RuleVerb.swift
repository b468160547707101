/// What an action does.
public enum RuleVerb: Sendable {
    /// Changes a part of a message.
    case edit(RuleEdit)
    /// Sends the request to another server (map remote).
    case sendTo(RemoteMapping)
    /// Answers with a file (map local).
    case serve(FileMapping)
    /// Answers with the rule's own response; as a response action, replaces the server's response.
    case respond(RuleAnswer)
    /// Answers with a captured response.
    case mock(RuleMock)
    /// Ends the exchange with an error status or without an answer.
    case block(RuleBlock)
    /// Delays the message by this time.
    case delay(RuleDelay)
    /// Slows the message down to the speed of a network.
    case throttle(RuleThrottle)
    /// Connects to this address instead of those that the name resolves to.
    case resolve(address: String)
    /// Connects through the named upstream proxy of the configuration, or through none.
    case via(RuleUpstream)
    /// Shows the named certificate of the configuration to a server that asks for one.
    case clientCertificate(RuleReference)
    /// Holds the message until someone has decided about it.
    case hold(RuleHold)
    /// Runs a script.
    case run(RuleScriptCall)
    /// Adds a tag to the record, and changes nothing.
    case tag(String)
    /// Applies a named combination of edits.
    case preset(RulePreset)
}

/// How long a message is delayed.
public struct RuleDelay: Sendable, Hashable {
    /// The minimum delay, in milliseconds.
    public let milliseconds: Int
    /// The maximum of a random additional delay, in milliseconds.
    public let jitterMilliseconds: Int
}

/// How an exchange is ended.
public enum RuleBlock: Sendable, Hashable {
    /// The client gets this status and no content.
    case status(Int)
    /// The client's connection is closed cleanly, without an answer.
    case close
    /// The client's connection is reset.
    case reset
    /// The client gets no answer, and its connection stays open until it leaves.
    case hang

    /// The text in a rules file.
    var text: String {
        switch self {
        case .status(let status): String(status)
        case .close: "close"
        case .reset: "reset"
        case .hang: "hang"
        }
    }
}
