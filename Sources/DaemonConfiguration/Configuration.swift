package import ProxydConfigurationText
package import ProxydFilter
package import ProxydTLS
package import Logging

/// All settings after validation: the daemon can run with every value of this type.
///
/// `ConfigurationKey.all` maps each property to its key. docs/CONFIGURATION.md describes the keys,
/// docs/DEFAULTS.md gives the reasons for the numbers.
package struct Configuration: Sendable, Equatable {
    /// The directory of captures, CA and control socket, or nil to choose it from the environment.
    package var dataDirectory: String?
    package var logLevel = Logger.Level.info
    package var listen = Listen()
    package var threads = Threads()
    package var limits = Limits()
    package var timeouts = Timeouts()
    package var tls = TLS()
    package var recording = Recording()
    package var forwarding = Forwarding()
    /// The proxies through which servers are reached; the first that takes a server is used.
    package var upstreams: [Upstream] = []
    /// The certificates that are shown to servers that ask for one.
    package var clientCertificates: [ClientCertificate] = []
    package var rules = Rules()
    package var scripts = Scripts()
    package var attribution = Attribution()

    /// How messages are forwarded to servers and clients.
    package struct Forwarding: Sendable, Equatable {
        /// The name in a `Via` field (RFC 9110 §7.6.3); nil adds none.
        package var viaPseudonym: String?
        /// Whether a response without `Date` gets one (RFC 9110 §6.6.1).
        package var addsDate = false
        /// Whether the client's `Host` is forwarded even if its absolute target names another host.
        package var keepsHost = false
        /// Whether clients are told inside of intercepted TLS that their server was not reached.
        package var explainsInsideTLS = true
        /// Whether `Alt-Svc` fields of responses are removed (RFC 7838 §3), so that clients do not
        /// turn to HTTP/3.
        package var removesAltSvc = false
        /// Whether invalid HTTP responses that clients accept are refused.
        package var hasStrictResponses = false
        /// The ports that CONNECT may reach.
        package var connectPorts = PortRange("1-65535").map { [$0] } ?? []
        /// Addresses of servers that are not connected to. By default these are the link-local
        /// ones: at 169.254.169.254, clouds provide the machine's credentials.
        package var deniedTargetNetworks = ["169.254.0.0/16", "fe80::/10"]
            .compactMap(IPNetwork.init)
        /// Host names of the proxy's own page.
        package var ownHostNames = ["proxyd.local"]
        /// Whether the proxies that the environment names are used after those of the tables.
        package var takesUpstreamFromEnvironment = false

        /// Whether connecting to a server at this address, without brackets, is denied.
        package func denies(targetAt ip: String) -> Bool {
            deniedTargetNetworks.contains { $0.contains(ip) }
        }

        package func allowsConnect(toPort port: UInt16) -> Bool {
            connectPorts.contains { $0.ports.contains(port) }
        }
    }

    /// Which connections are intercepted, and which servers are trusted.
    package struct TLS: Sendable, Equatable {
        /// Hosts whose TLS is intercepted and recorded.
        package var intercept = (try? HostPattern("*")).map { [$0] } ?? []
        /// Hosts whose TLS is relayed unread; takes precedence over `intercept`.
        package var passThrough: [HostPattern] = []
        /// The names that the certificate authority may sign for.
        package var authorityScope = AuthorityScope.unlimited
        /// Hosts whose certificates are not verified.
        package var unverifiedHosts: [HostPattern] = []
        /// PEM files of authorities trusted in addition to the system's.
        package var extraCAFiles: [String] = []
        /// Where the secrets of all TLS sessions are written, or nil.
        package var keyLogFile: String?

        package func intercepts(host: String, port: UInt16) -> Bool {
            !passThrough.contains { $0.matches(host: host, port: port) }
                && intercept.contains { $0.matches(host: host, port: port) }
        }

        package func verifies(host: String, port: UInt16) -> Bool {
            !unverifiedHosts.contains { $0.matches(host: host, port: port) }
        }
    }

    /// What is recorded, and how durably.
    package struct Recording: Sendable, Equatable {
        /// What to do if the disk is too slow for the traffic.
        package enum FullQueuePolicy: String, Sendable, CaseIterable {
            /// Clients and servers are read more slowly.
            case slow
            /// Bodies are not recorded, and their rows say so.
            case drop
        }

        /// What may be lost in a power failure; a crash of the program never loses anything.
        package enum Durability: String, Sendable, CaseIterable {
            /// At most the last second.
            case normal
            /// Nothing that was committed, at the cost of one disk flush per batch.
            case full
        }

        /// What is recorded of HTTP/2 frames.
        package enum HTTP2Frames: String, Sendable, CaseIterable {
            case none
            /// The time, type, flags and length of each frame.
            case timeline
            /// Also their bytes, up to the same limit per exchange as for a body.
            case bytes
        }

        /// The filter for exchanges to record; empty for all. Other exchanges still pass.
        package var filter = ""
        /// The most bytes recorded of one message's body. Longer bodies still pass completely.
        package var bodyCaptureByteCountMax = 16_777_216
        package var http2Frames = HTTP2Frames.timeline
        package var unstoredFields: [String] = []
        package var unstoredParameters: [String] = []
        /// The most bytes that may wait for the disk.
        package var queueByteCountMax = 16_777_216
        package var whenQueueFull = FullQueuePolicy.slow
        package var durability = Durability.normal
        /// Recording stops while the disk has fewer free bytes than this.
        package var freeSpaceFloorByteCount = 268_435_456
        /// Exchanges older than this many days are removed; 0 keeps all.
        package var retentionAgeDays = 0
        /// The oldest exchanges beyond this count are removed; 0 keeps all.
        package var retentionExchangeCountMax = 0
        /// The oldest exchanges are removed while the store has more bytes; 0 keeps all.
        package var retentionByteCountMax = 0
        /// Whether retention leaves exchanges that were not delivered to a central store yet, as
        /// long as the disk has room; means nothing for a store that was never delivered.
        package var retentionWaitsForDelivery = true
    }
}

extension Configuration.Recording {
    /// The filter for exchanges to record, or nil for all.
    package var parsedFilter: Filter? {
        filter.isEmpty ? nil : try? Filter.parse(filter)
    }
}

extension ConfigurationKey {
    /// Rejects an invalid filter, or one with facts that are not known when recording starts.
    static func requireEarlyFilter(_ text: String) throws(ConfigurationValueError) {
        guard !text.isEmpty else { return }
        let filter: Filter
        do throws(FilterError) {
            filter = try Filter.parse(text)
        } catch {
            throw ConfigurationValueError("column \(error.column): \(error.message)")
        }
        if let late = filter.terms.first(where: { $0.moment > .requestHead }) {
            throw ConfigurationValueError(
                "column \(late.column): \(late.name) is not known when an exchange starts")
        }
    }
}

extension Configuration {
    package struct Rules: Sendable, Equatable {
        /// The rules file, or nil for `rules.toml` next to the configuration file.
        package var file: String?
    }

    package struct Scripts: Sendable, Equatable {
        /// Whether scripts may do everything that the daemon's user may.
        package var isUnconfined = false
    }

    package struct Attribution: Sendable, Equatable {
        /// Whether the kernel is asked which local program opened a connection.
        package var isEnabled = true
    }

    package struct Limits: Sendable, Equatable {
        /// Clients at the same time; 0 derives the limit from the number of file descriptors.
        package var clientConnectionCountMax = 0
        /// The length of a request line without CRLF, in bytes.
        package var requestLineByteCountMax = 65_536
        /// The size of a request's whole head, in bytes: start line and fields.
        package var headByteCountMax = 262_144
        /// Field lines in a request's head.
        package var fieldCountMax = 1_000
        /// The size of a response's whole head, in bytes.
        package var responseHeadByteCountMax = 307_200
        package var responseFieldCountMax = 1_500
        package var trailerByteCountMax = 65_536
        /// Interim (1xx) responses before the final one.
        package var informationalCountMax = 32
        package var idleConnectionsPerOriginCountMax = 64
        package var idleConnectionsCountMax = 512
    }

    package struct Timeouts: Sendable, Equatable {
        /// From the first byte of a request to the last of its head, in seconds.
        package var requestHeadSeconds = 10
        /// A client's or server's TLS handshake, in seconds.
        package var tlsHandshakeSeconds = 10
        /// How long a client connection may be idle between requests, in seconds.
        package var clientIdleSeconds = 75
        package var resolveSeconds = 5
        /// All attempts to connect to one server together, in seconds.
        package var connectSeconds = 10
        /// The time for a response to start after its client has ended its side, in milliseconds.
        package var halfClosedMilliseconds = 650
        /// From the end of a request to the head of its response, in seconds; 0 for no limit.
        package var responseHeadSeconds = 300
        /// The longest pause within a body, in seconds; 0 for no limit.
        package var bodyIdleSeconds = 0
        /// How long a tunnel may be idle, in seconds; 0 for no limit.
        package var tunnelIdleSeconds = 7_200
        /// The same after one side has ended; 0 for the same limit as before that.
        package var halfClosedTunnelSeconds = 300
        /// How long an unused pooled connection is kept, in seconds.
        package var upstreamIdleSeconds = 55
        /// How long the proxy waits for the first bytes of a tunnel to identify its protocol before
        /// it relays the tunnel unread, in milliseconds.
        package var tunnelPeekMilliseconds = 300
        /// How long exchanges may continue after SIGTERM, in seconds.
        package var shutdownGraceSeconds = 10
    }

    package struct Threads: Sendable, Equatable {
        /// The number of event loops; 0 for one per processor but the recorder's.
        package var loopCount = 0
        package var resolverCountMax = 8

        /// The number of event loops on a machine with this many processors. The recorder runs at
        /// the same time: with a loop for every processor, they would wait for each other and find
        /// less to do each time they wake.
        package func loopCount(processorCount: Int) -> Int {
            loopCount == 0 ? max(1, processorCount - 1) : loopCount
        }
    }

    /// Absolute paths of the files with passwords and keys, which need not exist yet.
    package var secretFiles: [String] {
        let optional =
            [listen.usersFile, tls.keyLogFile] + upstreams.map(\.passwordFile)
            + clientCertificates.map(\.passwordFile) + listen.tables.map(\.options.usersFile)
        let keys =
            clientCertificates.map { certificate in
                switch certificate.source {
                case .pem(_, let key): key
                case .pkcs12(let file): file
                }
            } + listen.listeners.compactMap(\.keyFile)
        return (optional.compactMap { $0 } + keys).filter { $0.hasPrefix("/") }
    }
}

extension Configuration.Listener {
    /// The key file of the user's own certificate, if the listener has one.
    fileprivate var keyFile: String? {
        guard case .reverse(let route) = mode, case .files(_, let key) = route.clientTLS else {
            return nil
        }
        return key
    }
}

/// The daemon's rules for servers: which are trusted, and which must not be reached. Requests that
/// proxyctl sends again follow the same rules.
package struct ServerRules: Sendable, Equatable {
    /// PEM files of authorities trusted in addition to the system's.
    package let extraCAFiles: [String]
    package let unverifiedHosts: [HostPattern]
    package let deniedNetworks: [IPNetwork]

    package init(_ configuration: Configuration) {
        extraCAFiles = configuration.tls.extraCAFiles
        unverifiedHosts = configuration.tls.unverifiedHosts
        deniedNetworks = configuration.forwarding.deniedTargetNetworks
    }

    /// The rules that a daemon reported in its configuration's format; throws if one is invalid.
    package init(
        extraCAFiles: [String], unverifiedHosts: [String], deniedNetworks: [String]
    ) throws(ConfigurationValueError) {
        self.extraCAFiles = extraCAFiles
        var patterns: [HostPattern] = []
        for text in unverifiedHosts { patterns.append(try HostPattern(text)) }
        self.unverifiedHosts = patterns
        var networks: [IPNetwork] = []
        for text in deniedNetworks {
            guard let network = IPNetwork(text) else {
                throw ConfigurationValueError("\"\(text)\" is not a network")
            }
            networks.append(network)
        }
        self.deniedNetworks = networks
    }

    package func verifies(host: String, port: UInt16) -> Bool {
        !unverifiedHosts.contains { $0.matches(host: host, port: port) }
    }

    /// Whether connecting to a server at this address, without brackets, is denied.
    package func denies(address ip: String) -> Bool {
        deniedNetworks.contains { $0.contains(ip) }
    }
}
