/// The outcome of one action.
enum RuleOutcome: Equatable {
    /// The exchange was ended by the rule; recorded as `blocked`.
    case blocked(String)
    /// The rule gave the answer.
    case answered(String)
    /// The message was changed, in this part.
    case changed(String)
    /// The message is slowed down to the speed of this network.
    case throttled(String)
    /// The message is delayed by this time.
    case delayed(String)
    /// The message will be held; the outcome is recorded when the hold ends.
    case held
    /// A script will be run; the outcome is recorded when it has answered.
    case asked
    /// The body is edited while it streams; the outcome is recorded when it has ended.
    case flowing
    /// A tag was added to the record.
    case tagged
    /// There was nothing to do.
    case unchanged
    /// Nothing was done, for this reason.
    case notDone(String)

    /// The word that is recorded.
    var word: String {
        switch self {
        case .blocked: "blocked"
        case .answered: "answered"
        case .changed: "changed"
        case .throttled: "throttled"
        case .delayed: "delayed"
        case .held: "held"
        case .asked, .flowing: "undecided"
        case .tagged: "tagged"
        case .unchanged: "unchanged"
        case .notDone(let reason): reason
        }
    }

    /// The details that are recorded.
    var detail: String? {
        switch self {
        case .blocked(let text), .answered(let text), .changed(let text), .throttled(let text),
            .delayed(let text):
            text
        case .held, .asked, .flowing, .tagged, .unchanged, .notDone: nil
        }
    }

    /// The outcome with the highest weight is recorded for a rule with several actions.
    private var weight: Int {
        switch self {
        case .blocked: 7
        case .answered: 6
        case .changed: 5
        case .notDone: 4
        case .throttled: 3
        case .delayed: 2
        case .tagged: 1
        case .held, .asked, .flowing, .unchanged: 0
        }
    }

    /// Whether its outcome is recorded later, separately.
    var isNotedLater: Bool {
        switch self {
        case .held, .asked, .flowing: true
        default: false
        }
    }

    /// Summarizes the outcomes of a rule's actions: the word of the weightiest, and all details.
    static func summary(of outcomes: [RuleOutcome]) -> (word: String, detail: String?) {
        let weightiest = outcomes.max { $0.weight < $1.weight } ?? .unchanged
        var details = outcomes.compactMap(\.detail)
        for outcome in outcomes where outcome.weight < weightiest.weight {
            guard case .notDone(let reason) = outcome, !details.contains(reason) else { continue }
            details.append(reason)
        }
        return (weightiest.word, details.isEmpty ? nil : details.joined(separator: ", "))
    }
}
