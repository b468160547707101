internal import ProxydCivilTime
internal import ProxydEventLoops
@_exported public import ProxydHTTPModel
internal import ProxydProxyEngine
internal import ProxydTLS
internal import Glibc
internal import Synchronization

/// An HTTP proxy within a program: it intercepts TLS, lets a handler change what passes, and hands
/// over each exchange when it has ended.
///
/// It serves on threads of its own until `stop()`, even if no reference to it is left.
public final class Proxy: Sendable {
    /// The port that clients connect to.
    public let port: UInt16
    /// The PEM file with the certificate that clients must trust for intercepted HTTPS.
    public let authorityPath: String

    private let engine: ProxyEngine
    private let group: EventLoopGroup
    /// Keeps proxies alive until they are stopped: their connections refer to them.
    private static let running = Mutex<[ObjectIdentifier: Proxy]>([:])

    /// Starts a proxy. Reads files, and creates a certificate authority if there is none: this may
    /// take a tenth of a second.
    public init(_ configuration: ProxyConfiguration) throws(ProxyStartError) {
        let directory = configuration.authorityDirectory
        guard let address = SocketAddress(ip: configuration.address, port: configuration.port)
        else {
            throw ProxyStartError(
                kind: .address, message: "\(configuration.address) is not an IP address")
        }
        // If this fails, the authority's error says why.
        _ = mkdir(directory, 0o700)
        let authority = try ProxyStartError.wrap(.authority) {
            () throws(CertificateAuthorityError) in
            try CertificateAuthority.loadOrCreate(in: directory)
        }
        let (leaves, context) = try ProxyStartError.wrap(.certificates) { () throws(TLSError) in
            (
                try LeafCertificateCache(authority: authority),
                try TLSClientContext(
                    trust: .system(extraFiles: configuration.trustedCertificateFiles))
            )
        }
        let socket = try ProxyStartError.wrap(.address) { () throws(StreamError) in
            try ListeningSocket(address: address)
        }
        group = try ProxyStartError.wrap(.threads) { () throws(StreamError) in
            try EventLoopGroup(count: configuration.threadCount)
        }
        port = socket.localAddress.port
        authorityPath = CertificateAuthority.certificatePath(in: directory)
        let parts = ProxyEngine.Parts(
            group: group,
            sink: ExchangeCollector(
                recorder: configuration.recorder, onExchange: configuration.onExchange),
            leaves: leaves, authority: authority, clientContext: context, resolver: Resolver(),
            actor: configuration.handler.map(HandlerActor.init))
        engine = ProxyEngine(parts: parts, configuration: EngineConfiguration(configuration))
        engine.serve(socket)
        Proxy.running.withLock { $0[ObjectIdentifier(self)] = self }
    }

    /// Accepts no more clients, lets running exchanges go on for at most this long, and ends the
    /// rest. When it returns, all exchanges have been handed over. A second call does nothing.
    public func stop(within time: Duration = .seconds(2)) async {
        let isRunning = Proxy.running.withLock {
            $0.removeValue(forKey: ObjectIdentifier(self)) != nil
        }
        guard isRunning else { return }
        let (seconds, attoseconds) = time.components
        let timeNs = Nanoseconds.clamping(seconds: seconds)
            .addingClamped(attoseconds / 1_000_000_000)
        let drainNs = max(0, min(timeNs, EngineConfiguration.forever))
        await withCheckedContinuation { continuation in
            engine.stop(drainNs: drainNs) { continuation.resume() }
        }
        engine.release()
        group.shutdown()
    }
}

/// The settings of a proxy. Configuration files of proxyd are not read.
public struct ProxyConfiguration: Sendable {
    /// The directory of the certificate authority, which is created on first start, in `ca`. The
    /// directory is created, too, readable by its owner alone, but not the one that it is in.
    public var authorityDirectory: String
    /// The IP address to listen on.
    public var address = "127.0.0.1"
    /// The port to listen on; 0 for any that is free.
    public var port: UInt16 = 0
    /// The number of threads that serve clients.
    public var threadCount = 1
    /// Whether the client at an IP address may use the proxy; by default only this machine's.
    public var allowsClient: (@Sendable (_ address: String) -> Bool)?
    /// Whether TLS to a host and port is intercepted. What is not intercepted is one exchange
    /// without content, in the state `tunnel`.
    public var intercepts: @Sendable (_ host: String, _ port: UInt16) -> Bool = { _, _ in true }
    /// PEM files with certificates to verify servers by, in addition to those that the system
    /// trusts: those in `SSL_CERT_FILE` and `SSL_CERT_DIR` if these are set.
    public var trustedCertificateFiles: [String] = []
    /// Changes what passes; nil if nothing does.
    public var handler: (any TrafficHandler)?
    /// Called with each exchange when it has ended, on one of the proxy's threads: it must not
    /// block. Everything sent and received is there, except the content of WebSockets and tunnels.
    public var onExchange: (@Sendable (Exchange) -> Void)?
    /// Records all exchanges as proxyd does: `Recorder` of the product `Capture`. Whoever made it
    /// stops it, after the proxy.
    public var recorder: (any ExchangeSink)?
    /// How many bytes of each body `onExchange` and the recorder get; bodies are forwarded whole.
    public var keptBodyByteCountMax = 1 << 20

    /// Creates settings for a proxy on a free port of 127.0.0.1 that intercepts all TLS.
    public init(authorityDirectory: String) { self.authorityDirectory = authorityDirectory }
}

/// Why a proxy could not be started.
public struct ProxyStartError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What could not be used.
    public enum Kind: Sendable, Hashable {
        /// The address to listen on.
        case address
        /// The certificate authority in its directory.
        case authority
        /// The certificates to verify servers by.
        case certificates
        /// The system has no threads or descriptors left.
        case threads
    }

    public let kind: Kind
    /// One line for users.
    public let message: String

    public var description: String { message }

    fileprivate static func wrap<Value, Failure: Error>(
        _ kind: Kind, _ body: () throws(Failure) -> Value
    ) throws(ProxyStartError) -> Value {
        do throws(Failure) {
            return try body()
        } catch {
            throw ProxyStartError(kind: kind, message: "\(error)")
        }
    }
}

extension EngineConfiguration {
    fileprivate init(_ configuration: ProxyConfiguration) {
        self.init()
        let (allowsClient, intercepts) = (configuration.allowsClient, configuration.intercepts)
        isClientAllowed = { client, _ in allowsClient?(client.ip) ?? client.isLoopback }
        interception = { host, port in intercepts(host, port) ? .intercept : .passThrough }
        bodyCaptureByteCountMax = max(0, configuration.keptBodyByteCountMax)
        identifiesClients = false
        if configuration.recorder == nil { http2Frames = .none }
    }
}
