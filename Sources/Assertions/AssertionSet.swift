public import ProxydConfigurationText
internal import ProxydExchangeContent
public import ProxydFilter
package import ProxydParameterCoding
internal import ProxydRules

/// What an assertion file expects of recorded exchanges.
public struct AssertionSet: Sendable {
    /// The exchanges that are looked at; everything if the file says nothing.
    public let scope: Filter
    /// In the order of the file.
    public let expectations: [Expectation]
    /// In the order of the file.
    public let goldens: [GoldenExpectation]
}

/// Something that is expected of the exchanges that match a filter.
public struct Expectation: Sendable {
    public let name: String
    public let line: Int
    /// Which exchanges of the scope it is about.
    public let when: Filter
    public let whenParts: [Filter]
    public let count: CountRange
    /// What each of them must match: the parts of a filter, with their texts.
    public let every: [Filter]
    /// The most milliseconds that 95 of 100 may take; nil if there is no limit.
    public let p95Milliseconds: Double?
    /// What must be in the JSON of each response.
    public let json: [JSONExpectation]
    /// Filters that must match exchanges one after another, in this order.
    public let sequence: [Filter]
}

/// Responses that must equal those of a file.
public struct GoldenExpectation: Sendable {
    /// How exchanges are assigned to those of the file.
    public enum Match: String, Sendable, Hashable, CaseIterable {
        /// By their order, method and URL.
        case order
        /// By their requests, compared as for mocks, in any order.
        case key
    }

    public let name: String
    public let line: Int
    /// The path of the golden file, relative to the folder of the assertion file.
    public let file: String
    /// Which exchanges of the scope it is about.
    public let when: Filter
    public let match: Match
    public let masks: GoldenMasks
    public let comparesRequests: Bool
}

/// A number of things that is expected: `2`, `"1..3"`, `">=2"` or `"<=2"`.
public struct CountRange: Sendable, Hashable {
    public let lower: Int
    /// Nil if there is no limit.
    public let upper: Int?

    public static let some = CountRange(lower: 1, upper: nil)

    public init(lower: Int, upper: Int?) {
        self.lower = lower
        self.upper = upper
    }

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

    public var tomlText: String {
        guard let upper else { return "\">=\(lower)\"" }
        if lower == upper { return String(lower) }
        return lower == 0 ? "\"<=\(upper)\"" : "\"\(lower)..\(upper)\""
    }
}

public struct JSONExpectation: Sendable {
    package enum Test: Sendable {
        case equals(JSONValue)
        /// An array, an object or a string of this length.
        case length(CountRange)
        /// A string in which a pattern occurs.
        case matches(TextPattern)
        case exists(Bool)
        case type(JSONTypeName)
    }

    package let path: JSONValuePath
    /// All of them must hold.
    package let tests: [Test]

    /// Describes what is wrong in a document; nil if nothing is.
    /// - Parameter shown: The document without secrets; a value that differs there is reported as a
    ///   secret.
    package func problem(in document: JSONValue, shown: JSONValue?) -> String? {
        let value = document.value(at: path)
        let words = value.map { value in
            shown?.value(at: path)?.canonical == value.canonical ? value.shown : "a secret"
        }
        for test in tests {
            if let problem = test.problem(of: value, words ?? "nothing") {
                return "json \(path): \(problem)"
            }
        }
        return nil
    }
}

/// The types of JSON, as an assertion file names them.
package enum JSONTypeName: String, Sendable, CaseIterable {
    case null, boolean, number, string, array, object

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .number: self = .number
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }
}

/// A regular expression of an assertion file.
package struct TextPattern: Sendable {
    package let text: String
    let regex: LinearRegex

    package init(_ text: String) throws(RegexError) {
        self.text = text
        regex = try LinearRegex(text, ignoresCase: false, isForBodies: false)
    }

    func matches(_ text: String) -> Bool { regex.matches(Array(text.utf8).span) }
}

extension JSONExpectation.Test {
    /// - Parameter words: The value as the message shows it.
    fileprivate func problem(of value: JSONValue?, _ words: String) -> String? {
        if case .exists(let isExpected) = self {
            guard (value != nil) != isExpected else { return nil }
            return isExpected ? "there is no such value" : "there is such a value"
        }
        guard let value else { return "there is no such value" }
        switch self {
        case .equals(let wanted):
            guard value.canonical != wanted.canonical else { return nil }
            return "expected \(wanted.shown), found \(words)"
        case .length(let range):
            guard let length = value.length else {
                return "expected a length of \(range), found \(words)"
            }
            return range.contains(length) ? nil : "expected a length of \(range), found \(length)"
        case .matches(let pattern):
            if case .string(let text) = value, pattern.matches(text) { return nil }
            return "expected text matching \(pattern.text), found \(words)"
        case .type(let name):
            guard JSONTypeName(value) != name else { return nil }
            return "expected \(name.rawValue), found \(words)"
        case .exists: return nil
        }
    }
}

extension JSONValue {
    /// The most characters of a value that a message shows.
    private static let shownCountMax = 80

    /// The form in which equal values are equal: members sorted by name, numbers normalized.
    var canonical: JSONValue {
        switch self {
        case .null, .bool, .string: self
        case .number(let digits): .number(MockNumber.normalised(digits))
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.canonical) }
                    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        }
    }

    /// The number of elements, members or characters; nil for other values.
    fileprivate var length: Int? {
        switch self {
        case .array(let elements): elements.count
        case .object(let members): members.count
        case .string(let text): text.unicodeScalars.count
        case .null, .bool, .number: nil
        }
    }

    /// The value as text, shortened.
    fileprivate var shown: String {
        var bytes: [UInt8] = []
        JSONText.write(self, into: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        let start = text.prefix(JSONValue.shownCountMax)
        return start.count < text.count ? start + "…" : text
    }
}
