public import ProxydHTTPModel
internal import FoundationEssentials

/// `ConnectionRecord` in the format of the control socket.
public struct ConnectionMessage: Sendable, Hashable, Codable {
    var id: Int64
    var side: String
    var openedAt: Int64
    var peerAddress: String
    var localAddress: String
    var security: SecurityMessage?
    var pid: Int32?
    var processName: String?
    var http2: HTTP2ConnectionMessage?
    var arrival: ArrivalMessage?
    var upstream: String?

    struct ArrivalMessage: Sendable, Hashable, Codable {
        var listener: String
        var mode: String
        var originalAddress: String?
        var proxyProtocolPeer: String?
    }

    struct SecurityMessage: Sendable, Hashable, Codable {
        var version: String?
        var cipher: String?
        var alpn: String?
        var serverName: String?
        var peerCertificates: [Data]
        var isResumed: Bool
        var requestedAuthorities: [String]?
        var showsClientCertificate: Bool?
    }

    /// Creates a message from a record.
    public init(_ record: ConnectionRecord) {
        id = record.id.rawValue
        side = record.side.rawValue
        openedAt = record.openedAt
        peerAddress = record.peerAddress
        localAddress = record.localAddress
        security = record.security.map {
            SecurityMessage(
                version: $0.version, cipher: $0.cipher, alpn: $0.alpn, serverName: $0.serverName,
                peerCertificates: $0.peerCertificates.map { Data($0) }, isResumed: $0.isResumed,
                requestedAuthorities: $0.requestedAuthorities,
                showsClientCertificate: $0.showsClientCertificate)
        }
        pid = record.process?.pid
        processName = record.process?.name
        http2 = record.http2.map(HTTP2ConnectionMessage.init)
        arrival = record.arrival.map {
            ArrivalMessage(
                listener: $0.listener, mode: $0.mode.rawValue,
                originalAddress: $0.originalAddress, proxyProtocolPeer: $0.proxyProtocolPeer)
        }
        upstream = record.upstream
    }

    /// Converts the message back to a record; throws if it describes an impossible one.
    public func record() throws(ControlError) -> ConnectionRecord {
        guard ControlLimits.importedNumbers.contains(id),
            let side = ConnectionRecord.Side(rawValue: side)
        else {
            throw ControlError(.badMessage, "an imported connection has no valid id or side")
        }
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: id), side: side, openedAt: openedAt,
            peerAddress: peerAddress, localAddress: localAddress)
        record.security = security.map(\.security)
        if let pid, let processName {
            record.process = ConnectionRecord.ClientProcess(pid: pid, name: processName)
        }
        record.http2 = try http2?.facts()
        record.arrival = arrival.flatMap { arrival in
            ConnectionRecord.Arrival.Mode(rawValue: arrival.mode).map {
                ConnectionRecord.Arrival(
                    listener: arrival.listener, mode: $0,
                    originalAddress: arrival.originalAddress,
                    proxyProtocolPeer: arrival.proxyProtocolPeer)
            }
        }
        record.upstream = upstream
        return record
    }
}

extension ConnectionMessage.SecurityMessage {
    fileprivate var security: ConnectionRecord.Security {
        var security = ConnectionRecord.Security(
            version: version, cipher: cipher, alpn: alpn, serverName: serverName,
            peerCertificates: peerCertificates.map { [UInt8]($0) }, isResumed: isResumed)
        security.requestedAuthorities = requestedAuthorities
        security.showsClientCertificate = showsClientCertificate ?? false
        return security
    }
}

/// `HTTP2Facts` in the format of the control socket.
struct HTTP2Message: Sendable, Hashable, Codable {
    var clientStream: UInt32?
    var serverStream: UInt32?
    var serverVersion: [UInt8]?
    var reset: Reset?

    struct Reset: Sendable, Hashable, Codable {
        var side: String
        var isOurs: Bool
        var code: UInt32
    }

    init(_ facts: HTTP2Facts) {
        clientStream = facts.clientStream?.rawValue
        serverStream = facts.serverStream?.rawValue
        serverVersion = facts.serverVersion.map { [$0.major, $0.minor] }
        reset = facts.reset.map {
            Reset(side: $0.side.rawValue, isOurs: $0.isOurs, code: $0.code.rawValue)
        }
    }

    func facts() throws(ControlError) -> HTTP2Facts {
        var facts = HTTP2Facts()
        facts.clientStream = clientStream.map(StreamID.init(rawValue:))
        facts.serverStream = serverStream.map(StreamID.init(rawValue:))
        if let serverVersion {
            guard serverVersion.count == 2, serverVersion.allSatisfy({ $0 <= 9 }) else {
                throw ControlError(.badMessage, "an imported exchange has no valid version")
            }
            facts.serverVersion = HTTPVersion(major: serverVersion[0], minor: serverVersion[1])
        }
        if let reset {
            guard let side = ConnectionRecord.Side(rawValue: reset.side) else {
                throw ControlError(.badMessage, "an imported reset has no valid side")
            }
            facts.reset = HTTP2Facts.Reset(
                side: side, isOurs: reset.isOurs, code: HTTP2ErrorCode(rawValue: reset.code))
        }
        return facts
    }
}

/// `HTTP2ConnectionFacts` in the format of the control socket; a setting is its number and its
/// value.
struct HTTP2ConnectionMessage: Sendable, Hashable, Codable {
    var ourSettings: [[UInt32]]
    var peerSettings: [[UInt32]]
    var frames: Data

    init(_ facts: HTTP2ConnectionFacts) {
        ourSettings = facts.ourSettings.map { [UInt32($0.number), $0.value] }
        peerSettings = facts.peerSettings.map { [UInt32($0.number), $0.value] }
        frames = Data(facts.frames)
    }

    func facts() throws(ControlError) -> HTTP2ConnectionFacts {
        HTTP2ConnectionFacts(
            ourSettings: try HTTP2ConnectionMessage.settings(ourSettings),
            peerSettings: try HTTP2ConnectionMessage.settings(peerSettings),
            frames: [UInt8](frames))
    }

    private static func settings(
        _ pairs: [[UInt32]]
    ) throws(ControlError) -> [HTTP2ConnectionFacts.Setting] {
        var settings: [HTTP2ConnectionFacts.Setting] = []
        for pair in pairs {
            guard pair.count == 2, let number = UInt16(exactly: pair[0]) else {
                throw ControlError(.badMessage, "an imported setting is not a number and a value")
            }
            settings.append(.init(number: number, value: pair[1]))
        }
        return settings
    }
}
