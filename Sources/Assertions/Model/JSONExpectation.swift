internal import ProxydExchangeContent
package import ProxydFilter
internal import ProxydInterchange
package import ProxydParameterCoding
internal import ProxydRules

/// What is expected of a value in JSON.
public struct JSONExpectation: Sendable {
    /// What a value must be.
    package enum Test: Sendable {
        /// Equal to a value.
        case equals(JSONValue)
        /// An array, an object or a string of this length.
        case length(CountRange)
        /// A string in which a pattern occurs.
        case matches(TextPattern)
        /// There, or not there.
        case exists(Bool)
        /// Of a type.
        case type(JSONTypeName)
    }

    /// Where the value is.
    package let path: JSONValuePath
    /// What it must be; all of it.
    package let tests: [Test]

    /// What is wrong in a document; nil if nothing is.
    /// - Parameter shown: The document without secrets; what differs there is not told.
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
    /// - Parameter words: The value as it is told.
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
            return range.contains(length)
                ? nil : "expected a length of \(range), found \(length)"
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

    /// The value in the form in which equal values are equal: members sorted by name, numbers
    /// normalized.
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
