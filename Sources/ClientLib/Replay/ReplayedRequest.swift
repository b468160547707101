public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

extension Session {
    /// Sends a captured exchange's request to its server again. No redirects are followed, no
    /// default fields, cookies or credentials are added, and adapters are not called.
    ///
    /// Exact replays cannot be edited. Exchanges that cannot be sent again fail with
    /// `.replayRefused`. If the session records, the new exchange's `replayOf` is this exchange's
    /// number.
    public func replay(
        of exchange: Exchange, fidelity: ReplayFidelity = .bytes,
        version: ReplayVersion = .recorded, editing edits: [ReplayEdit] = []
    ) -> DataRequest {
        replay(consumer: nil, as: DataRequest.init) {
            try ReplayedRequest.request(of: exchange, fidelity, version, edits)
        }
    }

    /// Sends a captured exchange's request again after `edit` has changed it. Host and framing are
    /// composed anew; every other field line is sent as captured or edited.
    public func replay(
        of exchange: Exchange, version: ReplayVersion = .recorded,
        editing edit: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) -> DataRequest {
        replay(consumer: nil, as: DataRequest.init) {
            let replayed = try ReplayedRequest(exchange)
            var request = replayed.editable
            request.protocols = version.protocols(for: exchange)
            let host = request.fields.value(.host)
            try edit(&request)
            return try replayed.recomposed(request, keepsHost: request.fields.value(.host) != host)
        }
    }

    /// A request that skips adapters. Its duration, which is compared with the captured one, is
    /// measured from when it can be sent.
    func replay<Request: ClientRequest>(
        consumer: (any BodyConsumer)?, as make: (RequestCore) -> Request,
        build: @escaping RequestBuilder
    ) -> Request {
        let network = core.transport as? NetworkTransport
        let shared = RequestCore(host: core, consumer: consumer) {
            let request = try await build()
            if request.url.scheme == "https" { network?.loadAuthorities() }
            return request
        }
        shared.configure { $0.isAdapted = false }
        return core.adopt(make(shared))
    }
}

extension ReplayedRequest {
    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    static func request(
        of exchange: Exchange, _ fidelity: ReplayFidelity, _ version: ReplayVersion,
        _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        var request = try request(of: exchange, fidelity, edits)
        request.protocols = version.protocols(for: exchange)
        return request
    }

    private static func request(
        of exchange: Exchange, _ fidelity: ReplayFidelity, _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        let replayed = try ReplayedRequest(exchange)
        switch fidelity {
        case .bytes:
            guard edits.isEmpty else { throw ClientError(.replayRefused(.exactCannotBeEdited)) }
            return replayed.exact
        case .semantic:
            var editor = RequestEditor(replayed.editable)
            try editor.apply(edits)
            return try replayed.recomposed(editor.request, keepsHost: editor.keepsHost)
        }
    }
}

/// A captured request to be sent again.
struct ReplayedRequest {
    private let original: ExchangeID
    private let url: RawURL
    /// The head that proxyd sends to the server for the received request.
    private let forwarded: RequestHead
    /// The head that was sent: the same, or another if head and body differed in more than form.
    private let sentHead: RequestHead
    private let sentBody: [UInt8]
    private let body: [UInt8]
    private let framing: BodyLength
    private let trailers: HeaderFields?

    /// - Throws: `.replayRefused`.
    init(_ exchange: Exchange) throws(ClientError) {
        let (head, url) = try ReplayedRequest.checked(exchange)
        original = exchange.id
        self.url = url
        body = exchange.request.body.kept
        framing = ReplayedRequest.framing(of: head, byteCount: body.count)
        trailers = exchange.request.trailers
        var options = ReplayedRequest.options(for: head)
        options.keepsHost = exchange.request.keepsForeignHost
        forwarded = try ReplayedRequest.forwarded(
            head, url: url, framing: framing, options: options)
        sentBody = exchange.request.sentBody?.kept ?? body
        if let sent = exchange.request.sentHead {
            sentHead = sent
        } else {
            sentHead = try ReplayedRequest.forwarded(
                head, url: url,
                framing: ReplayedRequest.framing(of: head, byteCount: sentBody.count),
                options: options)
        }
    }

    /// The request as sent: the head byte for byte, with the body that followed it.
    var exact: HTTPRequest {
        var request = editable
        request.exactHead = sentHead
        let isEmpty = sentBody.isEmpty && framing == .none
        request.body = isEmpty ? .none : .bytes(sentBody)
        return request
    }

    /// The request in parts that can be edited.
    var editable: HTTPRequest {
        let isEmpty = framing == .none
        var request = HTTPRequest(
            method: forwarded.method, url: url, fields: forwarded.fields,
            body: isEmpty ? .none : .bytes(body), trailers: trailers)
        request.replayOf = original.isOwnNumber ? original : nil
        return request
    }

    /// The edited request with Host and framing composed anew and all other lines unchanged.
    /// - Throws: `.invalidURL`, `.invalidRequest`, `.bodyUnavailable`.
    func recomposed(_ edited: HTTPRequest, keepsHost: Bool) throws(ClientError) -> HTTPRequest {
        var request = edited
        if case .multipart(let form, _) = request.body {
            request.fields.set(name: "Content-Type", value: form.contentType)
        }
        try FieldChecker.check(request.fields)
        var options = ForwardedRequest.Options()
        options.regeneratesHost = !keepsHost
        if forwarded.version >= .http2 {
            let recomposer = HTTP2Recomposer(captured: forwarded, keepsHost: keepsHost)
            request.exactHead = try recomposer.head(of: request, framing: try framing(of: request))
            return request
        }
        let head = RequestHead(
            method: request.method, target: request.url.origin, fields: request.fields)
        request.exactHead = try ReplayedRequest.forwarded(
            head, url: request.url, framing: try framing(of: request), options: options)
        return request
    }

    /// A chunked body stays chunked; otherwise its length is declared if it is known.
    private func framing(of request: HTTPRequest) throws(ClientError) -> BodyLength {
        let byteCount: Int64?
        switch request.body {
        case .none: byteCount = 0
        case .bytes(let bytes): byteCount = Int64(bytes.count)
        case .file(let path): byteCount = try FileSource.byteCount(ofFile: path)
        case .stream(let stream): byteCount = stream.byteCount
        case .multipart(let form, _): byteCount = form.byteCount
        }
        if request.body.isNone { return framing == .none ? .none : .exactly(0) }
        guard let byteCount, framing != .chunked, request.trailers == nil else { return .chunked }
        return .exactly(UInt64(clamping: byteCount))
    }

    // MARK: Captured

    private static func checked(_ exchange: Exchange) throws(ClientError) -> (RequestHead, RawURL) {
        if let name = exchange.upgradedTo { throw ClientError(.replayRefused(.upgraded(to: name))) }
        let request = exchange.request
        guard exchange.state != .tunnel, request.method != .connect else {
            throw ClientError(.replayRefused(.tunnel))
        }
        guard let head = request.head, let url = request.url else {
            throw ClientError(.replayRefused(.malformed))
        }
        for body in [request.body, request.sentBody ?? Body()] where body.isTruncated {
            throw ClientError(
                .replayRefused(
                    .truncatedBody(
                        byteCount: body.byteCount, keptByteCount: Int64(body.kept.count))))
        }
        guard isComplete(exchange, head) else { throw ClientError(.replayRefused(.incompleteBody)) }
        return (head, url)
    }

    /// Whether the whole body was captured: its length says so, or its end was seen. Nothing is
    /// missing from an exchange that ended well, whatever an imported head says.
    private static func isComplete(_ exchange: Exchange, _ head: RequestHead) -> Bool {
        guard exchange.state != .complete else { return true }
        let isHTTP2WithoutLength =
            head.version >= .http2 && head.fields.first(.contentLength) == nil
        if isHTTP2WithoutLength || head.fields.first(.transferEncoding) != nil {
            return exchange.timeline[.requestLastByte] != nil
        }
        guard let declared = head.fields.value(.contentLength).flatMap({ Int64($0) }) else {
            return true
        }
        return declared == exchange.request.body.byteCount
    }

    private static func framing(of head: RequestHead, byteCount: Int) -> BodyLength {
        if head.fields.first(.transferEncoding) != nil { return .chunked }
        let isSaid = head.fields.first(.contentLength) != nil
        if head.version >= .http2, !isSaid, byteCount > 0 { return .chunked }
        return isSaid || byteCount > 0 ? .exactly(UInt64(byteCount)) : .none
    }

    /// Max-Forwards counts as it did on the way to the server (RFC 9110 §7.6.2).
    private static func options(for head: RequestHead) -> ForwardedRequest.Options {
        var options = ForwardedRequest.Options()
        if head.method == .trace || head.method == .options, let count = head.maxForwards {
            options.maxForwards = count == 0 ? 0 : count - 1
        }
        return options
    }

    private static func forwarded(
        _ head: RequestHead, url: RawURL, framing: BodyLength, options: ForwardedRequest.Options
    ) throws(ClientError) -> RequestHead {
        // HTTP/2 heads are passed on line by line.
        if head.version >= .http2 { return head }
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: head, url: url, body: framing, options: options), into: &bytes)
        do throws(WireError) {
            return try HeadParser.parseWritten(bytes)
        } catch {
            throw ClientError(.invalidRequest(.badTarget), underlying: error)
        }
    }
}

/// Writes the head of an edited HTTP/2 request: pseudo-fields in the captured order, and sensitive
/// lines marked as before.
struct HTTP2Recomposer {
    let captured: RequestHead
    /// Whether the authority is kept, or replaced by an edited Host.
    let keepsHost: Bool

    /// - Throws: `.invalidRequest`.
    func head(of request: HTTPRequest, framing: BodyLength) throws(ClientError) -> RequestHead {
        var bytes: [UInt8] = []
        var codings: [UInt8] = []
        var length: [UInt8]?
        if case .exactly(let count) = framing { length = Array(String(count).utf8) }
        var isLengthSaid = false
        for line in captured.pseudoFields {
            let name = ASCII.text(captured.bytes[line.nameRange])
            let came = Array(captured.bytes[line.valueRange])
            add(name, value(of: name, came: came, request), line.coding, &bytes, &codings)
        }
        for line in request.fields.lines {
            let name = request.fields.name(of: line).lowercased()
            if line.name == .contentLength, let length {
                add(name, length, coding(of: name), &bytes, &codings)
                isLengthSaid = true
            }
            guard !HTTP2Recomposer.isMadeAnew(line.name) else { continue }
            let value = Array(request.fields.bytes[line.valueRange])
            add(name, value, coding(of: name), &bytes, &codings)
        }
        if let length, !isLengthSaid { add("content-length", length, .text, &bytes, &codings) }
        bytes += [0x0D, 0x0A]
        do throws(WireError) {
            return try HeadParser.parseWritten(bytes).withCodings(codings)
        } catch {
            throw ClientError(.invalidRequest(.badTarget), underlying: error)
        }
    }

    private static func isMadeAnew(_ name: FieldName) -> Bool {
        switch name {
        case .host, .contentLength, .transferEncoding, .connection, .keepAlive, .upgrade,
            .proxyConnection:
            true
        default: false
        }
    }

    private func value(of name: String, came: [UInt8], _ request: HTTPRequest) -> [UInt8] {
        switch name {
        case ":method": return Array(request.method.rawValue.utf8)
        case ":scheme": return Array(request.url.scheme.utf8)
        case ":path": return request.url.origin
        case ":authority":
            guard keepsHost else { return Array(request.url.authority.utf8) }
            return request.fields.value(.host).map { Array($0.utf8) } ?? came
        default: return came
        }
    }

    /// How the captured line of a name was encoded; the default for a new line.
    private func coding(of name: String) -> FieldCoding {
        captured.fields.lines.first { captured.fields.name(of: $0).lowercased() == name }?.coding
            ?? .text
    }

    private func add(
        _ name: String, _ value: [UInt8], _ coding: FieldCoding, _ bytes: inout [UInt8],
        _ codings: inout [UInt8]
    ) {
        bytes += Array("\(name): ".utf8) + value + [0x0D, 0x0A]
        codings.append(coding.rawValue)
    }
}
