/// A value that is written as one TOML string.
public protocol ConfigurationStringValue: ConfigurationValue {
    /// What is expected, for a person: `an address such as …`.
    static var expectation: String { get }
    /// Reads the string's text; nil where it is no such value.
    static func read(_ text: String) throws(ConfigurationValueError) -> Self?
    /// The text that reads as this value.
    var text: String { get }
}

extension ConfigurationStringValue {
    /// Reads a string.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .string(let found) = node.content else {
            throw ConfigurationValueError("expected \(Self.expectation), found \(node.kind)")
        }
        self = try Self.value(found.text)
    }

    /// Reads a text that stands for itself, on the command line for example.
    public static func value(_ text: String) throws(ConfigurationValueError) -> Self {
        guard let value = try read(text) else {
            throw ConfigurationValueError("expected \(expectation), found \"\(text)\"")
        }
        return value
    }

    /// The text in quotes.
    public var tomlText: String { text.tomlText }
}

/// A string of a few that are allowed.
public protocol ConfigurationChoice: ConfigurationStringValue, RawRepresentable, CaseIterable
where RawValue == String {}

extension ConfigurationChoice {
    /// All there are.
    public static var expectation: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
    /// The choice of that name.
    public static func read(_ text: String) -> Self? { Self(rawValue: text) }
    /// Its name.
    public var text: String { rawValue }
}
