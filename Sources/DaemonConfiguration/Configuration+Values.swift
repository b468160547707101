public import ProxydConfigurationText
public import Logging
public import ProxydTLS

extension HostPattern: ConfigurationStringValue {
    /// What is expected.
    package static var expectation: String { "a host pattern" }
    /// Reads one.
    package static func read(_ text: String) throws(ConfigurationValueError) -> HostPattern? {
        try HostPattern(text)
    }
}

extension IPNetwork: ConfigurationStringValue {
    /// What is expected.
    package static var expectation: String { "an address or ADDRESS/BITS" }
    /// Reads one.
    package static func read(_ text: String) -> IPNetwork? { IPNetwork(text) }
    /// As the configuration writes it.
    package var text: String { description }
}

extension PortRange: ConfigurationStringValue {
    /// What is expected.
    package static var expectation: String { "a port or FIRST-LAST, from 1 to 65535" }
    /// Reads one.
    package static func read(_ text: String) -> PortRange? { PortRange(text) }
}

extension ListenAddress: ConfigurationStringValue {
    /// What is expected.
    package static var expectation: String { "ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080" }
    /// Reads one.
    package static func read(_ text: String) -> ListenAddress? { ListenAddress(text) }
}

extension ListenEntry: ConfigurationStringValue {
    /// What is expected.
    package static var expectation: String { ListenAddress.expectation }
    /// Reads one.
    package static func read(_ text: String) throws(ConfigurationValueError) -> ListenEntry? {
        try ListenEntry(text)
    }
}

extension AuthorityScope: ConfigurationValue {
    /// Reads DNS names.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let names = try [String](toml: node)
        guard let scope = AuthorityScope(names: names) else {
            throw ConfigurationValueError(
                "expected DNS names such as \"example.com\", which stand for the names below them"
                    + " too; no addresses, no \"*\", other alphabets in xn-- form")
        }
        self = scope
    }

    /// The names.
    public var tomlText: String { names.tomlText }
}

extension Logger.Level: ConfigurationChoice {}
extension Configuration.Recording.FullQueuePolicy: ConfigurationChoice {}
extension Configuration.Recording.HTTP2Frames: ConfigurationChoice {}
extension Configuration.Recording.Durability: ConfigurationChoice {}
