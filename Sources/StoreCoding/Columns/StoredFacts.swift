package import ProxydHTTPModel

/// Facts about a connection, from the columns `storedColumns`.
extension ConnectionRecord {
    /// The columns of `connection` and the certificates of its chain, in the order in which
    /// `init(_:_:)` expects them.
    package static let storedColumns = [
        "side", "opened_ns", "peer_address", "local_address", "tls_version", "tls_cipher", "alpn",
        "sni", "resumed", "pid", "process", "octets", "our_settings", "peer_settings", "frames",
        "listener", "mode", "original_address", "proxy_protocol_peer", "upstream",
        "requested_authorities", "shows_client_certificate",
    ]

    /// Decodes a row with these columns; nil if it names no side.
    package init?(_ id: Int64, _ row: some StoredValues) {
        guard let side = row.text(0).flatMap(ConnectionRecord.Side.init(rawValue:)) else {
            return nil
        }
        self.init(
            id: ConnectionID(rawValue: id), side: side, openedAt: row.integer(1) ?? 0,
            peerAddress: row.text(2) ?? "", localAddress: row.text(3) ?? "",
            security: Security(row), process: ClientProcess(row))
        http2 = HTTP2ConnectionFacts(row)
        arrival = Arrival(row)
        upstream = row.text(19)
    }
}

extension ConnectionRecord.Arrival {
    fileprivate init?(_ row: some StoredValues) {
        guard let listener = row.text(15),
            let mode = row.text(16).flatMap(ConnectionRecord.Arrival.Mode.init(rawValue:))
        else { return nil }
        self.init(
            listener: listener, mode: mode, originalAddress: row.text(17),
            proxyProtocolPeer: row.text(18))
    }
}

extension HTTP2ConnectionFacts {
    fileprivate init?(_ row: some StoredValues) {
        guard let ours = row.bytes(12) else { return nil }
        self.init(
            ourSettings: SettingsCoding.decode(ours),
            peerSettings: SettingsCoding.decode(row.bytes(13) ?? []), frames: row.bytes(14) ?? [])
    }
}

extension ConnectionRecord.Security {
    fileprivate init?(_ row: some StoredValues) {
        guard let version = row.text(4) else { return nil }
        self.init(
            version: version, cipher: row.text(5) ?? "", alpn: row.text(6),
            serverName: row.text(7),
            peerCertificates: CertificateChainCoding.decode(row.bytes(11) ?? []),
            isResumed: row.integer(8) == 1)
        requestedAuthorities = row.text(20)?.split(separator: "\n").map(String.init)
        showsClientCertificate = row.integer(21) == 1
    }
}

extension ConnectionRecord.ClientProcess {
    fileprivate init?(_ row: some StoredValues) {
        guard let pid = row.integer(9).flatMap({ Int32(exactly: $0) }) else { return nil }
        self.init(pid: pid, name: row.text(10) ?? "")
    }
}

extension ResponseFault {
    /// Decodes a row of the columns `refused_octets`, `refused_reason` and `repaired`.
    package init(_ row: some StoredValues) {
        self.init(
            refusal: row.text(1).map {
                ResponseFault.Refusal(bytes: row.bytes(0) ?? [], reason: $0)
            },
            repairs: ResponseFaultCoding.repairs(of: row.text(2)))
    }
}

extension AppliedRule {
    /// Decodes a row of the columns `rule`, `phase`, `outcome`, `detail`, `hold_start_ns` and
    /// `hold_ns`; nil if it is damaged.
    package init?(_ row: some StoredValues) {
        guard let rule = row.text(0),
            let phase = row.text(1).flatMap(AppliedRule.Phase.init(rawValue:))
        else { return nil }
        self.init(rule: rule, phase: phase, outcome: row.text(2) ?? "", detail: row.text(3))
        if let startNs = row.integer(4), let durationNs = row.integer(5) {
            hold = Hold(startNs: startNs, durationNs: durationNs)
        }
    }
}
