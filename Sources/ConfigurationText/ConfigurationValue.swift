/// A type of configuration values, with its conversion from and to TOML.
public protocol ConfigurationValue: Equatable, Sendable {
    /// Reads a value; the error says what was expected.
    init(toml node: TOMLNode) throws(ConfigurationValueError)
    var tomlText: String { get }
}

extension String: ConfigurationValue {
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .string(let found) = node.content else {
            throw ConfigurationValueError("expected a string, found \(node.kind)")
        }
        self = found.text
    }

    public var tomlText: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}

extension Int: ConfigurationValue {
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .integer(let number) = node.content else {
            throw ConfigurationValueError("expected an integer, found \(node.kind)")
        }
        self = number
    }

    public var tomlText: String { String(self) }
}

extension Double: ConfigurationValue {
    /// Reads a number, integer or not.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        switch node.content {
        case .number(let number): self = number
        case .integer(let number): self = Double(number)
        default: throw ConfigurationValueError("expected a number, found \(node.kind)")
        }
    }

    /// The number; an integer without a decimal point.
    public var tomlText: String { Int(exactly: self).map(String.init) ?? String(self) }
}

extension Bool: ConfigurationValue {
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .boolean(let flag) = node.content else {
            throw ConfigurationValueError("expected true or false, found \(node.kind)")
        }
        self = flag
    }

    public var tomlText: String { self ? "true" : "false" }
}

extension Array: ConfigurationValue where Element: ConfigurationValue {
    /// The error is that of the first wrong element.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .array(let nodes) = node.content else {
            throw ConfigurationValueError("expected an array, found \(node.kind)")
        }
        self = []
        for node in nodes {
            do {
                append(try Element(toml: node))
            } catch {
                throw ConfigurationValueError(error.message, at: error.position ?? node.position)
            }
        }
    }

    public var tomlText: String { "[" + map(\.tomlText).joined(separator: ", ") + "]" }
}

/// The empty string means that no value is set.
extension Optional: ConfigurationValue where Wrapped == String {
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let text = try String(toml: node)
        self = text.isEmpty ? nil : text
    }

    public var tomlText: String { (self ?? "").tomlText }
}

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

    public var tomlText: String { text.tomlText }
}

/// A value that is one of a fixed set of strings.
public protocol ConfigurationChoice: ConfigurationStringValue, RawRepresentable, CaseIterable
where RawValue == String {}

extension ConfigurationChoice {
    public static var expectation: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
    public static func read(_ text: String) -> Self? { Self(rawValue: text) }
    public var text: String { rawValue }
}

public struct ConfigurationValueError: Error, Sendable {
    /// One readable line.
    public let message: String
    /// The position of the mistake, if it is not the start of the value.
    public let position: TextPosition?

    public init(_ message: String, at position: TextPosition? = nil) {
        self.message = message
        self.position = position
    }
}
