/// How a hold ended.
public struct HoldEnd: Sendable {
    /// What becomes of the message.
    public enum Fate: Sendable {
        /// It goes on as it was.
        case unchanged
        /// It goes on as it was edited.
        case changed(HeldMessage.Content)
        /// The client gets this answer.
        case answered(RuleAnswer)
        /// The client's connection ends without an answer.
        case dropped
        /// The client has left: there is no one to send anything to.
        case clientGone
    }

    /// Why it ended.
    public enum Cause: Sendable, Hashable {
        /// Someone decided.
        case decision
        /// No one decided in time.
        case timeout
        /// The last interface that takes holds has left.
        case noOneLeft
        /// Its rule holds no longer: it was switched off, changed or removed.
        case ruleGone
        /// The proxy is stopping.
        case shutdown
    }

    /// What becomes of the message.
    public let fate: Fate
    /// Why.
    public let cause: Cause

    /// As the record has it, after the word `held`.
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

    /// As those who come too late hear it.
    var reasonToRefuse: String {
        switch (fate, cause) {
        case (.clientGone, _): "the client is gone"
        case (_, .timeout): "it timed out"
        case (_, .noOneLeft): "the last interface had left"
        case (_, .ruleGone): "its rule holds no longer"
        case (_, .shutdown): "the proxy is stopping"
        case (_, .decision): "it was decided already"
        }
    }
}

/// Why a message is not held that a rule would hold.
public enum NotHeld: Error, Sendable, Hashable {
    /// No interface that takes holds is connected.
    case noOneToAsk
    /// A rule answered the request, so that it goes nowhere.
    case answered
    /// As many are held as may be.
    case tooMany
    /// As many bytes are held as may be.
    case tooMuch

    /// As the record has it.
    public var outcome: String {
        switch self {
        case .noOneToAsk: "not held: no one to ask"
        case .answered: "not held: a rule answered"
        case .tooMany: "not held: too many"
        case .tooMuch: "not held: too many bytes"
        }
    }
}

/// Why something that is asked of a hold is not done.
public enum HoldRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// There was never such a hold.
    case unknown
    /// It has ended; why, in words.
    case gone(String)
    /// Someone else has claimed it: who.
    case taken(by: String)
    /// It has no body to be read or changed: that is too large, or may never end.
    case bodyNotHeld
    /// What was written does not follow what was written before.
    case notInSequence
    /// More was written than is taken.
    case tooLarge
    /// All that is being written for what is held is more than is kept.
    case tooMuch
    /// What it is to be changed to makes no message; why.
    case badEdit(String)

    /// In words for a person.
    public var description: String {
        switch self {
        case .unknown: "there is no such hold"
        case .gone(let reason): "it is not held any more: \(reason)"
        case .taken(let name): "it is taken by \(name)"
        case .bodyNotHeld: "its body is not held: it is too large, or may never end"
        case .notInSequence: "what is written does not follow what was written before"
        case .tooLarge: "it is larger than is taken"
        case .tooMuch: "too much is being written for what is held"
        case .badEdit(let reason): reason
        }
    }
}
