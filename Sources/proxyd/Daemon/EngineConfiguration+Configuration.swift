internal import ProxydCivilTime
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydTransport

extension EngineConfiguration {
    /// The engine's settings from the daemon's configuration.
    init(
        _ configuration: Configuration, access: AccessByListener,
        interception: InterceptionSwitch, routes: RouteTable?, descriptorCountMax: Int
    ) {
        self.init()
        self.routes = routes
        isClientAllowed = { client, listener in access[listener].allows(client.ip) }
        isPROXYHeaderTrusted = { client, listener in access[listener].trusts(client.ip) }
        wireLimits = WireLimits(configuration)
        bodyCaptureByteCountMax = configuration.recording.bodyCaptureByteCountMax
        http2Frames = Self.frames(configuration.recording)
        viaPseudonym = configuration.forwarding.viaPseudonym
        addsDate = configuration.forwarding.addsDate
        keepsHost = configuration.forwarding.keepsHost
        removesAltSvc = configuration.forwarding.removesAltSvc
        ownHostNames = Set(configuration.forwarding.ownHostNames.map { $0.lowercased() })
        identifiesClients = configuration.attribution.isEnabled
        slowsClientsWhenCongested = configuration.recording.whenQueueFull == .slow
        connectionCountMax = EngineConfiguration.connectionCountMax(
            configuration.limits.clientConnectionCountMax, descriptorCountMax: descriptorCountMax)
        setTimeouts(configuration.timeouts)
        setPolicies(configuration)
        self.interception = { interception[$0, $1] ? .intercept : .passThrough }
    }

    /// Bytes are omitted if anything must not be stored: they include all fields and parameters.
    fileprivate static func frames(_ recording: Configuration.Recording) -> HTTP2Frames {
        switch recording.http2Frames {
        case .none: .none
        case .bytes where recording.unstoredFields.isEmpty && recording.unstoredParameters.isEmpty:
            .bytes(max: recording.bodyCaptureByteCountMax)
        case .timeline, .bytes: .timeline
        }
    }

    private mutating func setTimeouts(_ timeouts: Configuration.Timeouts) {
        headTimeoutNs = nanoseconds(timeouts.requestHeadSeconds)
        idleTimeoutNs = nanoseconds(timeouts.clientIdleSeconds)
        halfClosedTimeoutNs = Nanoseconds.clamping(
            milliseconds: Int64(timeouts.halfClosedMilliseconds))
        responseTimeoutNs = nanoseconds(timeouts.responseHeadSeconds)
        bodyIdleTimeoutNs = nanoseconds(timeouts.bodyIdleSeconds)
        handshakeTimeoutNs = nanoseconds(timeouts.tlsHandshakeSeconds)
        tunnelIdleTimeoutNs = nanoseconds(timeouts.tunnelIdleSeconds)
        halfClosedTunnelTimeoutNs = nanoseconds(timeouts.halfClosedTunnelSeconds)
        peekTimeoutNs = Nanoseconds.clamping(
            milliseconds: Int64(timeouts.tunnelPeekMilliseconds))
    }

    private mutating func setPolicies(_ configuration: Configuration) {
        let forwarding = configuration.forwarding
        isConnectPortAllowed = { forwarding.allowsConnect(toPort: $0) }
        isTargetDenied = { forwarding.denies(targetAt: $0.ip) }
        let tls = configuration.tls
        isVerificationRequired = { tls.verifies(host: $0, port: $1) }
    }

    /// File descriptors reserved for the store, the log, listeners, name lookups and error
    /// responses.
    private static let reservedDescriptorCount = 256

    /// A proxied connection may need two descriptors; without any left for the store, captures
    /// would be lost.
    private static func connectionCountMax(_ wanted: Int, descriptorCountMax: Int) -> Int {
        let reserve = min(reservedDescriptorCount, descriptorCountMax / 2)
        let possible = max(1, descriptorCountMax - reserve)
        return wanted == 0 ? possible : min(wanted, possible)
    }
}

extension HTTPTransport.Options {
    /// The outbound side's settings from the daemon's configuration.
    init(_ configuration: Configuration) {
        self.init()
        connectTimeoutNs = nanoseconds(configuration.timeouts.connectSeconds)
        connectLimits.lookupNs = nanoseconds(configuration.timeouts.resolveSeconds)
        connectLimits.handshakeNs = nanoseconds(configuration.timeouts.tlsHandshakeSeconds)
        idleTimeoutNs = nanoseconds(configuration.timeouts.upstreamIdleSeconds)
        idlePerTargetCountMax = configuration.limits.idleConnectionsPerOriginCountMax
        idleCountMax = configuration.limits.idleConnectionsCountMax
        wireLimits = WireLimits(configuration)
        connectionFrames = EngineConfiguration.frames(configuration.recording).detail
    }
}

extension WireLimits {
    /// The configured limits on heads, and how strictly responses are parsed.
    init(_ configuration: Configuration) {
        self.init()
        hasStrictResponses = configuration.forwarding.hasStrictResponses
        let limits = configuration.limits
        responseHeadByteCountMax = limits.responseHeadByteCountMax
        responseFieldCountMax = limits.responseFieldCountMax
        requestLineByteCountMax = limits.requestLineByteCountMax
        headByteCountMax = limits.headByteCountMax
        fieldCountMax = limits.fieldCountMax
        trailerByteCountMax = limits.trailerByteCountMax
        informationalCountMax = limits.informationalCountMax
    }
}

/// Converts a configured number of seconds to nanoseconds; 0 means forever.
private func nanoseconds(_ seconds: Int) -> Int64 {
    seconds == 0 ? EngineConfiguration.forever : Nanoseconds.clamping(seconds: Int64(seconds))
}
