import ClientLib
import ProxyLib
import ProxydClientTestSupport
import ProxydTLS
import ProxydTestSupport
import Testing

/// A server on loopback, a proxy, and a client that uses it and trusts its authority.
final class World: Sendable {
    let server: ScriptedServer
    let proxy: Proxy
    let session: Session
    /// The exchanges that the proxy handed over.
    let exchanges = Collector<Exchange>()
    private let isSecure: Bool
    private let folder: ScratchFolder

    /// - Parameter isSecure: Whether the server speaks TLS, with a certificate that the proxy and
    ///   the client trust.
    init(
        isSecure: Bool = false, _ configure: (inout ProxyConfiguration) throws -> Void
    ) async throws {
        self.isSecure = isSecure
        folder = try ScratchFolder()
        let servers = folder.path
        let authority = try CertificateAuthority.loadOrCreate(in: servers)
        let tls = try LeafCertificateCache(authority: authority).serverContext(for: "127.0.0.1")
        server = try ScriptedServer(tls: isSecure ? tls : nil) { _ in
            ScriptedServer.response(200, "hello")
        }
        var configuration = ProxyConfiguration(authorityDirectory: folder.path + "/proxy")
        let trusted = CertificateAuthority.certificatePath(in: servers)
        configuration.trustedCertificateFiles = [trusted]
        configuration.onExchange = { [exchanges] in exchanges.add($0) }
        try configure(&configuration)
        proxy = try Proxy(configuration)
        var client = SessionConfiguration()
        client.trustedAuthorities = .files([trusted, proxy.authorityPath])
        client.proxy = ProxySettings(ProxyServer(host: "127.0.0.1", port: proxy.port))
        session = Session(configuration: client)
    }

    func url(_ path: String) -> String {
        "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)\(path)"
    }

    func get(_ path: String) -> DataTask<String> {
        session.request(url(path)).serializingString()
    }

    /// Ends the client's connections and the proxy.
    func stop() async {
        session.shutdown()
        await proxy.stop()
    }
}

/// Adds a header to each message to or from a host, or all.
struct HeaderAdder: TrafficHandler {
    var host: String?
    var value: String?

    func handles(host: String) -> Bool { self.host.map { $0 == host } ?? true }

    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
        request.fields["X-Request"] = value ?? "\(request.id) from \(request.clientAddress)"
        return .pass
    }

    func response(
        _ response: inout ProxiedResponse, to request: ProxiedRequest
    ) async -> TrafficVerdict {
        #expect(request.fields["X-Request"] != nil)
        response.fields["X-Response"] = "changed"
        return .pass
    }
}

/// Replaces bodies by the same text in upper case.
struct UpperCaser: TrafficHandler {
    /// The largest body of a request that is read.
    var requestByteCountMax = 1 << 20

    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
        if case .unread = request.body { return .readBody(byteCountMax: requestByteCountMax) }
        if let bytes = request.body.bytes {
            request.body = .whole(Array(String(decoding: bytes, as: UTF8.self).uppercased().utf8))
        }
        return .pass
    }

    func response(
        _ response: inout ProxiedResponse, to request: ProxiedRequest
    ) async -> TrafficVerdict {
        if case .unread = response.body { return .readBody(byteCountMax: 1 << 20) }
        if let bytes = response.body.bytes {
            response.body = .whole(Array(String(decoding: bytes, as: UTF8.self).uppercased().utf8))
        }
        return .pass
    }
}

/// Decides the same for every request.
struct Fixed: TrafficHandler {
    let verdict: TrafficVerdict

    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict { verdict }
}

/// Sends requests to 127.0.0.1.
struct Redirecting: TrafficHandler {
    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
        let url = request.url
        request.url = RawURL(
            scheme: url.scheme, host: "127.0.0.1", port: url.port, origin: url.origin)
        return .pass
    }
}

/// Waits until it is cancelled.
struct Waiting: TrafficHandler {
    let began = Gate()
    let ended = Gate()

    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
        began.open()
        try? await Task.sleep(for: .seconds(3_600))
        ended.open()
        return .pass
    }
}
