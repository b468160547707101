/// What became of one action.
enum RuleOutcome: Equatable {
    /// The exchange ended there; the record says `blocked`.
    case blocked(String)
    /// The rule answered.
    case answered(String)
    /// The message is another one now; what of it.
    case changed(String)
    /// The message goes as slowly as on a network.
    case throttled(String)
    /// The message waits.
    case delayed(String)
    /// The message is to be held; what comes of that is noted when it is over.
    case held
    /// A script is to be asked; what comes of that is noted when it has answered.
    case asked
    /// The body is edited while it flows; what comes of that is noted when it is over.
    case flowing
    /// The record is marked.
    case tagged
    /// There was nothing to do.
    case unchanged
    /// Why nothing was done.
    case notDone(String)

    /// The word that the record has for it.
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

    /// What else there is to say.
    var detail: String? {
        switch self {
        case .blocked(let text), .answered(let text), .changed(let text), .throttled(let text),
            .delayed(let text):
            text
        case .held, .asked, .flowing, .tagged, .unchanged, .notDone: nil
        }
    }

    /// Of several actions of a rule the weightiest names the outcome.
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

    /// Whether what comes of it is noted later, for itself.
    var isNotedLater: Bool {
        switch self {
        case .held, .asked, .flowing: true
        default: false
        }
    }

    /// What all actions of a rule made of it: one word, and what there is to say of each.
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
