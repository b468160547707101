internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydTLS
internal import Synchronization

extension ServedListener {
    /// A listener of the configuration. Throws if a certificate cannot be used.
    init(
        _ listener: Configuration.Listener, _ certificates: ReverseCertificates
    ) throws {
        let mode: ListenerMode
        switch listener.mode {
        case .proxy: mode = .proxy
        case .socks: mode = .socks
        case .transparent: mode = .transparent
        case .reverse(let route):
            mode = .reverse(try ReverseService(route, at: listener.address, certificates))
        }
        self.init(
            name: listener.name, mode: mode,
            expectsPROXYHeader: listener.options.expectsPROXYHeader)
    }
}

extension ReverseService {
    fileprivate convenience init(
        _ route: ReverseRoute, at address: ListenAddress, _ certificates: ReverseCertificates
    ) throws {
        var names = [address.ip]
        if address.isLoopback { names.append("localhost") }
        let clientTLS: ClientTLS
        switch route.clientTLS {
        case nil: clientTLS = .none
        case .authority(let own):
            names += own
            clientTLS = .authority(name: own.first)
        case .files(let certificate, let key):
            clientTLS = .certificate(try certificates.source(certificate: certificate, key: key))
        }
        let hostField: HostField
        switch route.hostField {
        case .change: hostField = .change
        case .keep: hostField = .keep
        case .name(let name): hostField = .name(name)
        }
        self.init(
            server: ReplacedServer(
                scheme: route.server.isSecure ? "https" : "http", host: route.server.host,
                port: route.server.port, prefix: route.server.prefix, names: names),
            hostField: hostField, rewritesBack: route.rewritesBack,
            rewritesRequests: route.rewritesRequests, clientTLS: clientTLS,
            headerVersion: route.headerVersion.flatMap(PROXYVersion.init))
    }
}

/// The certificates configured for reverse listeners, which a reload reads again.
final class ReverseCertificates: Sendable {
    private struct Files: Hashable {
        let certificate: String
        let key: String
    }

    private let contexts = Mutex<[Files: TLSServerContext]>([:])

    /// Reads a certificate; returns a function that returns the one in use.
    func source(
        certificate: String, key: String
    ) throws -> @Sendable () -> TLSServerContext {
        let files = Files(certificate: certificate, key: key)
        let first = try ReverseCertificate.load(certificate: certificate, key: key)
        contexts.withLock { $0[files] = first }
        return { self.contexts.withLock { $0[files] } ?? first }
    }

    /// Reads all certificates again. Returns what is wrong with those that could not be read, which
    /// stay as they were.
    func reload() -> [String] {
        let known = contexts.withLock { Array($0.keys) }
        var problems: [String] = []
        for files in known {
            do throws(ConfigurationValueError) {
                let context = try ReverseCertificate.load(
                    certificate: files.certificate, key: files.key)
                contexts.withLock { $0[files] = context }
            } catch {
                problems.append(error.message)
            }
        }
        return problems
    }
}
