package import ProxydConfigurationText

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

    /// The text percent-decoded; invalid escapes are left unchanged.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(truncatingIfNeeded: digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
