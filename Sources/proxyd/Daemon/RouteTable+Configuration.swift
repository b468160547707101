internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydTLS
internal import ProxydTransport

extension RouteTable {
    /// Creates the table of a configuration; nil if it has neither upstream proxies nor client
    /// certificates.
    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init?(
        _ configuration: Configuration, environment: [String: String]
    ) throws(ConfigurationError) {
        let upstreams = try configuration.allUpstreams(environment)
        let certificates = configuration.clientCertificates
        guard !upstreams.isEmpty || !certificates.isEmpty else { return nil }
        self.init()
        let proxies = upstreams.map { ($0, UpstreamProxy($0, configuration.tls)) }
        upstream = { host, port, isPlain in
            proxies.first { $0.0.takes(host: host, port: port, isPlain: isPlain) }?.1
        }
        upstreamNamed = { name in proxies.first { $0.0.name == name }?.1 }
        certificate = { host, port in
            certificates.first { $0.isFor(host: host, port: port) }?.identity
        }
        certificateNamed = { name in certificates.first { $0.name == name }?.identity }
    }
}

extension Configuration {
    /// The configured upstream proxies, followed by those from the environment if they are used.
    func allUpstreams(
        _ environment: [String: String]
    ) throws(ConfigurationError) -> [Configuration.Upstream] {
        guard forwarding.takesUpstreamFromEnvironment else { return upstreams }
        return upstreams + (try EnvironmentUpstreams.read(environment))
    }
}

extension UpstreamProxy {
    /// Creates the proxy that an `[[upstream]]` table describes.
    fileprivate convenience init(_ upstream: Configuration.Upstream, _ tls: Configuration.TLS) {
        let url = upstream.url
        let kind: Kind =
            switch url.scheme {
            case .http: .http
            case .https: .https
            case .socks5: .socks5
            case .socks4a: .socks4a
            }
        self.init(
            name: upstream.name, kind: kind, host: url.host, port: url.port,
            password: upstream.user.map {
                ProxyPassword(user: $0, password: upstream.password?.text ?? "")
            },
            headerVersion: upstream.headerVersion.flatMap(PROXYVersion.init),
            isVerified: tls.verifies(host: url.host, port: url.port))
    }
}
