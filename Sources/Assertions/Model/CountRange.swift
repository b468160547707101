public import ProxydConfigurationText

/// A number of things that is expected: `2`, `"1..3"`, `">=2"` or `"<=2"`.
public struct CountRange: Sendable, Hashable {
    /// The smallest number that is allowed.
    public let lower: Int
    /// The largest number that is allowed; nil if there is no limit.
    public let upper: Int?

    /// At least one.
    public static let some = CountRange(lower: 1, upper: nil)

    /// Creates a range.
    public init(lower: Int, upper: Int?) {
        self.lower = lower
        self.upper = upper
    }

    /// Parses a range, or returns nil if the text is not a range.
    public init?(_ text: String) {
        if let number = CountRange.number(text[...]) {
            self.init(lower: number, upper: number)
        } else if text.hasPrefix(">="), let number = CountRange.number(text.dropFirst(2)) {
            self.init(lower: number, upper: nil)
        } else if text.hasPrefix("<="), let number = CountRange.number(text.dropFirst(2)) {
            self.init(lower: 0, upper: number)
        } else {
            let halves = text.split(separator: ".", omittingEmptySubsequences: false)
            guard halves.count == 3, halves[1].isEmpty, let lower = CountRange.number(halves[0]),
                let upper = CountRange.number(halves[2]), lower <= upper
            else { return nil }
            self.init(lower: lower, upper: upper)
        }
    }

    /// Whether a number is right.
    public func contains(_ number: Int) -> Bool {
        lower <= number && upper.map { number <= $0 } ?? true
    }

    private static func number(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}

extension CountRange: CustomStringConvertible {
    /// The range as a phrase: `2`, `1 to 3`, `at least 2`, `at most 2`.
    public var description: String {
        guard let upper else { return "at least \(lower)" }
        if lower == upper { return String(lower) }
        return lower == 0 ? "at most \(upper)" : "\(lower) to \(upper)"
    }
}

extension CountRange: ConfigurationValue {
    /// Reads an integer or a string.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        switch node.content {
        case .integer(let number) where number >= 0: self.init(lower: number, upper: number)
        case .string(let text):
            guard let range = CountRange(text.text) else { throw CountRange.mistake }
            self = range
        default: throw CountRange.mistake
        }
    }

    private static let mistake = ConfigurationValueError(
        "expected a number such as 2, \"1..3\", \">=2\" or \"<=2\"")

    /// The range as it is written in a file.
    public var tomlText: String {
        guard let upper else { return "\">=\(lower)\"" }
        if lower == upper { return String(lower) }
        return lower == 0 ? "\"<=\(upper)\"" : "\"\(lower)..\(upper)\""
    }
}
