public import ProxydHTTPModel
internal import ProxydHTTPWire
public import FoundationEssentials

public struct ProxySettings: Sendable, Hashable {
    /// The proxy for http URLs, or nil for none.
    public var http: ProxyServer?
    /// The proxy for https URLs, or nil for none.
    public var https: ProxyServer?
    public var bypass: ProxyBypass
    /// A PEM file of certificates to trust in addition to the system's, such as a proxy's own
    /// authority.
    public var authorityPath: String?

    public static let direct = ProxySettings()

    public init(
        http: ProxyServer? = nil, https: ProxyServer? = nil, bypass: ProxyBypass = .none,
        authorityPath: String? = nil
    ) {
        self.http = http
        self.https = https
        self.bypass = bypass
        self.authorityPath = authorityPath
    }

    public init(_ proxy: ProxyServer, bypass: ProxyBypass = .none, authorityPath: String? = nil) {
        self.init(http: proxy, https: proxy, bypass: bypass, authorityPath: authorityPath)
    }

    /// The settings in an environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, or
    /// these in upper case. `HTTP_PROXY` is ignored if `REQUEST_METHOD` is set, because it is then
    /// a field of a CGI request (CVE-2016-5385).
    /// - Throws: what is wrong with the text of a proxy.
    public init(environment: [String: String]) throws(ProxySettingsError) {
        let isGateway = environment["REQUEST_METHOD"] != nil
        func text(_ name: String) -> String? {
            let lower = environment[name]
            let upper = name == "http_proxy" && isGateway ? nil : environment[name.uppercased()]
            return (lower ?? upper).flatMap { $0.isEmpty ? nil : $0 }
        }
        let all = text("all_proxy")
        let http = text("http_proxy") ?? all
        let https = text("https_proxy") ?? all
        self.init(
            http: try http.map(ProxyServer.init), https: try https.map(ProxyServer.init),
            bypass: ProxyBypass(text("no_proxy") ?? ""))
    }

    /// The settings in this process's environment.
    public static func environment() throws(ProxySettingsError) -> ProxySettings {
        try ProxySettings(environment: ProcessInfo.processInfo.environment)
    }

    /// A running proxyd: everything goes through it, and its authority is trusted. The data
    /// directory defaults to the one that `proxyd` and `proxyctl` use.
    public static func proxyd(
        host: String = "127.0.0.1", port: UInt16, dataDirectory: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ProxySettings {
        let directory = dataDirectory ?? ProxySettings.dataDirectory(environment)
        return ProxySettings(
            ProxyServer(.http, host: host, port: port),
            authorityPath: directory.map { $0 + "/ca/ca.pem" })
    }

    /// The proxy for a URL, or nil to connect directly.
    public func proxy(for url: RawURL) -> ProxyServer? {
        guard let proxy = url.scheme == "https" ? https : http,
            !bypass.contains(host: url.host, port: url.port)
        else { return nil }
        return proxy
    }

    private static func dataDirectory(_ environment: [String: String]) -> String? {
        if let path = environment["PROXYD_DATA_DIR"], !path.isEmpty { return path }
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return base + "/proxyd" }
        return environment["HOME"].map { $0 + "/.local/share/proxyd" }
    }
}

/// The servers that are connected to without a proxy: `no_proxy`.
public struct ProxyBypass: Sendable, Hashable {
    private enum Entry: Sendable, Hashable {
        case all
        /// A name and all names below it.
        case name(String, port: UInt16?)
        case address(InternetAddress, port: UInt16?)
        case network(InternetAddress, bitCount: Int)
    }

    private var entries: [Entry]

    public static let none = ProxyBypass("")

    /// Parses a list separated by commas or white space: `*` for everything; a name, with or
    /// without a leading dot or `*.`, for itself and every name below it; an address; or a network
    /// such as `10.0.0.0/8`. A port after a name or address restricts it. Invalid entries are
    /// ignored.
    public init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }.compactMap(ProxyBypass.entry)
    }

    /// Whether a server bypasses the proxy. The host is without brackets.
    public func contains(host: String, port: UInt16) -> Bool {
        var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        if name.hasSuffix(".") { name.removeLast() }
        let address = InternetAddress(name)
        return entries.contains { entry in
            switch entry {
            case .all: true
            case .name(let suffix, let only):
                (only ?? port) == port && (name == suffix || name.hasSuffix("." + suffix))
                    && address == nil
            case .address(let listed, let only): (only ?? port) == port && listed == address
            case .network(let network, let bitCount):
                address?.hasPrefix(of: network, bitCount: bitCount) ?? false
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        let item = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
        if item == "*" { return .all }
        if let slash = item.lastIndex(of: "/") {
            guard let network = InternetAddress(String(item[..<slash])),
                let bitCount = Int(item[item.index(after: slash)...]),
                (0...network.bytes.count * 8).contains(bitCount)
            else { return nil }
            return .network(network, bitCount: bitCount)
        }
        if let address = InternetAddress(item) { return .address(address, port: nil) }
        return entryWithPort(item)
    }

    private static func entryWithPort(_ item: String) -> Entry? {
        var host = item[...]
        var port: UInt16?
        if let colon = item.lastIndex(of: ":"), item.last != "]" {
            guard let number = UInt16(item[item.index(after: colon)...]) else { return nil }
            port = number
            host = item[..<colon]
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        if let address = InternetAddress(String(host)) { return .address(address, port: port) }
        if host.hasPrefix("*") { host = host.dropFirst() }
        if host.hasPrefix(".") { host = host.dropFirst() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.isEmpty ? nil : .name(String(host), port: port)
    }
}

/// A proxy: its protocol, its location and the credentials for it.
public struct ProxyServer: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Absolute-form requests for http, CONNECT for https (RFC 9110 §7.6, §9.3.6).
        case http
        /// SOCKS 5 with addresses that are resolved locally (RFC 1928).
        case socks5
        /// SOCKS 5 with names that the proxy resolves.
        case socks5h

        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .socks5, .socks5h: 1_080
            }
        }
    }

    public var kind: Kind
    /// A name or an address, without brackets.
    public var host: String
    public var port: UInt16
    /// The credential for the proxy, or nil for none.
    public var credential: Credential?

    public init(
        _ kind: Kind = .http, host: String, port: UInt16? = nil, credential: Credential? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port ?? kind.defaultPort
        self.credential = credential
    }

    /// Parses `[scheme://][user[:password]@]host[:port]` with an optional slash at the end; without
    /// a scheme it is `http`. Name and password are percent-decoded.
    public init(_ text: String) throws(ProxySettingsError) {
        self = try ProxyServerReader.read(text)
    }

    /// The URL without the password.
    public var description: String {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(kind.rawValue)://\(credential == nil ? "" : "***@")\(shown):\(port)"
    }

    /// The proxy's own URL, which its credentials belong to.
    public var url: RawURL {
        RawURL(scheme: "http", host: host, port: port, origin: [UInt8(ascii: "/")])
    }
}

/// Parses a proxy in the format of environment variables.
enum ProxyServerReader {
    static func read(_ text: String) throws(ProxySettingsError) -> ProxyServer {
        var rest = text[...]
        var kind = ProxyServer.Kind.http
        if let end = text.firstRange(of: "://") {
            let scheme = String(
                decoding: text[..<end.lowerBound].utf8.map(ASCII.lowercased), as: UTF8.self)
            // Most programs treat `socks` and `socks5` the same.
            let name = scheme == "socks" ? "socks5" : scheme
            guard let known = ProxyServer.Kind(rawValue: name) else { throw .unsupportedScheme }
            kind = known
            rest = text[end.upperBound...]
        }
        var credential: Credential?
        if let at = rest.lastIndex(of: "@") {
            credential = self.credential(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else { throw .unexpectedPath }
        let (host, port) = try hostAndPort(rest)
        return ProxyServer(kind, host: host, port: port, credential: credential)
    }

    private static func credential(_ text: Substring) -> Credential {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return .password(
            user: decoded(parts[0]), password: parts.count > 1 ? decoded(parts[1]) : "")
    }

    private static func hostAndPort(
        _ text: Substring
    ) throws(ProxySettingsError) -> (String, UInt16?) {
        var hostEnd = text.lastIndex(of: ":") ?? text.endIndex
        var host = text[..<hostEnd]
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw .badHost }
            host = text[text.index(after: text.startIndex)..<close]
            hostEnd = text.index(after: close)
            guard InternetAddress(String(host))?.bytes.count == 16 else { throw .badHost }
        } else {
            guard host.utf8.allSatisfy(isNameByte) else { throw .badHost }
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { throw .badHost }
        let tail = text[hostEnd...]
        guard tail.first == ":" || tail.isEmpty else { throw .badHost }
        let digits = tail.dropFirst()
        guard !digits.isEmpty else { return (String(host), nil) }
        guard digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(digits), port > 0
        else { throw .badPort }
        return (String(host), port)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
    }

    private static func decoded(_ text: Substring) -> String {
        ASCII.text(PercentEncoding.decoded(text.utf8).bytes)
    }
}

/// Why a proxy's text cannot be used. Contains nothing of the text, which may include a password.
public enum ProxySettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A scheme other than http, socks5 and socks5h.
    case unsupportedScheme
    case badHost
    /// The port is not a number from 1 to 65535.
    case badPort
    /// There is text after the port.
    case unexpectedPath

    public var description: String {
        switch self {
        case .unsupportedScheme: "a proxy's scheme is http, socks5 or socks5h"
        case .badHost: "a proxy needs a host"
        case .badPort: "a proxy's port is a number from 1 to 65535"
        case .unexpectedPath: "a proxy has no path"
        }
    }
}
