internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Reads `_capture` again. Members that are missing or invalid are ignored.
extension CaptureDetails {
    static func failure(_ value: JSONValue?) -> ExchangeFailure? {
        guard let origin = value?["origin"]?.text.flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = value?["kind"]?.text.flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(
            origin: origin, kind: kind, message: value?["message"]?.text ?? "")
    }

    static func timeline(_ value: JSONValue?) -> Timeline? {
        guard let value, let start = value["started_at_ns"]?.integer else { return nil }
        var timeline = Timeline(wallStart: start, start: 0)
        timeline.connectionReused = value["connection_reused"]?.bool ?? false
        for moment in Moment.allCases {
            timeline[moment] = value["moments_ns"]?["\(moment)"]?.integer
        }
        return timeline
    }

    static func annotations(_ value: JSONValue) -> Exchange.Annotations {
        Exchange.Annotations(
            note: value["note"]?.text,
            tags: (value["tags"]?.elements ?? []).compactMap(\.text),
            isPinned: value["pinned"]?.bool ?? false)
    }

    static func connection(
        _ value: JSONValue?, _ side: ConnectionRecord.Side
    ) -> ConnectionRecord? {
        guard let value, let address = value["peer_address"]?.text else { return nil }
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: value["id"]?.integer ?? 0), side: side,
            openedAt: value["opened_at_ns"]?.integer ?? 0, peerAddress: address,
            localAddress: value["local_address"]?.text ?? "")
        if let pid = value["pid"]?.integer.flatMap({ Int32(exactly: $0) }) {
            record.process = .init(pid: pid, name: value["process"]?.text ?? "")
        }
        if let tls = value["tls"] {
            record.security = ConnectionRecord.Security(
                version: tls["version"]?.text, cipher: tls["cipher"]?.text,
                alpn: tls["alpn"]?.text, serverName: tls["server_name"]?.text,
                isResumed: tls["is_resumed"]?.bool ?? false)
        }
        if let ours = value["our_settings"] {
            record.http2 = HTTP2ConnectionFacts(
                ourSettings: settings(ours), peerSettings: settings(value["peer_settings"]))
        }
        return record
    }

    private static func settings(_ value: JSONValue?) -> [HTTP2ConnectionFacts.Setting] {
        (value?.elements ?? []).compactMap { pair in
            guard pair.elements.count == 2,
                let number = pair.elements[0].integer.flatMap({ UInt16(exactly: $0) }),
                let value = pair.elements[1].integer.flatMap({ UInt32(exactly: $0) })
            else { return nil }
            return .init(number: number, value: value)
        }
    }

    /// `refused` and `repaired` of a response, or of `_capture` itself.
    static func fault(_ value: JSONValue?) -> ResponseFault? {
        let refusal = value?["refused"].flatMap { refused -> ResponseFault.Refusal? in
            guard let reason = refused["reason"]?.text else { return nil }
            return .init(bytes: refused["bytes_base64"]?.bytes ?? [], reason: reason)
        }
        let repairs = (value?["repaired"]?.elements ?? []).compactMap(\.text)
        guard refusal != nil || !repairs.isEmpty else { return nil }
        return ResponseFault(refusal: refusal, repairs: repairs)
    }

    static func trailers(_ value: JSONValue?) -> HeaderFields? {
        value?["trailers"]?.bytes.flatMap { try? HeadParser.parseTrailers($0, limits: .captured) }
    }

    static func interimHeads(_ value: JSONValue) -> [ResponseHead] {
        (value["interim_heads"]?.elements ?? []).compactMap {
            $0.bytes.flatMap { try? HeadParser.parseResponseHead($0, limits: .captured) }
        }
    }
}
