package import ProxydHTTPModel
internal import ProxydHTTPWire

/// The parts of an exchange as a store has them, from which `exchange(_:)` makes the whole.
package struct StoredParts: Sendable {
    /// The values of its row in `exchange`.
    package let columns: ExchangeColumns
    /// Heads, trailers and the first frames.
    package let heads: StoredHeads
    /// The bodies as received, complete or cut by the reader.
    package var requestBody: [UInt8] = []
    package var responseBody: [UInt8] = []
    /// The bodies as forwarded, or nil if they are those received.
    package var requestBodySent: [UInt8]?
    package var responseBodySent: [UInt8]?
    /// Frames that were recorded after those in `heads`.
    package var laterFrames: [UInt8] = []
    package var client: ConnectionRecord?
    package var server: ConnectionRecord?
    package var responseFault: ResponseFault?
    package var appliedRules: [AppliedRule] = []
    package var annotations = Exchange.Annotations()

    /// Creates an exchange without bodies and without parts from further tables.
    package init(columns: ExchangeColumns, heads: StoredHeads) {
        self.columns = columns
        self.heads = heads
    }

    /// Makes the exchange.
    package func exchange(_ id: ExchangeID) -> Exchange {
        var exchange = Exchange(
            id: id, state: columns.state, request: request, response: response,
            informational: heads.informational.map { inVersion($0) }, timeline: columns.timeline)
        exchange.client = client
        exchange.server = server
        exchange.responseFault = responseFault
        exchange.appliedRules = appliedRules
        exchange.http2 = columns.http2(response: heads.responseHead)
        exchange.frames = heads.frames + laterFrames
        exchange.failure = columns.failure
        exchange.user = columns.user
        exchange.upgradedTo = columns.upgradedTo
        exchange.replayOf = columns.replayOf
        exchange.annotations = annotations
        return exchange
    }

    /// A head with its version, which the text of HTTP/2 and HTTP/3 heads does not tell.
    private func inVersion<Head: VersionedHead>(_ head: Head) -> Head {
        columns.headFormat == .http3 ? head.inVersion(.http3) : head
    }

    private func inVersion<Head: VersionedHead>(_ head: Head?) -> Head? { head.map(inVersion) }

    private var request: Request {
        let head = columns.flags.contains(.malformedHead) ? nil : inVersion(heads.requestHead)
        var request = Request(
            url: url(head), head: head,
            body: Body(byteCount: columns.requestByteCount, kept: requestBody),
            trailers: heads.requestTrailers)
        request.sentHead = inVersion(heads.sentRequestHead)
        request.sentBody = requestBodySent.map {
            StoredParts.sentBody($0, request.sentHead?.fields)
        }
        if columns.headFormat == .malformedHTTP2 {
            request.malformedCodings = heads.requestCodings.compactMap(FieldCoding.init(rawValue:))
        }
        request.keepsForeignHost = columns.flags.contains(.keepsForeignHost)
        return request
    }

    /// The response, if there is one. If a rule answered instead of a server, it is the response
    /// that the client received.
    private var response: Response? {
        let sentHead = inVersion(heads.sentResponseHead)
        guard let head = inVersion(heads.responseHead) ?? sentHead else { return nil }
        var body = Body(
            byteCount: columns.receivedByteCount ?? columns.responseByteCount, kept: responseBody)
        body.isAbandoned =
            columns.state == .complete && columns.receivedByteCount != nil
            && !columns.flags.contains(.responseComplete)
        var response = Response(head: head, body: body, trailers: heads.responseTrailers)
        response.isWithheld = columns.isResponseWithheld
        let sent = responseBodySent.map { kept in
            columns.receivedByteCount == nil
                ? StoredParts.sentBody(kept, sentHead?.fields)
                : Body(byteCount: columns.responseByteCount, kept: kept)
        }
        guard heads.responseHead != nil else {
            response.body = sent ?? response.body
            return response
        }
        response.sentHead = sentHead
        response.sentBody = sent
        // Of a secret body, only the length is stored.
        if sent == nil, !response.isWithheld, columns.receivedByteCount != nil {
            response.sentBody = Body(byteCount: columns.responseByteCount, kept: [])
        }
        return response
    }

    /// A body as forwarded by 0.2.0, and any request's. No column stores its length: if only the
    /// start was stored, its head gives the length.
    private static func sentBody(_ kept: [UInt8], _ fields: HeaderFields?) -> Body {
        let told = fields?.value(.contentLength).flatMap { Int64($0) } ?? 0
        let byteCount = max(Int64(kept.count), told <= Body.byteCountMax ? told : 0)
        return Body(byteCount: byteCount, kept: kept)
    }

    private func url(_ head: RequestHead?) -> RawURL? {
        guard let scheme = columns.scheme, let host = columns.host, let port = columns.port,
            let path = columns.path
        else { return nil }
        // Text columns do not preserve bytes that are not UTF-8.
        let receiver = Receiver.origin(scheme: scheme, host: host, port: port)
        if let head, !ASCII.isASCII(head.target.span),
            case .forward(let sent)? = try? EffectiveTarget.resolve(head, via: receiver)
        {
            return sent
        }
        let origin = path + (columns.query.map { "?" + $0 } ?? "")
        return RawURL(scheme: scheme, host: host, port: port, origin: Array(origin.utf8))
    }
}
