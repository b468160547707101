/// A value that is written as one TOML string.
public protocol ConfigurationStringValue: ConfigurationValue {
    /// A readable description of what is expected, such as `an address such as …`.
    static var expectation: String { get }
    /// Parses the text of the string, or returns nil if it is not valid.
    static func read(_ text: String) throws(ConfigurationValueError) -> Self?
    /// The text that parses as this value.
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

    /// Parses text without quotes, for example from the command line.
    public static func value(_ text: String) throws(ConfigurationValueError) -> Self {
        guard let value = try read(text) else {
            throw ConfigurationValueError("expected \(expectation), found \"\(text)\"")
        }
        return value
    }

    /// The text in quotes.
    public var tomlText: String { text.tomlText }
}

/// A value that is one of a fixed set of strings.
public protocol ConfigurationChoice: ConfigurationStringValue, RawRepresentable, CaseIterable
where RawValue == String {}

extension ConfigurationChoice {
    /// All allowed strings.
    public static var expectation: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
    /// The choice with this name.
    public static func read(_ text: String) -> Self? { Self(rawValue: text) }
    /// The name of the choice.
    public var text: String { rawValue }
}
