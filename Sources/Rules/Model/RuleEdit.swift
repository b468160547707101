package import ProxydFilter
public import ProxydParameterCoding

/// A change of a part of a message.
public struct RuleEdit: Sendable {
    /// What is changed.
    public let target: RuleTarget
    /// How.
    package let change: Change
    /// Whether it is done in each line of a body, while that flows.
    let isByLine: Bool

    init(target: RuleTarget, change: Change, isByLine: Bool = false) {
        self.target = target
        self.change = change
        self.isByLine = isByLine
    }

    /// How a part is changed.
    package enum Change: Sendable {
        /// There is one of it afterwards, in the place of the first.
        case set(RuleValue)
        /// There is one more of it, the last.
        case add(RuleValue)
        /// There is none of it; with `match`, none whose value it finds.
        case remove(match: LinearRegex?)
        /// What an expression finds in it is replaced, `countMax` times at most.
        case replace(RegexReplacement, countMax: Int?)
    }
}

/// A value that an action puts in.
public struct RuleValue: Sendable, Hashable {
    /// As text, for fields, cookies, pairs and bodies.
    public let text: String
    /// As JSON has it: a number of the file is a number.
    public let parameter: Parameter

    /// A text.
    init(_ text: String) { self.init(text: text, parameter: .string(text)) }

    init(text: String, parameter: Parameter) {
        self.text = text
        self.parameter = parameter
    }
}
