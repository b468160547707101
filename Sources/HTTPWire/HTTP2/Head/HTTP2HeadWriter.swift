internal import ProxydHTTPModel

/// Writes forwarded heads and trailers as HTTP/2 field sections (RFC 9113 §8.3).
///
/// Messages received in HTTP/2 are forwarded line by line, in the same order and with the same
/// lines marked as sensitive. Messages received in HTTP/1 get pseudo-header fields and lower-case
/// names, and lose connection-specific fields (§8.2.2).
enum HTTP2HeadWriter {
    // MARK: Requests

    /// Writes a request's head and returns how it differs from the head received.
    static func write(
        _ request: borrowing ForwardedRequest, to sink: inout some FieldSink
    ) -> ForwardingNotes {
        var notes: ForwardingNotes = request.options.isChanged ? .differs : []
        if request.url.origin.count != request.head.targetRange.count { notes = .differs }
        if request.options.isVerbatim, request.head.version < .http2 { notes = .differs }
        writePseudoFields(request, to: &sink)
        let fields = request.head.fields
        let fates = RequestLineFates(request)
        var wroteFraming = false
        for line in fields.lines {
            switch fates.fate(of: line, among: fields) {
            case .kept: sink.add(line, of: fields)
            case .dropped, .connection, .upgrade: break
            case .lost: notes.insert(.differs)
            case .host: if keepsHost(request) { sink.add(line, of: fields) }
            case .framing:
                if !wroteFraming {
                    writeLength(request.body, inPlaceOf: line, of: fields, to: &sink)
                }
                wroteFraming = true
            case .te: if fates.takesTrailers { sink.add("te", "trailers", coding: line.coding) }
            case .maxForwards(let count):
                notes.insert(.differs)
                sink.add("max-forwards", String(count))
            }
        }
        if !wroteFraming, case .exactly(let count) = request.body, count > 0 {
            sink.add("content-length", String(count))
        }
        if let pseudonym = request.options.viaPseudonym {
            notes.insert(.differs)
            addVia(pseudonym, received: request.head.version, to: &sink)
        }
        return notes
    }

    /// Whether the Host line is forwarded: it was received in HTTP/2 and need not be regenerated.
    private static func keepsHost(_ request: borrowing ForwardedRequest) -> Bool {
        request.head.version >= .http2 && !request.options.regeneratesHost
    }

    /// Writes the pseudo-header fields in the order received, or otherwise in the order that most
    /// clients use. Fields that are missing, as in a newly created head, follow.
    private static func writePseudoFields(
        _ request: borrowing ForwardedRequest, to sink: inout some FieldSink
    ) {
        let head = request.head
        var written = HTTP2HeadRules.PseudoFields()
        for (place, line) in head.pseudoFields.enumerated() {
            let bytes = head.bytes.span
            guard let field = HTTP2HeadRules.PseudoField(bytes.extracting(line.nameRange)) else {
                continue
            }
            written[field] = place
            let value = bytes.extracting(line.valueRange)
            write(field, of: request, came: value, coding: line.coding, to: &sink)
        }
        func add(_ field: HTTP2HeadRules.PseudoField) {
            guard written[field] == nil else { return }
            write(field, of: request, came: nil, coding: .text, to: &sink)
        }
        let isConnect = head.isClassicConnect
        add(.method)
        if !isConnect { add(.scheme) }
        if !keepsHost(request) || head.fields.first(.host) == nil { add(.authority) }
        if !isConnect { add(.path) }
    }

    private static func write(
        _ field: HTTP2HeadRules.PseudoField, of request: borrowing ForwardedRequest,
        came value: Span<UInt8>?, coding: FieldCoding, to sink: inout some FieldSink
    ) {
        switch field {
        case .method: sink.add(":method", request.head.method.rawValue, coding: coding)
        case .scheme: sink.add(":scheme", request.url.scheme, coding: coding)
        case .path: sink.add(":path", request.url.origin.span, coding: coding)
        case .authority:
            if let value, !request.options.regeneratesHost {
                sink.add(":authority", value, coding: coding)
            } else if let line = ownHost(request) {
                let bytes = request.head.fields.bytes.span
                sink.add(":authority", bytes.extracting(line.valueRange), coding: coding)
            } else if request.head.isClassicConnect {
                sink.add(":authority", request.head.target.span, coding: coding)
            } else {
                sink.add(":authority", request.url.authority, coding: coding)
            }
        case .protocol: if let value { sink.add(":protocol", value, coding: coding) }
        case .status: break
        }
    }

    /// Returns the Host of an HTTP/1 head that is to be sent verbatim, or nil.
    private static func ownHost(_ request: borrowing ForwardedRequest) -> HeaderFields.Line? {
        guard request.options.isVerbatim, request.head.version < .http2 else { return nil }
        return request.head.fields.first(.host)
    }

    // MARK: Responses

    /// Writes a response's head. `isBodiless` means that no body follows, whatever the fields say.
    static func write(
        _ response: borrowing ForwardedResponse, isBodiless: Bool, to sink: inout some FieldSink
    ) {
        sink.add(
            ":status", String(response.head.status),
            coding: response.head.pseudoFields.first?.coding ?? .text)
        let fields = response.head.fields
        let received = ConnectionOptions(fields)
        var wroteFraming = false
        for line in fields.lines {
            switch line.name {
            case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .te,
                .http2Settings:
                break
            case .contentLength:
                guard !wroteFraming else { continue }
                wroteFraming = true
                if isBodiless {
                    // A 204 has no content that could have a length (RFC 9110 §8.6).
                    let length = fields.bytes.span.extracting(line.valueRange)
                    guard response.head.status != 204 || WireNumber.decimal(length) == 0 else {
                        continue
                    }
                    sink.add(line, of: fields)
                } else {
                    writeLength(response.body, inPlaceOf: line, of: fields, to: &sink)
                }
            default: if !received.nominates(line, of: fields) { sink.add(line, of: fields) }
            }
        }
        if !wroteFraming, !isBodiless, response.head.version < .http2,
            case .exactly(let count) = response.body
        {
            sink.add("content-length", String(count))
        }
        if let date = response.options.date, !response.head.isInformational,
            fields.first(.date) == nil
        {
            sink.add("date", date)
        }
        if let pseudonym = response.options.viaPseudonym {
            addVia(pseudonym, received: response.head.version, to: &sink)
        }
    }

    private static func addVia(
        _ pseudonym: String, received version: HTTPVersion, to sink: inout some FieldSink
    ) {
        sink.add("via", "\(version.major).\(version.minor) \(pseudonym)")
    }

    // MARK: Trailers

    /// Writes trailers without connection-specific lines and credentials for proxies.
    static func write(trailers: HeaderFields, to sink: inout some FieldSink) {
        for line in trailers.lines {
            switch line.name {
            case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .te,
                .proxyAuthorization:
                break
            default: sink.add(line, of: trailers)
            }
        }
    }

    /// Writes Content-Length, unchanged if the received value is correct.
    private static func writeLength(
        _ body: BodyLength, inPlaceOf line: HeaderFields.Line, of fields: HeaderFields,
        to sink: inout some FieldSink
    ) {
        guard case .exactly(let count) = body else { return }
        let value = fields.bytes.span.extracting(line.valueRange)
        if line.name == .contentLength, WireNumber.decimal(value) == count {
            sink.add(line, of: fields)
        } else {
            sink.add("content-length", String(count), coding: line.coding)
        }
    }
}
