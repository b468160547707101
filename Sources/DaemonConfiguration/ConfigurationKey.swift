internal import ProxydConfigurationText
internal import ProxydHTTPModel
internal import Glibc

/// One key of the configuration file and the property it sets.
package struct ConfigurationKey: Sendable {
    typealias Property<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// When a changed value takes effect.
    package enum Effect: Sendable {
        /// After SIGHUP.
        case onReload
        case onRestart
    }

    /// `table.key`, or `key` at the top level.
    let path: String
    let effect: Effect
    let read: @Sendable (TOMLNode, inout Configuration) throws(ConfigurationValueError) -> Void
    let tomlText: @Sendable (Configuration) -> String

    /// A key that accepts every value of its type, except those that `check` rejects.
    init<Value: ConfigurationValue>(
        _ path: String, _ property: Property<Value>, _ effect: Effect,
        check: @escaping @Sendable (Value) throws(ConfigurationValueError) -> Void = { _ in }
    ) {
        self.path = path
        self.effect = effect
        read = { (node, configuration) throws(ConfigurationValueError) in
            let value = try Value(toml: node)
            try check(value)
            configuration[keyPath: property] = value
        }
        tomlText = { $0[keyPath: property].tomlText }
    }

    init(_ path: String, _ property: Property<Int>, _ range: ClosedRange<Int>, _ effect: Effect) {
        self.init(path, property, effect) { (number) throws(ConfigurationValueError) in
            guard range.contains(number) else {
                throw ConfigurationValueError(
                    "expected \(range.lowerBound) to \(range.upperBound), found \(number)"
                )
            }
        }
    }

    /// Rejects a path that depends on the working directory, or that a NUL would cut.
    static func requireAbsolute(_ path: String) throws(ConfigurationValueError) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ConfigurationValueError("expected an absolute path, found \"\(path)\"")
        }
    }

    /// All keys, in the order of config/proxyd.toml.
    static let all: [ConfigurationKey] = general + limits + timeouts + tls + recording + forwarding

    private static let yearSeconds = 31_536_000
    private static let mebibyte = 1_048_576
    private static let tebibyte = 1_099_511_627_776

    private static let general: [ConfigurationKey] = [
        .init("data_dir", \.dataDirectory, .onRestart) { (path) throws(ConfigurationValueError) in
            if let path { try requireAbsolute(path) }
        },
        .init("log_level", \.logLevel, .onReload),
        .init("listen.addresses", \.listen.addresses, .onRestart),
        .init("listen.allowed_client_networks", \.listen.allowedClientNetworks, .onReload) {
            (networks) throws(ConfigurationValueError) in
            for network in networks { try requireNarrow(network) }
        },
        .init("listen.allow_public_networks", \.listen.allowsPublicNetworks, .onReload),
        .init("listen.users_file", \.listen.usersFile, .onReload) {
            (path) throws(ConfigurationValueError) in
            if let path { try requireAbsolute(path) }
        },
        .init("threads.loop_count", \.threads.loopCount, 0...256, .onRestart),
        .init("threads.resolver_count_max", \.threads.resolverCountMax, 1...16, .onRestart),
    ]

    private static let limits: [ConfigurationKey] = [
        .init(
            "limits.client_connection_count_max", \.limits.clientConnectionCountMax,
            0...1_000_000, .onReload
        ),
        .init(
            "limits.request_line_byte_count_max", \.limits.requestLineByteCountMax,
            8_192...mebibyte, .onReload
        ),
        .init(
            "limits.head_byte_count_max", \.limits.headByteCountMax,
            16_384...16 * mebibyte, .onReload
        ),
        .init("limits.field_count_max", \.limits.fieldCountMax, 16...100_000, .onReload),
        .init(
            "limits.response_head_byte_count_max", \.limits.responseHeadByteCountMax,
            16_384...16_777_216, .onReload
        ),
        .init(
            "limits.response_field_count_max", \.limits.responseFieldCountMax,
            16...100_000, .onReload
        ),
        .init(
            "limits.trailer_byte_count_max", \.limits.trailerByteCountMax,
            1_024...16 * mebibyte, .onReload
        ),
        .init(
            "limits.informational_count_max", \.limits.informationalCountMax, 1...1_000, .onReload
        ),
        .init(
            "limits.idle_connections_per_origin_count_max",
            \.limits.idleConnectionsPerOriginCountMax, 0...10_000, .onReload
        ),
        .init(
            "limits.idle_connections_count_max", \.limits.idleConnectionsCountMax,
            0...100_000, .onReload
        ),
    ]

    private static let timeouts: [ConfigurationKey] = [
        seconds("request_head_s", \.timeouts.requestHeadSeconds, atLeast: 1),
        seconds("tls_handshake_s", \.timeouts.tlsHandshakeSeconds, atLeast: 1),
        seconds("client_idle_s", \.timeouts.clientIdleSeconds, atLeast: 1),
        seconds("resolve_s", \.timeouts.resolveSeconds, atLeast: 1),
        seconds("connect_s", \.timeouts.connectSeconds, atLeast: 1),
        seconds("response_head_s", \.timeouts.responseHeadSeconds, atLeast: 0),
        seconds("body_idle_s", \.timeouts.bodyIdleSeconds, atLeast: 0),
        seconds("tunnel_idle_s", \.timeouts.tunnelIdleSeconds, atLeast: 0),
        seconds("half_closed_tunnel_s", \.timeouts.halfClosedTunnelSeconds, atLeast: 0),
        seconds("upstream_idle_s", \.timeouts.upstreamIdleSeconds, atLeast: 1),
        .init(
            "timeouts.half_closed_client_ms", \.timeouts.halfClosedMilliseconds,
            0...3_600_000, .onReload
        ),
        .init("timeouts.tunnel_peek_ms", \.timeouts.tunnelPeekMilliseconds, 10...60_000, .onReload),
        seconds("shutdown_grace_s", \.timeouts.shutdownGraceSeconds, atLeast: 0),
    ]

    private static func seconds(
        _ name: String, _ property: Property<Int>, atLeast least: Int
    ) -> ConfigurationKey {
        .init("timeouts.\(name)", property, least...yearSeconds, .onReload)
    }

    private static let tls: [ConfigurationKey] = [
        .init("tls.intercept", \.tls.intercept, .onReload),
        .init("tls.pass_through", \.tls.passThrough, .onReload),
        .init("tls.authority_names", \.tls.authorityScope, .onRestart),
        .init("tls.unverified_hosts", \.tls.unverifiedHosts, .onReload),
        .init("tls.extra_ca_files", \.tls.extraCAFiles, .onReload) {
            (paths) throws(ConfigurationValueError) in
            for path in paths {
                try requireAbsolute(path)
                try requireReadable(path)
            }
        },
        .init("tls.key_log_file", \.tls.keyLogFile, .onRestart) {
            (path) throws(ConfigurationValueError) in
            if let path { try requireAbsolute(path) }
        },
    ]

    private static let recording: [ConfigurationKey] = [
        .init("recording.filter", \.recording.filter, .onReload) {
            (text) throws(ConfigurationValueError) in try requireEarlyFilter(text)
        },
        .init(
            "recording.body_capture_byte_count_max", \.recording.bodyCaptureByteCountMax,
            0...tebibyte, .onReload
        ),
        .init("recording.http2_frames", \.recording.http2Frames, .onReload),
        .init("recording.unstored_fields", \.recording.unstoredFields, .onRestart) {
            (names) throws(ConfigurationValueError) in
            for name in names { try requireToken(name) }
        },
        .init("recording.unstored_parameters", \.recording.unstoredParameters, .onRestart) {
            (names) throws(ConfigurationValueError) in
            for name in names { try requireName(name) }
        },
        .init(
            "recording.queue_byte_count_max", \.recording.queueByteCountMax,
            mebibyte...tebibyte, .onRestart
        ),
        .init("recording.when_queue_full", \.recording.whenQueueFull, .onRestart),
        .init("recording.durability", \.recording.durability, .onRestart),
        .init(
            "recording.free_space_floor_byte_count", \.recording.freeSpaceFloorByteCount,
            0...tebibyte, .onRestart
        ),
        .init("recording.retention_age_days", \.recording.retentionAgeDays, 0...36_500, .onRestart),
        .init(
            "recording.retention_exchange_count_max", \.recording.retentionExchangeCountMax,
            0...tebibyte, .onRestart
        ),
        .init(
            "recording.retention_byte_count_max", \.recording.retentionByteCountMax,
            0...1_024 * tebibyte, .onRestart
        ),
        .init(
            "recording.retention_waits_for_delivery", \.recording.retentionWaitsForDelivery,
            .onRestart
        ),
    ]

    private static let forwarding: [ConfigurationKey] = [
        .init("forwarding.via_pseudonym", \.forwarding.viaPseudonym, .onReload) {
            (name) throws(ConfigurationValueError) in
            if let name { try requireToken(name) }
        },
        .init("forwarding.add_date", \.forwarding.addsDate, .onReload),
        .init("forwarding.keep_host", \.forwarding.keepsHost, .onReload),
        .init("forwarding.errors_inside_tls", \.forwarding.explainsInsideTLS, .onReload),
        .init("forwarding.remove_alt_svc", \.forwarding.removesAltSvc, .onReload),
        .init("forwarding.strict_responses", \.forwarding.hasStrictResponses, .onReload),
        .init("forwarding.connect_ports", \.forwarding.connectPorts, .onReload),
        .init("forwarding.denied_target_networks", \.forwarding.deniedTargetNetworks, .onReload),
        .init("forwarding.own_host_names", \.forwarding.ownHostNames, .onReload),
        .init(
            "forwarding.upstream_from_environment", \.forwarding.takesUpstreamFromEnvironment,
            .onReload),
        .init("rules.file", \.rules.file, .onReload) { (path) throws(ConfigurationValueError) in
            if let path { try requireAbsolute(path) }
        },
        .init("scripts.unconfined", \.scripts.isUnconfined, .onRestart),
        .init("attribution.enabled", \.attribution.isEnabled, .onReload),
    ]

    /// An unreadable file would otherwise be noticed only at the first server that needs it.
    private static func requireReadable(_ path: String) throws(ConfigurationValueError) {
        guard access(path, R_OK) == 0 else {
            throw ConfigurationValueError(
                "cannot read \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// A range with several owners would open the proxy to the internet.
    static func requireNarrow(_ network: IPNetwork) throws(ConfigurationValueError) {
        guard !network.isOpenToStrangers else {
            throw ConfigurationValueError(
                "\(network) is so wide that it includes strangers: give the networks of the guests")
        }
    }

    /// Names are compared without `-` and `_`, so a name of only these would match any name.
    private static func requireName(_ name: String) throws(ConfigurationValueError) {
        guard name.contains(where: { !"-_".contains($0) }) else {
            throw ConfigurationValueError("expected the name of a parameter, found \"\(name)\"")
        }
    }

    /// A `Via` pseudonym and the name of a field are tokens (RFC 9110 §5.1, §5.6.2 and §7.6.3).
    private static func requireToken(_ name: String) throws(ConfigurationValueError) {
        let isToken = name.utf8.allSatisfy {
            ASCII.isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
        guard isToken, !name.isEmpty else {
            throw ConfigurationValueError("expected letters, digits and -._, found \"\(name)\"")
        }
    }
}

/// A key whose value differs between two configurations.
package struct ConfigurationChange: Sendable, Equatable {
    /// The key as `table.key`.
    package let path: String
    /// The previous value as TOML.
    package let old: String
    /// The new value as TOML.
    package let new: String
    package let effect: ConfigurationKey.Effect

    /// Every key whose value differs, in the order of config/proxyd.toml.
    package static func between(_ old: Configuration, _ new: Configuration) -> [ConfigurationChange]
    {
        keys(old, new) + listeners(old.listen, new.listen)
            + tables("upstream", old.upstreams, new.upstreams) { $0.tomlText }
            + tables("client_certificate", old.clientCertificates, new.clientCertificates) {
                $0.tomlText
            }
    }

    private static func keys(_ old: Configuration, _ new: Configuration) -> [ConfigurationChange] {
        ConfigurationKey.all.compactMap { key in
            let (before, after) = (key.tomlText(old), key.tomlText(new))
            guard before != after else { return nil }
            return ConfigurationChange(path: key.path, old: before, new: after, effect: key.effect)
        }
    }

    /// The `[[listener]]` tables as one change, which takes effect after a restart unless every
    /// listener is at its place as before.
    private static func listeners(
        _ old: Configuration.Listen, _ new: Configuration.Listen
    ) -> [ConfigurationChange] {
        guard old.tables != new.tables else { return [] }
        let isSamePlaces = old.tables.map(\.place) == new.tables.map(\.place)
        return [
            ConfigurationChange(
                path: "listener", old: text(old.tables), new: text(new.tables),
                effect: isSamePlaces ? .onReload : .onRestart)
        ]
    }

    /// An array of tables as one change, which takes effect immediately. A file that a table names
    /// may be all that differs.
    private static func tables<Table: Equatable>(
        _ path: String, _ old: [Table], _ new: [Table], _ text: (Table) -> String
    ) -> [ConfigurationChange] {
        guard old != new else { return [] }
        func all(_ tables: [Table]) -> String {
            "[" + tables.map(text).joined(separator: ", ") + "]"
        }
        return [ConfigurationChange(path: path, old: all(old), new: all(new), effect: .onReload)]
    }

    private static func text(_ tables: [Configuration.ListenerTable]) -> String {
        "[" + tables.map(\.tomlText).joined(separator: ", ") + "]"
    }
}
