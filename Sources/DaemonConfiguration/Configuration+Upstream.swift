package import ProxydConfigurationText
internal import ProxydHTTPModel

extension Configuration {
    /// A `[[upstream]]` table, or a proxy of the environment.
    package struct Upstream: Sendable, Equatable {
        package enum Requests: Sendable, Equatable {
            case all
            /// Only requests without TLS.
            case plain
            /// Only TLS and tunnels.
            case secured
        }

        /// The name, which rules may use.
        package var name: String
        package var url: UpstreamURL
        /// The user name, if the proxy asks for one.
        package var user: String?
        package var passwordFile: String?
        package var password: Secret?
        /// The servers that are reached through it.
        package var hosts: [HostPattern]
        /// The servers among these that are not.
        package var exceptions: [BypassPattern] = []
        /// The version of the PROXY header that names the client; nil to send none.
        package var headerVersion: Int?
        package var requests = Requests.all

        package func takes(host: String, port: UInt16, isPlain: Bool) -> Bool {
            switch requests {
            case .all: break
            case .plain: guard isPlain else { return false }
            case .secured: guard !isPlain else { return false }
            }
            return hosts.contains { $0.matches(host: host, port: port) }
                && !exceptions.contains { $0.matches(host: host, port: port) }
        }
    }

    /// A text that is not shown.
    package struct Secret: Sendable, Equatable, CustomStringConvertible {
        package let text: String

        package init(_ text: String) { self.text = text }

        package var description: String { "…" }
    }
}

extension Configuration.Upstream {
    /// Reads a table; nil if it has a mistake, which is reported.
    static func read(_ table: inout TableReader) -> Configuration.Upstream? {
        let name = RouteName.read(&table, or: "an upstream proxy needs a name")
        let url = table.required("url", as: UpstreamURL.self, or: "an upstream proxy needs a url")
        let user = table.value("user", as: String.self)
        let passwordFile = table.value("password_file", as: String.self)
        let password = table.secret("password_file", in: passwordFile)
        let hosts = table.value("hosts", as: [HostPattern].self)
        let exceptions = table.value("except", as: [BypassPattern].self)
        let version = table.headerVersion()
        checkCredentials(table, url, user)
        table.finish()
        guard let name, let url else { return nil }
        return Configuration.Upstream(
            name: name, url: url, user: user, passwordFile: passwordFile, password: password,
            hosts: hosts ?? HostPattern.all, exceptions: exceptions ?? [], headerVersion: version)
    }

    private static func checkCredentials(
        _ table: TableReader, _ url: UpstreamURL?, _ user: String?
    ) {
        if table.has("password_file"), !table.has("user") {
            table.report("password_file also needs user", at: "password_file")
        }
        if url?.scheme == .socks4a {
            if table.has("password_file") {
                table.report("SOCKS 4 has no passwords: omit password_file", at: "password_file")
            }
        } else if table.has("user"), !table.has("password_file") {
            table.report("user also needs password_file", at: "user")
        }
        guard let user else { return }
        let isPrintable = user.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if user.isEmpty || !isPrintable || user.utf8.count > 255 || user.contains(":") {
            table.report("user: expected 1 to 255 bytes of text without a colon", at: "user")
        }
    }

    /// The proxy as an inline table, without its password.
    package var tomlText: String {
        var members = [("name", name.tomlText), ("url", url.tomlText)]
        if let user { members.append(("user", user.tomlText)) }
        if let passwordFile { members.append(("password_file", passwordFile.tomlText)) }
        members.append(("hosts", hosts.tomlText))
        if !exceptions.isEmpty { members.append(("except", exceptions.tomlText)) }
        if let headerVersion { members.append(("send_proxy_protocol", String(headerVersion))) }
        return "{ " + members.map { "\($0) = \($1)" }.joined(separator: ", ") + " }"
    }
}

/// Names of upstream proxies and client certificates.
enum RouteName {
    /// Reads the name of a table; nil if it has a mistake, which is reported.
    static func read(_ table: inout TableReader, or message: String) -> String? {
        guard let name = table.required("name", as: String.self, or: message) else { return nil }
        let isWord = name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isWord, !name.isEmpty, name.utf8.count <= 100 else {
            table.report("name: expected 1 to 100 bytes without spaces", at: "name")
            return nil
        }
        guard name != "direct" else {
            table.report("name: \"direct\" means no proxy in rules", at: "name")
            return nil
        }
        return name
    }
}

extension HostPattern {
    static let all = (try? HostPattern("*")).map { [$0] } ?? []
}

extension TableReader {
    /// The form of the PROXY header to send; nil to send none.
    mutating func headerVersion() -> Int? {
        let version = value("send_proxy_protocol", as: Int.self)
        if let version, version != 1, version != 2 {
            report("send_proxy_protocol: expected 1 or 2", at: "send_proxy_protocol")
        }
        return version
    }

    /// The password in the private file that a key names.
    func secret(_ key: String, in path: String?) -> Configuration.Secret? {
        guard let path else { return nil }
        do {
            return Configuration.Secret(try SecretFile.password(in: path))
        } catch {
            report("\(key): \(error.message)", at: key)
            return nil
        }
    }
}

/// The URL of an upstream proxy: `http://HOST:PORT`.
package struct UpstreamURL: Sendable, Hashable {
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http, https, socks5, socks4a

        var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5, .socks4a: 1_080
            }
        }
    }

    package let scheme: Scheme
    /// A name in lower case, or an address without brackets.
    package let host: String
    package let port: UInt16

    /// Parses a URL; nil for anything else. A user name is not accepted: it has a key of its own,
    /// and a password must not be in the configuration.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
            return nil
        }
        var place = parts[1]
        if place.last == "/" { place.removeLast() }
        let isSecure = scheme == .https
        let server = ReverseServer(place, isSecure: isSecure)
        guard let server, server.prefix.isEmpty, !place.contains("/") else { return nil }
        let hasPort = place.last != "]" && place.contains(":")
        self.scheme = scheme
        host = server.host
        port = hasPort ? server.port : scheme.defaultPort
    }

    package var text: String {
        "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

extension UpstreamURL: ConfigurationStringValue {
    package static var expectation: String {
        "http://HOST:PORT, or the same with https, socks5 or socks4a, and without a user name"
    }
    package static func read(_ text: String) -> UpstreamURL? { UpstreamURL(text) }
}

/// The upstream proxies that the environment names, as most programs read it.
package enum EnvironmentUpstreams {
    /// The proxies of `http_proxy`, `https_proxy` and `all_proxy`, without the servers of
    /// `no_proxy`; lower case takes precedence over upper case.
    /// - Throws: each variable that cannot be used, without its value, which may have a password.
    package static func read(
        _ variables: [String: String]
    ) throws(ConfigurationError) -> [Configuration.Upstream] {
        var problems: [ConfigurationProblem] = []
        var upstreams: [Configuration.Upstream] = []
        // HTTP_PROXY may be a field of a CGI request (CVE-2016-5385).
        func text(_ name: String) -> String? {
            let upper = name == "http_proxy" ? nil : variables[name.uppercased()]
            return (variables[name] ?? upper).flatMap { $0.isEmpty ? nil : $0 }
        }
        let exceptions = (text("no_proxy") ?? "")
            .split { $0 == "," || $0.isWhitespace }
            .compactMap { try? BypassPattern(String($0)) }
        for (name, requests) in [
            ("http_proxy", Configuration.Upstream.Requests.plain), ("https_proxy", .secured),
        ] {
            guard let value = text(name) ?? text("all_proxy") else { continue }
            guard var upstream = upstream(value, name) else {
                problems.append(
                    ConfigurationProblem(
                        location: text(name) == nil ? "all_proxy" : name,
                        message: "expected \(UpstreamURL.expectation), or with USER:PASSWORD@"))
                continue
            }
            upstream.exceptions = exceptions
            upstream.requests = requests
            upstreams.append(upstream)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return upstreams
    }

    private static func upstream(_ value: String, _ name: String) -> Configuration.Upstream? {
        let parts = value.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let isWhole = parts.count == 2
        var scheme = isWhole ? parts[0].lowercased() : "http"
        if scheme == "socks5h" || scheme == "socks" { scheme = "socks5" }
        var place = isWhole ? parts[1] : value[...]
        var user: String?
        var password: Configuration.Secret?
        if let at = place.lastIndex(of: "@") {
            let credential = place[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = decoded(credential[0])
            password = credential.count > 1 ? Configuration.Secret(decoded(credential[1])) : nil
            place = place[place.index(after: at)...]
        }
        guard let url = UpstreamURL("\(scheme)://\(place)") else { return nil }
        return Configuration.Upstream(
            name: name, url: url, user: user, password: password, hosts: HostPattern.all)
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decoded(text.utf8).bytes, as: UTF8.self)
    }
}
