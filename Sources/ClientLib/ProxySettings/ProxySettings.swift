public import FoundationEssentials
public import ProxydHTTPModel

/// The proxies of a session.
public struct ProxySettings: Sendable, Hashable {
    /// The proxy for http URLs, or nil for none.
    public var http: ProxyServer?
    /// The proxy for https URLs, or nil for none.
    public var https: ProxyServer?
    /// The servers that are connected to without a proxy.
    public var bypass: ProxyBypass
    /// A PEM file of certificates to trust in addition to the system's, such as a proxy's own
    /// authority.
    public var authorityPath: String?

    /// No proxy.
    public static let direct = ProxySettings()

    /// Proxies for the two schemes.
    public init(
        http: ProxyServer? = nil, https: ProxyServer? = nil, bypass: ProxyBypass = .none,
        authorityPath: String? = nil
    ) {
        self.http = http
        self.https = https
        self.bypass = bypass
        self.authorityPath = authorityPath
    }

    /// One proxy for all URLs.
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
