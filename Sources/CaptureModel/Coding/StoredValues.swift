package import ProxydHTTPModel
internal import ProxydParameterCoding

/// The values of one row of a query, by their index. Nothing traps: a damaged store may return a
/// value of any type anywhere, or none.
package protocol StoredValues {
    /// The value as a number, or nil if it has another type.
    func integer(_ index: Int) -> Int64?
    /// The value as a text, with invalid UTF-8 replaced, or nil if it is not a text.
    func text(_ index: Int) -> String?
    /// The bytes of a blob or text, or nil if it has another type.
    func bytes(_ index: Int) -> [UInt8]?
}

extension StoredValues {
    /// The value as a number that fits in an `Int`, or nil.
    package func int(_ index: Int) -> Int? { integer(index).flatMap { Int(exactly: $0) } }

    /// The values after the first `count`.
    package func dropping(_ count: Int) -> LaterValues<Self> { LaterValues(self, count) }
}

/// The values of a row after its first ones, so that one query can return several tables.
package struct LaterValues<Row: StoredValues>: StoredValues {
    private let row: Row
    private let offset: Int

    init(_ row: Row, _ offset: Int) {
        self.row = row
        self.offset = offset
    }

    package func integer(_ index: Int) -> Int64? { row.integer(offset + index) }
    package func text(_ index: Int) -> String? { row.text(offset + index) }
    package func bytes(_ index: Int) -> [UInt8]? { row.bytes(offset + index) }
}

/// The values of a row, in memory.
extension [SQLValue]: StoredValues {
    package func integer(_ index: Int) -> Int64? {
        if indices.contains(index), case .integer(let number) = self[index] { number } else { nil }
    }

    package func text(_ index: Int) -> String? {
        if indices.contains(index), case .text(let text) = self[index] { text } else { nil }
    }

    package func bytes(_ index: Int) -> [UInt8]? {
        if indices.contains(index), case .blob(let bytes) = self[index] { bytes } else { nil }
    }
}

extension ExchangeRow {
    /// Decodes the columns that lists select: those of `list --json` and a few more, with tags and
    /// rules as JSON arrays.
    package init(_ columns: some StoredValues) {
        self.init(
            id: ExchangeID(rawValue: columns.integer(0) ?? 0),
            startedAtNs: columns.integer(10) ?? 0,
            state: ExchangeState(stored: columns.integer(24) ?? 0))
        method = columns.text(1)
        scheme = columns.text(2)
        host = columns.text(3)
        port = columns.int(4)
        path = columns.text(5)
        query = columns.text(6)
        httpVersion = columns.integer(7).map { number in
            HTTPVersion(
                major: UInt8(clamping: number / 10), minor: UInt8(clamping: number % 10)
            ).description
        }
        status = columns.int(8)
        reason = columns.text(9)
        durationNs = columns.integer(11)
        requestBodyByteCount = columns.integer(12) ?? 0
        requestKeptByteCount = columns.integer(13) ?? 0
        responseBodyByteCount = columns.integer(14) ?? 0
        responseKeptByteCount = columns.integer(15) ?? 0
        requestContentType = columns.text(16)
        responseContentType = columns.text(17)
        clientAddress = columns.text(18)
        process = columns.text(19)
        pid = columns.int(20)
        serverAddress = columns.text(21)
        tlsVersion = columns.text(22)
        error = columns.text(23)
        upgradedTo = columns.text(25)
        stream = columns.int(30)
        note = columns.text(28)
        replayOf = columns.integer(26).map { ExchangeID(rawValue: $0) }
        tags = ExchangeRow.texts(columns.text(27))
        isPinned = columns.integer(29) == 1
        let noMessages: Int64? = spokenProtocol?.hasMessages == true ? 0 : nil
        messageCount = columns.integer(31) ?? noMessages
        grpcStatus = columns.int(32)
        graphQL = GraphQLCoding.operations(names: columns.text(33), types: columns.text(34))
        rules = AppliedRule.names(ExchangeRow.texts(columns.text(35)))
        user = columns.text(36)
        listener = columns.text(37)
        namedClientAddress = columns.text(38)
        upstream = columns.text(39)
        receivedStatus = columns.int(40)
        heldNs = columns.integer(41)
    }

    /// The strings of a JSON array.
    private static func texts(_ json: String?) -> [String] {
        guard let json, json != "[]",
            case .array(let values)? = try? JSONReader().read(Array(json.utf8))
        else { return [] }
        return values.compactMap {
            if case .string(let text) = $0 { text } else { nil }
        }
    }
}

extension MessageRow {
    /// The bits of a message's key that are its position; the exchange's number is above them.
    package static let positionMax: Int64 = 1 << 28 - 1

    /// Decodes a row of the columns `key`, `direction`, `kind`, `flags`, `time_ns`, `bytes`,
    /// `wire_bytes`, `body_offset`, `octets` and `problem`. The contents of a message that is part
    /// of a body are not in the row.
    package init(_ row: some StoredValues, startedAtNs: Int64) {
        self.init(
            position: (row.integer(0) ?? 0) & MessageRow.positionMax,
            direction: row.integer(1).flatMap(MessageRecord.Direction.init) ?? .toServer,
            kind: row.integer(2).flatMap(MessageRecord.Kind.init) ?? .invalid,
            flags: MessageRecord.Flags(rawValue: row.integer(3) ?? 0),
            atNs: startedAtNs &+ (row.integer(4) ?? 0), byteCount: max(0, row.integer(5) ?? 0),
            wireByteCount: max(0, row.integer(6) ?? 0), problem: row.text(9),
            bytes: row.bytes(8) ?? [])
    }
}

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
            version: version, cipher: row.text(5) ?? "", alpn: row.text(6), serverName: row.text(7),
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
