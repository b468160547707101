/// What an action does.
public enum RuleVerb: Sendable {
    /// Changes a part of a message.
    case edit(RuleEdit)
    /// Sends the request to another server (map remote).
    case sendTo(RemoteMapping)
    /// Answers with a file (map local).
    case serve(FileMapping)
    /// Answers with what the rule says; instead of what the server said, in the response.
    case respond(RuleAnswer)
    /// Answers with what was captured.
    case mock(RuleMock)
    /// Answers nothing of use, or not at all.
    case block(RuleBlock)
    /// Waits so long before the message goes on.
    case delay(RuleDelay)
    /// Passes the message as slowly as a network would.
    case throttle(RuleThrottle)
    /// Connects to this address whatever the name says.
    case resolve(address: String)
    /// Holds the message until someone has decided about it.
    case hold(RuleHold)
    /// Asks a script.
    case run(RuleScriptCall)
    /// Marks the record, and changes nothing.
    case tag(String)
    /// Several edits that are asked for together.
    case preset(RulePreset)
}

/// How long a message waits.
public struct RuleDelay: Sendable, Hashable {
    /// So long at least, in milliseconds.
    public let milliseconds: Int
    /// So much longer at most, in milliseconds, as chance has it.
    public let jitterMilliseconds: Int
}

/// How an exchange is ended.
public enum RuleBlock: Sendable, Hashable {
    /// The client gets this status and no content.
    case status(Int)
    /// The client's connection is closed in good order, without an answer.
    case close
    /// The client's connection is reset.
    case reset
    /// The client gets no answer, and its connection stays open until it leaves.
    case hang

    /// As a rules file writes it.
    var text: String {
        switch self {
        case .status(let status): String(status)
        case .close: "close"
        case .reset: "reset"
        case .hang: "hang"
        }
    }
}
