internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The connections of a flow.
struct FlowConnections {
    let client: ConnectionRecord?
    let server: ConnectionRecord?
    private let serverMoments: (start: Int64?, connected: Int64?, secured: Int64?)

    init(_ flow: FlowValue.Members) throws(ImportProblem) {
        let client = try flow["client_conn"]?.members()
        let server = try flow["server_conn"]?.members()
        self.client = try client.flatMap { value throws(ImportProblem) in
            try FlowConnections.record(.client, value, value["peername"] ?? value["address"])
        }
        self.server = try server.flatMap { value throws(ImportProblem) in
            try FlowConnections.record(
                .server, value, value["peername"] ?? value["ip_address"] ?? value["address"])
        }
        serverMoments = (
            server?["timestamp_start"]?.nanoseconds, server?["timestamp_tcp_setup"]?.nanoseconds,
            server?["timestamp_tls_setup"]?.nanoseconds
        )
    }

    private static func record(
        _ side: ConnectionRecord.Side, _ value: FlowValue.Members, _ peer: FlowValue?
    ) throws(ImportProblem) -> ConnectionRecord? {
        guard let peer = try address(peer) else { return nil }
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: number(value["id"])), side: side,
            openedAt: value["timestamp_start"]?.nanoseconds ?? 0, peerAddress: peer,
            localAddress: try address(value["sockname"] ?? value["source_address"]) ?? "")
        if let version = value["tls_version"]?.text {
            record.security = .init(
                version: version, cipher: (value["cipher"] ?? value["cipher_name"])?.text,
                alpn: value["alpn"]?.text, serverName: value["sni"]?.text,
                peerCertificates: side == .server
                    ? try certificates(value["certificate_list"]) : [])
        }
        if let proxy = try (value["via"] ?? value["via2"])?.elements(), proxy.count == 2 {
            record.upstream = try address(proxy[1])
        }
        return record
    }

    /// A number for a connection by which flows of a file share it; 0 if it has no name.
    private static func number(_ name: FlowValue?) -> Int64 {
        guard let bytes = name?.bytes, !bytes.isEmpty else { return 0 }
        // FNV-1a: the records are compared too, so that equal numbers do no harm.
        let hash = bytes.prefix(64).reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return Int64(truncatingIfNeeded: hash >> 2) + 1
    }

    /// `host:port` of a list of both.
    private static func address(_ value: FlowValue?) throws(ImportProblem) -> String? {
        let parts = try value?.elements() ?? []
        guard parts.count >= 2, let host = parts[0].text, !host.isEmpty,
            let port = parts[1].integer.flatMap({ UInt16(exactly: $0) }),
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func certificates(_ list: FlowValue?) throws(ImportProblem) -> [[UInt8]] {
        try (list?.elements() ?? []).prefix(16).compactMap { $0.bytes.flatMap(der) }
    }

    private static func der(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return Base64.bytes(lines.filter { !$0.hasPrefix("-") }.joined())
    }

    // MARK: Times

    /// The moments that the file has. Those of a connection that was there before the request are
    /// not part of the exchange.
    func timeline(
        _ startedAt: Int64, request: FlowValue.Members, response: FlowValue.Members?,
        error: Int64?
    ) -> Timeline {
        var timeline = Timeline(wallStart: startedAt, start: 0)
        func set(_ moment: Moment, _ at: Int64?) {
            // Without a start there is no duration.
            if let at, startedAt > 0, at >= startedAt { timeline[moment] = at - startedAt }
        }
        timeline[.requestFirstByte] = 0
        set(.requestLastByte, request["timestamp_end"]?.nanoseconds)
        if let start = serverMoments.start {
            timeline.connectionReused = start < startedAt
            if start >= startedAt {
                set(.connectStart, start)
                set(.connectEnd, serverMoments.connected)
                if let secured = serverMoments.secured {
                    set(.tlsStart, serverMoments.connected)
                    set(.tlsEnd, secured)
                }
            }
        }
        set(.responseFirstByte, response?["timestamp_start"]?.nanoseconds)
        set(.responseLastByte, response?["timestamp_end"]?.nanoseconds)
        if response != nil, error == nil {
            set(.delivered, response?["timestamp_end"]?.nanoseconds)
        } else {
            set(.ended, error)
        }
        return timeline
    }
}
