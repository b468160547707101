internal import ProxydCivilTime
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// What all formats have in common on the way in: the heads that `_capture` holds, and what an
/// exchange that had not ended becomes.
struct ImportDetails {
    /// The member `_capture`; nil in files of other programs.
    let capture: JSONValue?

    init(_ entry: JSONValue) { capture = entry[CaptureDetails.name] }

    /// What is known of one message.
    func message(_ name: String) -> JSONValue? { capture?[name] }

    var isMalformed: Bool { message("request")?["is_malformed"]?.bool ?? false }

    /// The bytes of a request head that could not be parsed; nil where it could.
    var malformedHead: [UInt8]? { isMalformed ? message("request")?["head"]?.octets : nil }

    /// When the exchange began, in nanoseconds since 1970, and all its moments where they were
    /// captured.
    /// - Parameter member: What the format calls the beginning.
    func start(
        of entry: JSONValue, _ member: String
    ) throws(ImportProblem) -> (atNs: Int64, timing: Timeline?) {
        let timing = CaptureDetails.timeline(capture?["timeline"])
        let text = entry[member]?.text
        guard let atNs = timing?.wallStart ?? text.flatMap({ RFC3339.nanoseconds($0) }) else {
            throw ImportProblem("it has no time (\(member))")
        }
        return (atNs, timing)
    }

    /// A response whose head was captured, or else composed of what the format has.
    func response(
        _ composed: ResponseHead?, _ body: Body
    ) throws(ImportProblem) -> Response {
        guard let head = responseHead ?? composed else {
            throw ImportProblem("its response has no valid status")
        }
        return Response(head: head, body: body)
    }

    /// A connection of which the other end alone is known.
    static func connection(
        _ side: ConnectionRecord.Side, to address: String, at startedAt: Int64
    ) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: 0), side: side, openedAt: startedAt,
            peerAddress: address, localAddress: "")
    }

    /// The request head as it was captured; nil where it is not known or no head.
    var requestHead: RequestHead? {
        let head = message("request")?["head"]?.octets.flatMap {
            try? HeadParser.parseRequestHead($0, limits: CaptureDetails.limits)
        }
        return head?.withCodings(codings("request") ?? [])
    }

    /// How the lines of a head of HTTP/2 were written; nil where it is none.
    private func codings(_ name: String) -> [UInt8]? { message(name)?["head_codings"]?.octets }

    /// The request head as it went to the server; nil where it did not differ.
    private var sentHead: RequestHead? {
        message("request")?["sent_head"]?.octets.flatMap {
            try? HeadParser.parseRequestHead($0, limits: CaptureDetails.limits)
        }
    }

    /// The response head as the client got it; nil where it did not differ.
    private var sentResponseHead: ResponseHead? {
        message("response")?["sent_head"]?.octets.flatMap {
            try? HeadParser.parseResponseHead($0, limits: CaptureDetails.limits)
        }
    }

    /// A body that went on instead of the one that came; nil where there is none.
    private func sentBody(_ name: String) -> Body? {
        message(name)?["sent_body"]?.octets.map {
            ImportBody.body($0, byteCount: message(name)?["sent_body_bytes"]?.integer)
        }
    }

    /// The response head as it was captured; nil where it is not known or no head.
    var responseHead: ResponseHead? {
        let head = message("response")?["head"]?.octets.flatMap {
            try? HeadParser.parseResponseHead(
                $0, limits: CaptureDetails.limits, mayLackEmptyLine: true)
        }
        return head?.withCodings(codings("response") ?? [])
    }

    /// A body that the format's own members cannot give back; nil where they can.
    func body(_ name: String) -> [UInt8]? { message(name)?["body"]?.octets }

    /// The octets that passed.
    func bodyByteCount(_ name: String) -> Int64? { message(name)?["body_bytes"]?.integer }

    /// Sets what stands for itself; `outer` answers where there is no `_capture`.
    func complete(_ exchange: inout Exchange, state: String?, outer: JSONValue) {
        let source = capture ?? outer
        exchange.annotations = CaptureDetails.annotations(source)
        exchange.replayOf = source["replay_of"]?.integer.map(ExchangeID.init(rawValue:))
        exchange.upgradedTo = source["upgraded_to"]?.text
        exchange.informational = capture.map(CaptureDetails.interimHeads) ?? []
        exchange.request.sentHead = sentHead
        exchange.request.sentBody = sentBody("request")
        exchange.response?.sentHead = sentResponseHead
        exchange.response?.sentBody = sentBody("response")
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
            exchange.failure = ExchangeFailure(
                origin: .upstream, kind: .closedEarly, message: "no response was recorded")
        }
    }
}
