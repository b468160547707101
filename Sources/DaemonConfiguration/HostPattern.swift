package import ProxydConfigurationText

/// The hosts that a rule applies to.
///
/// `example.com` is only that name; `*.example.com` every name below it; `*` everything;
/// `10.0.0.0/8` or `2001:db8::1` addresses. Each may end in `:PORT` (an IPv6 address is then in
/// brackets). Names are compared without case and without a final dot.
package struct HostPattern: Sendable, Hashable {
    private enum Host: Sendable, Hashable {
        case any
        case name(String)
        case below(dottedSuffix: String)
        case network(IPNetwork)
    }

    private let host: Host
    private let port: UInt16?
    /// The pattern as it was written.
    package let text: String

    /// Parses a pattern; the error says what is wrong with it.
    package init(_ text: String) throws(ConfigurationValueError) {
        let (hostText, portText) = try Self.splitPort(text)
        if let portText {
            guard let port = UInt16(portText), port > 0 else {
                throw ConfigurationValueError(
                    "\"\(text)\" has no port from 1 to 65535 after the colon"
                )
            }
            self.port = port
        } else {
            port = nil
        }
        host = try Self.host(hostText, of: text)
        self.text = text
    }

    /// Whether the pattern matches this host and port. Brackets around an address are allowed.
    package func matches(host candidate: String, port candidatePort: UInt16) -> Bool {
        if let port, port != candidatePort { return false }
        switch host {
        case .any: return true
        case .name(let name): return Self.normalized(candidate) == name
        case .below(let suffix):
            let name = Self.normalized(candidate)
            return name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count
        case .network(let network):
            return network.contains(Self.withoutBrackets(Self.normalized(candidate)))
        }
    }

    private static func splitPort(
        _ text: String
    ) throws(ConfigurationValueError) -> (host: String, port: Substring?) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw ConfigurationValueError("\"\(text)\" has no closing bracket")
            }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw ConfigurationValueError("\"\(text)\" has something other than :PORT after ]")
            }
            let address = String(text[text.index(after: text.startIndex)..<end])
            return (address, rest.isEmpty ? nil : rest.dropFirst())
        }
        // Two or more colons without brackets are an IPv6 address without a port.
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else {
            return (text, nil)
        }
        return (String(text[..<colon]), text[text.index(after: colon)...])
    }

    private static func host(
        _ hostText: String,
        of text: String
    ) throws(ConfigurationValueError) -> Host {
        if hostText == "*" { return .any }
        if let network = IPNetwork(hostText) { return .network(network) }
        let isSuffix = hostText.hasPrefix("*.")
        let name = normalized(isSuffix ? String(hostText.dropFirst(2)) : hostText)
        guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), !name.hasPrefix(".") else {
            throw ConfigurationValueError(
                "\"\(text)\" is not a host pattern: write a name, *.NAME, *, an address or "
                    + "ADDRESS/BITS, each with or without :PORT; other alphabets in xn-- form"
            )
        }
        return isSuffix ? .below(dottedSuffix: "." + name) : .name(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func normalized(_ name: String) -> String {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
