internal import ProxydExchangeContent
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// An exchange that was read from a file and has no number in this store yet.
public struct ImportedExchange: Sendable {
    /// The exchange's number in the file; nil if it has none.
    public var sourceID: Int64?
    /// The exchange. Its own number has no meaning here, and `replayOf` is a number in the file.
    public var exchange: Exchange
    /// The bytes of a request head that could not be parsed; otherwise nil.
    public var malformedHead: [UInt8]?
    /// The status of a gRPC call, which may be missing from the trailers; nil if unknown.
    public var grpcStatus: Int64?
    /// The messages read so far.
    public var messages: [MessageRecord] = []

    /// The maximum size in bytes of everything but bodies and messages, many times the size of what
    /// servers and clients accept. A running daemon gets it in one piece.
    private static let headByteCountMax = 2 << 20

    /// Returns the exchange. Throws if what describes it is too large to be stored.
    func checked() throws(ImportProblem) -> ImportedExchange {
        var bare = update(id: ExchangeID(rawValue: 0), client: nil, server: nil, replayOf: nil)
        bare.requestBody.appended = []
        bare.responseBody.appended = []
        bare.messages = []
        bare.events = []
        guard bare.memoryByteCount <= ImportedExchange.headByteCountMax else {
            throw ImportProblem("its heads are longer than 2 MiB")
        }
        let annotations = exchange.annotations
        let noteByteCount = (annotations.tags + [annotations.note ?? ""]).reduce(0) {
            $0 + $1.utf8.count
        }
        guard noteByteCount <= ImportedExchange.headByteCountMax else {
            throw ImportProblem("its note and tags are longer than 2 MiB")
        }
        return self
    }

    /// Converts the exchange to a single store update under a number of this store.
    public func update(
        id: ExchangeID, client: ConnectionID?, server: ConnectionID?, replayOf: ExchangeID?
    ) -> ExchangeUpdate {
        var update = ExchangeUpdate(exchange, id: id)
        update.clientConnection = client
        update.serverConnection = server
        update.malformedHead = malformedHead
        update.replayOf = replayOf
        update.grpcStatus = grpcStatus
        update.messages = messages
        if exchange.state == .failed { update.requestBody.isComplete = false }
        update.responseBody.isComplete = exchange.state != .failed && !update.isResponseAbandoned
        return update
    }
}

/// The parts of an import that all formats share: the heads in `_capture`, and the conversion of an
/// exchange that had not ended.
struct ImportDetails {
    /// The member `_capture`; nil in files from other programs.
    let capture: JSONValue?
    /// `HTTP/3` if a message has this version, which an exchange cannot change to or from;
    /// otherwise nil. The text of heads does not distinguish it from HTTP/2.
    let sharedVersion: String?

    /// - Parameter versions: Those of the messages, in the format's own members.
    init(_ entry: JSONValue, versions: [JSONValue?]) {
        capture = entry[CaptureDetails.name]
        let isHTTP3 = versions.contains { ImportFields.version($0?.text) == .http3 }
        sharedVersion = isHTTP3 ? "\(HTTPVersion.http3)" : nil
    }

    private func inVersion<Head: VersionedHead>(_ head: Head) -> Head {
        sharedVersion == nil ? head : head.inVersion(.http3)
    }

    func message(_ name: String) -> JSONValue? { capture?[name] }

    var isMalformed: Bool { message("request")?["is_malformed"]?.bool ?? false }

    var malformedHead: [UInt8]? { isMalformed ? message("request")?["head"]?.bytes : nil }

    /// The start of the exchange, in nanoseconds since 1970, and its timeline if it was captured. A
    /// missing or impossible time is 0, and marked.
    func start(
        _ written: JSONValue?, _ marks: inout ImportMarks
    ) -> (atNs: Int64, timing: Timeline?) {
        let timing = CaptureDetails.timeline(capture?["timeline"])
        let atNs = timing?.wallStart ?? written.flatMap(ImportTime.nanoseconds)
        if atNs == nil { marks.insert(.missingTime) }
        return (atNs ?? 0, timing)
    }

    /// A response with its captured head, or else with a head built from the format's members.
    func response(_ composed: ResponseHead?, _ body: Body) throws(ImportProblem) -> Response {
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
    var requestHead: RequestHead? { requestHead("head")?.withCodings(codings("request") ?? []) }

    private func requestHead(_ member: String) -> RequestHead? {
        message("request")?[member]?.bytes.flatMap {
            try? HeadParser.parseRequestHead($0, limits: .captured)
        }.map(inVersion)
    }

    /// How HPACK encoded the lines of an HTTP/2 head; nil for other versions.
    private func codings(_ name: String) -> [UInt8]? { message(name)?["head_codings"]?.bytes }

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
            try? HeadParser.parseResponseHead($0, limits: .captured, mayLackEmptyLine: true)
        }
        return head.map(inVersion)?.withCodings(codings("response") ?? [])
    }

    /// The bytes of a body that the format's own members cannot reproduce; otherwise nil.
    func body(_ name: String) -> [UInt8]? { message(name)?["body"]?.bytes }

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
        exchange.request.sentHead = requestHead("sent_head")
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
        exchange.request.keepsForeignHost = message("request")?["keeps_foreign_host"]?.bool ?? false
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

/// What a file lacks of an exchange, marked by tags so that it can be seen and searched for.
struct ImportMarks: OptionSet {
    let rawValue: UInt16

    /// Heads are composed of names and values: spacing is lost.
    static let rebuiltHead = ImportMarks(rawValue: 1)
    /// Content codings were removed from a body.
    static let decodedBody = ImportMarks(rawValue: 2)
    static let missingBody = ImportMarks(rawValue: 4)
    /// It is not known when the exchange happened.
    static let missingTime = ImportMarks(rawValue: 8)
    static let missingMessages = ImportMarks(rawValue: 16)
    /// A header that no message can have was left out.
    static let missingHeader = ImportMarks(rawValue: 32)
    /// A browser took the response from its cache.
    static let fromCache = ImportMarks(rawValue: 64)
    /// Bytes within a body are missing in the capture.
    static let missingBytes = ImportMarks(rawValue: 128)

    /// A body is kept as the file writes it, in an unknown encoding.
    static let unknownEncoding = ImportMarks(rawValue: 256)
    /// Bytes of the file that are not text were replaced.
    static let damagedText = ImportMarks(rawValue: 512)

    private static let names: [(mark: ImportMarks, tag: String)] = [
        (.rebuiltHead, "rebuilt-head"), (.decodedBody, "decoded-body"),
        (.missingBody, "missing-body"), (.missingTime, "missing-time"),
        (.missingMessages, "missing-messages"), (.missingHeader, "missing-header"),
        (.fromCache, "from-cache"), (.missingBytes, "missing-bytes"),
        (.unknownEncoding, "unknown-encoding"), (.damagedText, "damaged-text"),
    ]

    func apply(to exchange: inout Exchange) {
        for (mark, tag) in ImportMarks.names where contains(mark) {
            exchange.annotations.tags.append(tag)
        }
    }
}

/// The party at fault for a failed exchange, judged by the message of the program that saw it:
/// Chrome's and Firefox's error names, and messages of mitmproxy and Charles.
enum ImportFault {
    private typealias Cause = (origin: ExchangeFailure.Origin, kind: ExchangeFailure.Kind)

    private static let messageCountMax = 200

    /// Words in lower case and their causes; the first match counts.
    private static let causes: [(words: [String], cause: Cause)] = [
        (["err_blocked_by", "err_cache_miss"], (.client, .refused)),
        (
            [
                "err_aborted", "ns_binding_aborted", "client disconnect", "by client",
                "client closed", "client reset",
            ], (.client, .closedEarly)
        ),
        (
            [
                "err_internet_disconnected", "err_network_changed", "err_network_io_suspended",
                "err_network_access_denied", "ns_error_offline",
            ], (.client, .connectFailed)
        ),
        (["connection killed"], (.proxy, .refused)),
        (
            [
                "err_name_", "ns_error_unknown_host", "name or service not known",
                "nodename nor servname", "unknownhost", "getaddrinfo",
            ], (.upstream, .nameResolution)
        ),
        (["refused"], (.upstream, .connectionRefused)),
        (["timed_out", "timed out", "timeout"], (.upstream, .timedOut)),
        (["err_cert_", "certificate"], (.upstream, .certificate)),
        (["err_ssl_", "err_bad_ssl", "handshake"], (.upstream, .tlsHandshake)),
        (
            ["err_address_", "err_proxy_", "err_tunnel_", "err_connection_failed", "unreachable"],
            (.upstream, .connectFailed)
        ),
        (["err_invalid_", "protocol_error"], (.upstream, .malformedResponse)),
    ]

    static func failure(_ message: String) -> ExchangeFailure {
        let message = String(message.prefix(messageCountMax))
        let text = message.lowercased()
        let known = causes.first { $0.words.contains { text.contains($0) } }?.cause
        let (origin, kind) = known ?? (.upstream, .closedEarly)
        return ExchangeFailure(origin: origin, kind: kind, message: message)
    }

    /// The file has no response and does not say why: it may have arrived after the recording.
    static func notRecorded(_ message: String) -> ExchangeFailure {
        ExchangeFailure(origin: .proxy, kind: .closedEarly, message: message)
    }
}
