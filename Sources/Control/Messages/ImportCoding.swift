internal import FoundationEssentials
public import ProxydCaptureModel
public import ProxydHTTPModel

/// Imported connections and updates of exchanges. Other versions write and read them, too: names
/// never change, and new members are optional.
extension ConnectionRecord: MemberCoded {
    static var blank: ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: 0), side: .client, openedAt: 0, peerAddress: "",
            localAddress: "")
    }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("id", &id)
        try members.check(number: id.rawValue)
        try members.value("side", &side)
        try members.value("openedAt", &openedAt)
        try members.value("peerAddress", &peerAddress)
        try members.value("localAddress", &localAddress)
        try members.optional("security", &security)
        var (pid, name) = (process?.pid, process?.name)
        try members.optional("pid", &pid)
        try members.optional("processName", &name)
        if let pid, let name { process = ClientProcess(pid: pid, name: name) }
        try members.optional("http2", &http2)
        // One in a mode that only a newer version knows is left out.
        try? members.optional("arrival", &arrival)
        try members.optional("upstream", &upstream)
    }
}

extension ConnectionRecord.Security: MemberCoded {
    static var blank: Self { Self(version: nil, cipher: nil, alpn: nil, serverName: nil) }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.optional("version", &version)
        try members.optional("cipher", &cipher)
        try members.optional("alpn", &alpn)
        try members.optional("serverName", &serverName)
        var certificates = peerCertificates.map { Data($0) }
        try members.value("peerCertificates", &certificates)
        peerCertificates = certificates.map { [UInt8]($0) }
        try members.value("isResumed", &isResumed)
        try members.optional("requestedAuthorities", &requestedAuthorities)
        var isShown: Bool? = showsClientCertificate
        try members.optional("showsClientCertificate", &isShown)
        showsClientCertificate = isShown ?? false
    }
}

extension HTTP2ConnectionFacts: MemberCoded {
    static var blank: HTTP2ConnectionFacts { HTTP2ConnectionFacts() }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("ourSettings", &ourSettings)
        try members.value("peerSettings", &peerSettings)
        try members.bytes("frames", &frames)
    }
}

/// A setting is an array of its number and its value.
extension HTTP2ConnectionFacts.Setting: Codable {
    public init(from decoder: any Decoder) throws {
        let pair = try [UInt32](from: decoder)
        guard pair.count == 2, let number = UInt16(exactly: pair[0]) else {
            throw ControlError(.badMessage, "an imported setting is not a number and a value")
        }
        self.init(number: number, value: pair[1])
    }

    public func encode(to encoder: any Encoder) throws {
        try [UInt32(number), value].encode(to: encoder)
    }
}

extension ExchangeUpdate: MemberCoded {
    static var blank: ExchangeUpdate {
        ExchangeUpdate(
            id: ExchangeID(rawValue: 0), state: .active, timeline: .blank, isFirst: false)
    }

    /// No exchange is held for longer: a century, in nanoseconds.
    private static let heldNsMax: Int64 = 3_155_760_000_000_000_000

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("id", &id)
        try members.check(number: id.rawValue)
        try members.value("state", &state)
        try members.value("isFirst", &isFirst)
        try members.optional("clientConnection", &clientConnection)
        try members.optional("serverConnection", &serverConnection)
        try members.optional("url", &url)
        try members.optional("requestHead", &requestHead)
        try members.bytes("malformedHead", &malformedHead)
        var codings = malformedCodings?.map(\.rawValue)
        try members.bytes("malformedCodings", &codings)
        malformedCodings = codings?.compactMap(FieldCoding.init(rawValue:))
        try members.bytes("requestHeadSent", &requestHeadSent)
        try members.value("keepsForeignHost", &keepsForeignHost, unless: false)
        try members.value("requestBody", &requestBody)
        try members.optional("requestTrailers", &requestTrailers)
        try members.value("informational", &informational)
        try members.optional("responseHead", &responseHead)
        try members.value("responseBody", &responseBody)
        try members.optional("sentResponseByteCount", &sentResponseByteCount)
        sentResponseByteCount = sentResponseByteCount.map { max(0, min($0, Body.byteCountMax)) }
        try members.value("isResponseAbandoned", &isResponseAbandoned, unless: false)
        try members.value("heldNs", &heldNs, unless: 0)
        heldNs = max(0, min(heldNs, ExchangeUpdate.heldNsMax))
        try members.optional("responseTrailers", &responseTrailers)
        try members.optional("responseFault", &responseFault)
        try members.value("timeline", &timeline)
        try members.optional("failure", &failure)
        try members.optional("upgradedTo", &upgradedTo)
        try members.optional("replayOf", &replayOf)
        try members.optional("http2", &http2)
        try members.bytesIfAny("frames", &frames)
        try members.value("messages", &messages, unless: [])
        try members.value("events", &events, unless: [])
        try members.optional("grpcStatus", &grpcStatus)
        try members.optional("user", &user)
    }
}

extension ExchangeUpdate.BodyProgress: MemberCoded {
    static var blank: Self { Self() }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.bytesIfAny("appended", &appended)
        try members.value("byteCount", &byteCount)
        byteCount = max(0, min(Body.byteCountMax, byteCount))
        try members.value("isComplete", &isComplete)
    }
}

/// One offset for each moment, in the moments' order.
extension Timeline: MemberCoded {
    static var blank: Timeline { Timeline(wallStart: 0, start: 0) }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("wallStart", &wallStart)
        try members.value("start", &start)
        try members.value("connectionReused", &connectionReused)
        var offsets = Moment.allCases.map { self[$0] }
        try members.value("offsets", &offsets)
        guard offsets.count <= Moment.allCases.count else {
            throw ControlError(.badMessage, "an imported timeline has more moments than there are")
        }
        for (moment, offset) in zip(Moment.allCases, offsets) { self[moment] = offset }
    }
}

extension HTTP2Facts: MemberCoded {
    static var blank: HTTP2Facts { HTTP2Facts() }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.optional("clientStream", &clientStream)
        try members.optional("serverStream", &serverStream)
        try members.optional("reset", &reset)
        var digits = serverVersion.map { [$0.major, $0.minor] }
        try members.optional("serverVersion", &digits)
        serverVersion = try digits.map(HTTPVersion.init(imported:))
    }
}

extension ResponseFault: MemberCoded {
    static var blank: ResponseFault { ResponseFault() }

    mutating func code(_ members: inout MemberCoder) throws {
        var (bytes, reason) = (refusal?.bytes, refusal?.reason)
        try members.bytes("refusedOctets", &bytes)
        try members.optional("refusedReason", &reason)
        refusal = reason.map { Refusal(bytes: bytes ?? [], reason: $0) }
        try members.value("repaired", &repairs)
    }
}

extension MessageRecord: MemberCoded {
    static var blank: MessageRecord {
        MessageRecord(direction: .toServer, kind: .text, byteCount: 0, content: .bytes([]))
    }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("position", &position)
        try members.value("direction", &direction)
        try members.value("kind", &kind)
        try members.value("flags", &flags)
        try members.value("offsetNs", &offsetNs)
        try members.value("byteCount", &byteCount)
        try members.value("wireByteCount", &wireByteCount)
        try members.optional("problem", &problem)
        try codeContent(&members)
        guard position >= 0, byteCount >= 0, wireByteCount >= 0 else {
            throw ControlError(.badMessage, "an imported message has no valid length")
        }
    }

    /// The message's offset in the body, or its bytes.
    private mutating func codeContent(_ members: inout MemberCoder) throws {
        var (start, bytes): (Int64?, [UInt8]?)
        switch content {
        case .bytes(let content): bytes = content
        case .body(let range): start = range.lowerBound
        }
        try members.optional("bodyStart", &start)
        try members.bytes("octets", &bytes)
        guard let start else { return content = .bytes(bytes ?? []) }
        let (end, isOver) = start.addingReportingOverflow(byteCount)
        guard start >= 0, byteCount >= 0, !isOver else {
            throw ControlError(.badMessage, "an imported message is outside its body")
        }
        content = .body(start..<end)
    }
}

/// Exactly one of the members is set.
extension ExchangeEvent: MemberCoded {
    static var blank: ExchangeEvent { .responseWithheld }

    mutating func code(_ members: inout MemberCoder) throws {
        var (request, head, response): ([UInt8]?, [UInt8]?, [UInt8]?)
        var (isWithheld, rule, tag): (Bool?, AppliedRule?, String?)
        switch self {
        case .sentRequestBody(let bytes): request = bytes
        case .sentResponseHead(let bytes): head = bytes
        case .sentResponseBody(let bytes): response = bytes
        case .responseWithheld: isWithheld = true
        case .appliedRule(let applied): rule = applied
        case .tagged(let text): tag = text
        }
        try members.bytes("sentRequestBody", &request)
        try members.bytes("sentResponseHead", &head)
        try members.bytes("sentResponseBody", &response)
        try members.optional("responseWithheld", &isWithheld)
        try members.optional("rule", &rule)
        try members.optional("tag", &tag)
        let event =
            request.map(Self.sentRequestBody) ?? head.map(Self.sentResponseHead)
            ?? response.map(Self.sentResponseBody) ?? (isWithheld == true ? .responseWithheld : nil)
            ?? tag.map(Self.tagged) ?? rule.map(Self.appliedRule)
        guard let event else {
            throw ControlError(.badMessage, "an imported event has an unknown kind")
        }
        self = event
    }
}

extension AppliedRule: MemberCoded {
    static var blank: AppliedRule { AppliedRule(rule: "", phase: .connect, outcome: "") }

    mutating func code(_ members: inout MemberCoder) throws {
        var (rule, phase, outcome, detail) = (rule, phase, outcome, detail)
        var (startNs, durationNs) = (hold?.startNs, hold?.durationNs)
        try members.value("rule", &rule)
        try members.value("phase", &phase)
        try members.value("outcome", &outcome)
        try members.optional("detail", &detail)
        try members.optional("holdStartNs", &startNs)
        try members.optional("holdNs", &durationNs)
        self = AppliedRule(rule: rule, phase: phase, outcome: outcome, detail: detail)
        if let startNs, let durationNs { hold = Hold(startNs: startNs, durationNs: durationNs) }
    }
}

/// Only files that users add are sent.
extension ProtoFile: MemberCoded {
    static var blank: ProtoFile { ProtoFile(name: "", source: .given, bytes: []) }

    mutating func code(_ members: inout MemberCoder) throws {
        try members.value("name", &name)
        try members.bytes("octets", &bytes)
    }
}

extension RawURL: MemberCoded {
    static var blank: RawURL { RawURL(scheme: "", host: "", port: 0, origin: []) }

    mutating func code(_ members: inout MemberCoder) throws {
        var (scheme, host, port, origin) = (scheme, host, port, origin)
        try members.value("scheme", &scheme)
        try members.value("host", &host)
        try members.value("port", &port)
        try members.bytes("origin", &origin)
        self = RawURL(scheme: scheme, host: host, port: port, origin: origin)
    }
}
