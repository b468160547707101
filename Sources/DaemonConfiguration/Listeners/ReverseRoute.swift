package import ProxydConfigurationText
internal import ProxydHTTPModel
package import ProxydTLS
internal import Glibc

/// Where a reverse listener forwards requests to, and how clients connect to it.
package struct ReverseRoute: Sendable, Hashable {
    /// The value of `Host` for the server.
    package enum HostField: Sendable, Hashable {
        /// The server's own name.
        case change
        /// The value that the client sent.
        case keep
        /// A name that the user has chosen.
        case name(String)
    }

    package enum ClientTLS: Sendable, Hashable {
        /// A certificate of this proxy's authority for the name that the client requests, or for
        /// `names` if it requests none.
        case authority(names: [String])
        /// The user's own certificate; absolute paths of PEM files.
        case files(certificate: String, key: String)
    }

    package var server: ReverseServer
    package var hostField = HostField.change
    /// TLS with clients, or nil for plain HTTP.
    package var clientTLS: ClientTLS?
    /// Whether references to the server in responses are replaced by references to this proxy.
    package var rewritesBack = true
    /// Whether references to this proxy in requests are replaced by references to the server; nil
    /// where that follows from `hostField`.
    package var rewritesRequests: Bool?
    /// The form of the PROXY header that names the client to the server, 1 or 2; nil to send none.
    package var headerVersion: Int?

    package init(to server: ReverseServer, clientTLS: ClientTLS? = nil) {
        self.server = server
        self.clientTLS = clientTLS
    }
}

/// The server behind a reverse listener: `https://HOST[:PORT][/PREFIX]`.
package struct ReverseServer: Sendable, Hashable {
    package let isSecure: Bool
    /// A name in lower case, or an address without brackets.
    package let host: String
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
    package var authority: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return shown + (port == Self.defaultPort(isSecure) ? "" : ":\(port)") + prefix
    }

    /// `https://HOST[:PORT][/PREFIX]`.
    package var url: String { (isSecure ? "https://" : "http://") + authority }

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
        let isMadeOfNames = text.utf8.allSatisfy {
            ASCII.isAlphanumeric($0) || "-._".utf8.contains($0)
        }
        return isMadeOfNames && !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 253
    }
}

/// The user's own certificate for a reverse listener.
package enum ReverseCertificate {
    /// Reads a certificate, those to send along, and the key.
    /// - Throws: what is wrong with which file.
    package static func load(
        certificate: String, key: String
    ) throws(ConfigurationValueError) -> TLSServerContext {
        let certificates = try contents(of: certificate)
        let privateKey = try contents(of: key)
        do {
            return try TLSServerContext(
                name: certificate, certificatesPEM: certificates, privateKeyPEM: privateKey)
        } catch {
            throw ConfigurationValueError("\(certificate) and \(key): \(error.message)")
        }
    }

    private static func contents(of path: String) throws(ConfigurationValueError) -> [UInt8] {
        do {
            return Array(try ConfigurationFile.contents(of: path).utf8)
        } catch {
            throw ConfigurationValueError("cannot read \(path)")
        }
    }
}

/// The keys of a `[[listener]]` table that only the mode reverse has.
struct ReverseKeys {
    private let server: ReverseServer?
    private let host: ReverseRoute.HostField?
    private let hasTLS: Bool?
    private let names: [String]?
    private let certificate: String?
    private let key: String?
    private let rewritesBack: Bool?
    private let rewritesRequests: Bool?
    private let headerVersion: Int?

    private static let all = [
        "to", "host", "tls", "names", "certificate", "key", "rewrite_back", "rewrite_requests",
        "send_proxy_protocol",
    ]

    /// Reads the keys; reports mistakes in single keys.
    init(_ table: inout TableReader) {
        server = table.value("to")
        host = table.value("host")
        hasTLS = table.value("tls")
        names = table.value("names")
        certificate = table.value("certificate")
        key = table.value("key")
        rewritesBack = table.value("rewrite_back")
        rewritesRequests = table.value("rewrite_requests")
        headerVersion = table.headerVersion()
    }

    /// Reports these keys in a table of another mode.
    func refuse(_ table: TableReader) {
        for name in Self.all where table.has(name) {
            table.report("\(name) is only for mode = \"reverse\"", at: name)
        }
    }

    /// The route from these keys, or nil if the server is missing or wrong. Reports contradictions.
    func route(_ table: TableReader) -> ReverseRoute? {
        if !table.has("to") {
            table.report(
                "mode = \"reverse\" needs a server: to = \"https://HOST\"", at: "mode")
        }
        checkTLS(table)
        guard let server else { return nil }
        var route = ReverseRoute(to: server)
        route.hostField = host ?? .change
        route.rewritesBack = rewritesBack ?? true
        route.rewritesRequests = rewritesRequests
        route.headerVersion = headerVersion
        if let certificate, let key {
            checkCertificate(certificate, key, table)
            route.clientTLS = .files(certificate: certificate, key: key)
        } else if hasTLS ?? (names != nil) {
            route.clientTLS = .authority(names: names ?? [])
        }
        return route
    }

    /// Files that cannot be used would otherwise be noticed only when the daemon starts.
    private func checkCertificate(_ certificate: String, _ key: String, _ table: TableReader) {
        guard certificate.hasPrefix("/"), key.hasPrefix("/") else { return }
        do {
            _ = try ReverseCertificate.load(certificate: certificate, key: key)
        } catch {
            table.report("certificate: \(error.message)", at: "certificate")
        }
    }

    private func checkTLS(_ table: TableReader) {
        for (one, other) in [("certificate", "key"), ("key", "certificate")]
        where table.has(one) && !table.has(other) {
            table.report("\(one) also needs \(other)", at: one)
        }
        for (name, path) in [("certificate", certificate), ("key", key)] {
            guard let path else { continue }
            do {
                try ConfigurationKey.requireAbsolute(path)
            } catch {
                table.report("\(name): \(error.message)", at: name)
            }
        }
        for name in names ?? [] where !HostText.isName(name) {
            table.report("names: \"\(name)\" is not a DNS name", at: "names")
        }
        if table.has("names"), table.has("certificate") {
            table.report(
                "names are for certificates of proxyd's own authority: omit them with "
                    + "certificate", at: "names")
        }
        guard hasTLS == false else { return }
        for name in ["names", "certificate"] where table.has(name) {
            table.report("\(name) has no meaning with tls = false", at: name)
        }
    }
}

extension ReverseServer: ConfigurationStringValue {
    package static var expectation: String { "https://HOST, with or without :PORT and /PREFIX" }
    package static func read(_ text: String) -> ReverseServer? { ReverseServer(url: text) }
    package var text: String { url }
}

extension ReverseRoute.HostField: ConfigurationStringValue {
    package static var expectation: String {
        "\"change\", \"keep\" or a host with or without :PORT"
    }
    package static func read(_ text: String) -> Self? {
        switch text {
        case "change": .change
        case "keep": .keep
        default: isHost(text) ? .name(text) : nil
        }
    }
    private static func isHost(_ text: String) -> Bool {
        !text.contains("/") && ReverseServer(text[...], isSecure: true) != nil
    }
    package var text: String {
        switch self {
        case .change: "change"
        case .keep: "keep"
        case .name(let name): name
        }
    }
}

extension ReverseRoute {
    var tomlMembers: [(String, String)] {
        var members = [("to", server.tomlText), ("host", hostField.tomlText)]
        switch clientTLS {
        case nil: members.append(("tls", "false"))
        case .authority(let names): members += [("tls", "true"), ("names", names.tomlText)]
        case .files(let certificate, let key):
            members += [("certificate", certificate.tomlText), ("key", key.tomlText)]
        }
        members.append(("rewrite_back", rewritesBack.tomlText))
        if let rewritesRequests { members.append(("rewrite_requests", rewritesRequests.tomlText)) }
        if let headerVersion { members.append(("send_proxy_protocol", String(headerVersion))) }
        return members
    }
}
