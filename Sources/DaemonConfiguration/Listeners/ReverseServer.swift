/// The server behind a reverse listener: `https://HOST[:PORT][/PREFIX]`.
package struct ReverseServer: Sendable, Hashable {
    /// Whether the connection to the server uses TLS.
    package let isSecure: Bool
    /// A name in lower case, or an address without brackets.
    package let host: String
    /// The port of the server.
    package let port: UInt16
    /// The prefix of every request's path: empty, or `/…` without a slash at the end.
    package let prefix: String

    /// Parses `http://…` or `https://…`; nil for anything else.
    package init?(url: String) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "http": self.init(parts[1], isSecure: false)
        case "https": self.init(parts[1], isSecure: true)
        default: return nil
        }
    }

    /// Parses `HOST[:PORT][/PREFIX]`; nil for anything else.
    init?(_ text: Substring, isSecure: Bool) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        var prefix = text[slash...]
        while prefix.last == "/" { prefix.removeLast() }
        guard let (host, port) = Self.hostAndPort(text[..<slash]),
            prefix.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && !"?#".utf8.contains($0) })
        else { return nil }
        self.isSecure = isSecure
        self.host = host
        self.port = port ?? Self.defaultPort(isSecure)
        self.prefix = String(prefix)
    }

    /// The server without the scheme: `HOST[:PORT][/PREFIX]`.
    package var place: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return shown + (port == Self.defaultPort(isSecure) ? "" : ":\(port)") + prefix
    }

    /// `https://HOST[:PORT][/PREFIX]`.
    package var url: String { (isSecure ? "https://" : "http://") + place }

    private static func defaultPort(_ isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    private static func hostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), text.last != "]" {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else {
                return nil
            }
            port = number
            host = text[..<colon]
        }
        guard host.first == "[" || host.last == "]" else {
            return HostText.isName(host) ? (host.lowercased(), port) : nil
        }
        let address = String(host.dropFirst().dropLast())
        guard host.first == "[", host.last == "]", address.contains(":"),
            let network = IPNetwork(address), network.prefixBitCount == 128
        else { return nil }
        return (address, port)
    }
}

/// Checks the characters of host names.
enum HostText {
    /// Whether the text contains only characters of DNS names and IPv4 addresses.
    static func isName(_ text: some StringProtocol) -> Bool {
        let isMadeOfNames = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isMadeOfNames && !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 253
    }
}
