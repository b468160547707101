/// How a hold ended.
public struct HoldEnd: Sendable {
    /// What happens to the message.
    public enum Fate: Sendable {
        /// It is forwarded unchanged.
        case unchanged
        /// It is forwarded as edited.
        case changed(HeldMessage.Content)
        /// The client gets this answer.
        case answered(RuleAnswer)
        /// The client's connection ends without an answer.
        case dropped
        /// The client has left: there is no one to answer.
        case clientGone
    }

    /// Why a hold ended.
    public enum Cause: Sendable, Hashable {
        /// Someone decided.
        case decision
        /// No one decided in time.
        case timeout
        /// The last interface that handles holds has disconnected.
        case noOneLeft
        /// Its rule no longer holds messages: it was disabled, changed or removed.
        case ruleGone
        /// The proxy is stopping.
        case shutdown
    }

    /// What happens to the message.
    public let fate: Fate
    /// Why it ended.
    public let cause: Cause

    /// The text that is recorded after the word `held`.
    public var detail: String {
        switch cause {
        case .ruleGone: return "released"
        case .shutdown: return "released at shutdown"
        case .decision, .timeout, .noOneLeft: break
        }
        let word =
            switch fate {
            case .unchanged: "unchanged"
            case .changed: "changed"
            case .answered: "answered"
            case .dropped: "dropped"
            case .clientGone: "client gone"
            }
        switch cause {
        case .timeout: return "timed out, \(word)"
        case .noOneLeft: return "no one left to ask, \(word)"
        case .decision, .ruleGone, .shutdown: return word
        }
    }

    /// The reason given to clients that decide too late.
    var reasonToRefuse: String {
        switch (fate, cause) {
        case (.clientGone, _): "the client is gone"
        case (_, .timeout): "it timed out"
        case (_, .noOneLeft): "the last interface had left"
        case (_, .ruleGone): "its rule no longer holds messages"
        case (_, .shutdown): "the proxy is stopping"
        case (_, .decision): "it was already decided"
        }
    }
}

/// Why a message is not held although a rule asks for it.
public enum NotHeld: Error, Sendable, Hashable {
    /// No interface that handles holds is connected.
    case noOneToAsk
    /// A rule answered the request, so it is not forwarded.
    case answered
    /// The maximum number of messages is held already.
    case tooMany
    /// The maximum number of bytes is held already.
    case tooMuch

    /// The text that is recorded.
    public var outcome: String {
        switch self {
        case .noOneToAsk: "not held: no one to ask"
        case .answered: "not held: a rule answered"
        case .tooMany: "not held: too many"
        case .tooMuch: "not held: too many bytes"
        }
    }
}

/// Why a request about a hold is refused.
public enum HoldRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A hold with this number never existed.
    case unknown
    /// The hold has ended, for this reason.
    case gone(String)
    /// Another client has claimed it, with this name.
    case taken(by: String)
    /// Its body cannot be read or changed, because it is too large or may never end.
    case bodyNotHeld
    /// A piece does not continue the text written before.
    case notInSequence
    /// The written text is too large.
    case tooLarge
    /// The texts written for all held messages are too large together.
    case tooMuch
    /// The edit does not result in a valid message, for this reason.
    case badEdit(String)

    /// A message for the user.
    public var description: String {
        switch self {
        case .unknown: "there is no such hold"
        case .gone(let reason): "it is not held any more: \(reason)"
        case .taken(let name): "it is taken by \(name)"
        case .bodyNotHeld: "its body is not held because it is too large or may never end"
        case .notInSequence: "the new data does not continue the data written before"
        case .tooLarge: "it is larger than allowed"
        case .tooMuch: "too much data is being written for held messages"
        case .badEdit(let reason): reason
        }
    }
}
