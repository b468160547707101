package import ProxydFilter
public import ProxydParameterCoding

/// A change to a part of a message.
public struct RuleEdit: Sendable {
    /// The part that is changed.
    public let target: RuleTarget
    /// How the part is changed.
    package let change: Change
    /// Whether it is applied to each line of a body while that streams.
    let isByLine: Bool

    init(target: RuleTarget, change: Change, isByLine: Bool = false) {
        self.target = target
        self.change = change
        self.isByLine = isByLine
    }

    /// How a part is changed.
    package enum Change: Sendable {
        /// Leaves one value, at the position of the first.
        case set(RuleValue)
        /// Adds one more value, at the end.
        case add(RuleValue)
        /// Removes all values; with `match`, only those that it finds.
        case remove(match: LinearRegex?)
        /// Replaces the matches of an expression, at most `countMax` times.
        case replace(RegexReplacement, countMax: Int?)
    }
}

/// A value that an action inserts.
public struct RuleValue: Sendable, Hashable {
    /// The value as text, for fields, cookies, pairs and bodies.
    public let text: String
    /// The value as JSON: a number in the file is a JSON number.
    public let parameter: Parameter

    /// Creates a text value.
    init(_ text: String) { self.init(text: text, parameter: .string(text)) }

    init(text: String, parameter: Parameter) {
        self.text = text
        self.parameter = parameter
    }
}
