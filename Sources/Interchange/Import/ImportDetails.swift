internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// The parts of an import that all formats share: the heads in `_capture`, and the conversion of an
/// exchange that had not ended.
struct ImportDetails {
    /// The member `_capture`; nil in files from other programs.
    let capture: JSONValue?
    /// `HTTP/3` if a message has this version, which an exchange cannot change to or from; nil for
    /// others. The text of heads does not tell it from HTTP/2.
    let sharedVersion: String?

    /// - Parameter versions: Those of the messages, as the format's own members write them.
    init(_ entry: JSONValue, versions: [JSONValue?]) {
        capture = entry[CaptureDetails.name]
        let isHTTP3 = versions.contains { ImportFields.version($0?.text) == .http3 }
        sharedVersion = isHTTP3 ? "\(HTTPVersion.http3)" : nil
    }

    private func inVersion<Head: VersionedHead>(_ head: Head) -> Head {
        sharedVersion == nil ? head : head.inVersion(.http3)
    }

    /// The details of one message in `_capture`.
    func message(_ name: String) -> JSONValue? { capture?[name] }

    var isMalformed: Bool { message("request")?["is_malformed"]?.bool ?? false }

    /// The bytes of a request head that could not be parsed; otherwise nil.
    var malformedHead: [UInt8]? { isMalformed ? message("request")?["head"]?.bytes : nil }

    /// The start of the exchange, in nanoseconds since 1970, and its timeline if it was captured. A
    /// time that is missing or cannot be is 0, and marked.
    func start(
        _ written: JSONValue?, _ marks: inout ImportMarks
    ) -> (atNs: Int64, timing: Timeline?) {
        let timing = CaptureDetails.timeline(capture?["timeline"])
        let atNs = timing?.wallStart ?? written.flatMap(ImportTime.nanoseconds)
        if atNs == nil { marks.insert(.missingTime) }
        return (atNs ?? 0, timing)
    }

    /// A response with its captured head, or else with a head built from the format's members.
    func response(
        _ composed: ResponseHead?, _ body: Body
    ) throws(ImportProblem) -> Response {
        guard let head = responseHead ?? composed else {
            throw ImportProblem("its response has no valid status")
        }
        return Response(head: head, body: body)
    }

    /// A connection of which only the peer is known.
    static func connection(
        _ side: ConnectionRecord.Side, to address: String, at startedAt: Int64
    ) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: 0), side: side, openedAt: startedAt,
            peerAddress: address, localAddress: "")
    }

    /// The captured request head; nil if it is missing or invalid.
    var requestHead: RequestHead? {
        let head = message("request")?["head"]?.bytes.flatMap {
            try? HeadParser.parseRequestHead($0, limits: .captured)
        }
        return head.map(inVersion)?.withCodings(codings("request") ?? [])
    }

    /// How HPACK encoded the lines of an HTTP/2 head; nil for other versions.
    private func codings(_ name: String) -> [UInt8]? { message(name)?["head_codings"]?.bytes }

    /// The request head as sent to the server; nil if it did not differ.
    private var sentHead: RequestHead? {
        message("request")?["sent_head"]?.bytes.flatMap {
            try? HeadParser.parseRequestHead($0, limits: .captured)
        }.map(inVersion)
    }

    /// The response head as the client received it; nil if it did not differ.
    private var sentResponseHead: ResponseHead? {
        message("response")?["sent_head"]?.bytes.flatMap {
            try? HeadParser.parseResponseHead($0, limits: .captured)
        }.map(inVersion)
    }

    /// A body that was sent in place of the one received; nil if there is none.
    private func sentBody(_ name: String) -> Body? {
        message(name)?["sent_body"]?.bytes.map {
            ImportBody.body($0, byteCount: message(name)?["sent_body_bytes"]?.integer)
        }
    }

    /// The captured response head; nil if it is missing or invalid.
    var responseHead: ResponseHead? {
        let head = message("response")?["head"]?.bytes.flatMap {
            try? HeadParser.parseResponseHead(
                $0, limits: .captured, mayLackEmptyLine: true)
        }
        return head.map(inVersion)?.withCodings(codings("response") ?? [])
    }

    /// The bytes of a body that the format's own members cannot reproduce; otherwise nil.
    func body(_ name: String) -> [UInt8]? { message(name)?["body"]?.bytes }

    /// The number of bytes that were transferred.
    func bodyByteCount(_ name: String) -> Int64? { message(name)?["body_bytes"]?.integer }

    /// Sets the remaining members; `outer` is used if there is no `_capture`.
    func complete(_ exchange: inout Exchange, state: String?, outer: JSONValue) {
        let source = capture ?? outer
        exchange.annotations = CaptureDetails.annotations(source)
        exchange.replayOf = ExchangeNameJSON.number(source["replay_of"]).map(
            ExchangeID.init(rawValue:))
        exchange.upgradedTo = source["upgraded_to"]?.text
        exchange.informational = (capture.map(CaptureDetails.interimHeads) ?? [])
            .map(inVersion)
        exchange.request.sentHead = sentHead
        exchange.request.sentBody = sentBody("request")
        exchange.response?.sentHead = sentResponseHead
        exchange.response?.sentBody = sentBody("response")
        exchange.response?.isWithheld = message("response")?["withheld"]?.bool ?? false
        exchange.response?.body.isAbandoned = message("response")?["abandoned"]?.bool ?? false
        if isMalformed {
            exchange.request.malformedCodings = codings("request")?.compactMap(
                FieldCoding.init(rawValue:))
        }
        HTTP2JSON.take(capture?["http2"], into: &exchange)
        exchange.request.keepsForeignHost =
            message("request")?["keeps_foreign_host"]?.bool ?? false
        exchange.request.trailers = CaptureDetails.trailers(message("request"))
        exchange.response?.trailers = CaptureDetails.trailers(message("response"))
        exchange.client = CaptureDetails.connection(capture?["client"], .client) ?? exchange.client
        exchange.server = CaptureDetails.connection(capture?["server"], .server) ?? exchange.server
        exchange.responseFault =
            CaptureDetails.fault(capture) ?? CaptureDetails.fault(outer["response"])
        exchange.failure = CaptureDetails.failure(capture?["failure"]) ?? exchange.failure
        settle(&exchange, (capture?["state"]?.text ?? state).flatMap(ExchangeState.init(rawValue:)))
    }

    private func settle(_ exchange: inout Exchange, _ state: ExchangeState?) {
        switch state {
        case .active?:
            exchange.state = .failed
            exchange.failure = ExchangeFailure(
                origin: .proxy, kind: .shutdown,
                message: "the exchange had not ended when it was exported")
        case let state?: exchange.state = state
        case nil: exchange.state = exchange.response == nil ? .failed : .complete
        }
        if exchange.state == .failed, exchange.failure == nil {
            exchange.failure = ImportFault.notRecorded("no response was recorded")
        }
    }
}
