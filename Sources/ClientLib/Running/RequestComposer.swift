internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Converts a request to its wire format: validates it, adds missing fields and decides how the
/// body is framed.
enum RequestComposer {
    struct Composed {
        let head: RequestHead
        let framing: BodyLength
        let payload: TransportRequest.Payload
    }

    /// Composes a request. `defaults` only fill gaps: the request's own fields take precedence.
    /// - Throws: `.invalidURL`, `.invalidRequest`, `.bodyUnavailable`, `.bodyLengthMismatch`.
    static func compose(
        _ request: HTTPRequest, defaults: HeaderFields
    ) throws(ClientError) -> Composed {
        try check(request)
        let (payload, byteCount) = try payload(of: request.body)
        if let head = request.exactHead {
            return try exact(head, payload: payload, byteCount: byteCount)
        }
        var writer = HeadWriter(
            method: request.method, target: request.url.origin,
            lineCount: request.fields.count + defaults.count + 2)
        if request.fields.first(.host) == nil {
            writer.append(.host, "Host", request.url.authority)
        }
        var declared = Declared()
        for line in request.fields.lines {
            try FieldChecker.check(line, of: request.fields)
            if try declared.take(line, of: request.fields) { continue }
            writer.append(line, of: request.fields)
        }
        if case .multipart(let form, _) = request.body, !writer.has(.contentType) {
            writer.append(.contentType, "Content-Type", form.contentType)
        }
        for line in defaults.lines where !writer.has(line, of: defaults) {
            writer.append(line, of: defaults)
        }
        let framing = try declared.framing(of: request, byteCount: byteCount)
        switch framing {
        case .exactly(let count): writer.append(.contentLength, "Content-Length", String(count))
        case .chunked: writer.append(.transferEncoding, "Transfer-Encoding", "chunked")
        case .none, .untilClose: break
        }
        return Composed(head: writer.finish(), framing: framing, payload: payload.declared(framing))
    }

    private static func check(_ request: HTTPRequest) throws(ClientError) {
        let url = request.url
        guard url.scheme == "http" || url.scheme == "https" else {
            // An invalid URL literal keeps its text; the error is found here.
            _ = try URLText.parse(ASCII.text(url.origin))
            throw ClientError(.invalidURL(.unsupportedScheme))
        }
        var host = url.host
        guard host.withUTF8({ FieldValidator.isRequestTarget($0.span) }) else {
            throw ClientError(.invalidURL(.badHost))
        }
        guard url.port > 0 else { throw ClientError(.invalidURL(.badPort)) }
        // A captured head was checked by the HTTP parser, which may allow more in its target.
        let origin = url.origin
        guard request.exactHead != nil || FieldValidator.isRequestTarget(origin.span)
        else { throw ClientError(.invalidRequest(.badTarget)) }
        var method = request.method.rawValue
        let isToken = method.withUTF8 { FieldValidator.isToken($0.span) }
        guard isToken else { throw ClientError(.invalidRequest(.badMethod)) }
        if request.method == .trace || request.method == .connect, !request.body.isNone {
            throw ClientError(.invalidRequest(.bodyNotAllowed))
        }
    }

    private static func payload(
        of body: HTTPBody
    ) throws(ClientError) -> (TransportRequest.Payload, byteCount: Int64?) {
        switch body {
        case .none: return (.none, 0)
        case .bytes(let bytes): return (.bytes(bytes), Int64(bytes.count))
        case .stream(let stream):
            guard !stream.isSpent else { throw ClientError(.bodyNotReplayable) }
            return (.stream(stream), stream.byteCount)
        case .file(let path):
            let count = try FileSource.byteCount(ofFile: path)
            return (.stream(BodyStream(byteCount: count) { try FileSource(path: path) }), count)
        case .multipart(let form, let streams):
            return (try payload(of: form, streams), form.byteCount)
        }
    }

    /// Forms up to this size that are in memory are sent in one piece.
    private static let wholeByteCountMax: Int64 = 256 * 1_024

    private static func payload(
        of form: MultipartFormData, _ streams: [Int: BodyStream]
    ) throws(ClientError) -> TransportRequest.Payload {
        guard !streams.values.contains(where: \.isSpent) else {
            throw ClientError(.bodyNotReplayable)
        }
        do throws(MultipartEncodingError) {
            // Errors in the form are found before anything is sent.
            _ = try form.segments()
            if let count = form.byteCount, count <= wholeByteCountMax,
                let bytes = try? form.encoded()
            {
                return .bytes(bytes)
            }
        } catch {
            throw ClientError(.multipartEncodingFailed, underlying: error)
        }
        let isReplayable = streams.values.allSatisfy(\.isReplayable)
        return .stream(
            BodyStream(byteCount: form.byteCount, isReplayable: isReplayable) {
                do {
                    return try MultipartSource(form, streams: streams)
                } catch {
                    throw ClientError(.multipartEncodingFailed, underlying: error)
                }
            })
    }

    /// A head that is sent unchanged and determines the framing of the body.
    private static func exact(
        _ head: RequestHead, payload: TransportRequest.Payload, byteCount: Int64?
    ) throws(ClientError) -> Composed {
        if head.fields.first(.transferEncoding) != nil {
            return Composed(head: head, framing: .chunked, payload: payload)
        }
        guard let text = head.fields.value(.contentLength) else {
            // HTTP/2 frames mark the end of the body.
            if head.version >= .http2 {
                let isEmpty = if case .none = payload { true } else { false }
                return Composed(head: head, framing: isEmpty ? .none : .chunked, payload: payload)
            }
            guard byteCount == 0 else { throw ClientError(.invalidRequest(.conflictingFraming)) }
            return Composed(head: head, framing: .none, payload: .none)
        }
        guard let length = Int64(text), length >= 0 else {
            throw ClientError(.invalidRequest(.conflictingFraming))
        }
        if let byteCount, byteCount != length {
            throw ClientError(.bodyLengthMismatch(declared: length, actual: byteCount))
        }
        let framing = BodyLength.exactly(UInt64(length))
        return Composed(head: head, framing: framing, payload: payload.declared(framing))
    }

    /// The framing that the caller's own fields declare.
    private struct Declared {
        private var byteCount: Int64?
        private var isChunked = false

        /// Records a framing line, which is not copied with the others.
        mutating func take(
            _ line: HeaderFields.Line, of fields: HeaderFields
        ) throws(ClientError) -> Bool {
            switch line.name {
            case .contentLength:
                guard byteCount == nil, let count = Int64(fields.value(of: line)), count >= 0
                else { throw ClientError(.invalidRequest(.conflictingFraming)) }
                byteCount = count
                return true
            case .transferEncoding:
                guard fields.value(of: line).lowercased() == "chunked" else {
                    throw ClientError(.invalidRequest(.conflictingFraming))
                }
                isChunked = true
                return true
            default: return false
            }
        }

        func framing(
            of request: HTTPRequest, byteCount actual: Int64?
        ) throws(ClientError) -> BodyLength {
            if isChunked {
                guard byteCount == nil else {
                    throw ClientError(.invalidRequest(.conflictingFraming))
                }
                return .chunked
            }
            if let byteCount, let actual, byteCount != actual {
                throw ClientError(.bodyLengthMismatch(declared: byteCount, actual: actual))
            }
            if request.trailers != nil { return .chunked }
            guard let length = actual ?? byteCount else { return .chunked }
            // A method that usually has a body states that it has none (RFC 9110 §8.6).
            let isSaid = length > 0 || byteCount != nil || !request.body.isNone
            switch request.method {
            case .post, .put, .patch: return .exactly(UInt64(length))
            default: return isSaid ? .exactly(UInt64(length)) : .none
            }
        }
    }
}

extension TransportRequest.Payload {
    /// The same payload, limited to the length that a head declares.
    fileprivate func declared(_ framing: BodyLength) -> Self {
        guard case .stream(let stream) = self, stream.byteCount == nil,
            case .exactly(let count) = framing
        else { return self }
        return .stream(stream.declaring(byteCount: Int64(clamping: count)))
    }
}

/// Assembles a request head line by line in one buffer (RFC 9112 §2.1).
struct HeadWriter {
    private var bytes: [UInt8] = []
    private var lines: [HeaderFields.Line] = []
    private let method: HTTPMethod
    private let targetRange: Range<Int>

    init(method: HTTPMethod, target: [UInt8], lineCount: Int) {
        self.method = method
        bytes.reserveCapacity(512)
        lines.reserveCapacity(lineCount)
        bytes.append(contentsOf: method.rawValue.utf8)
        bytes.append(0x20)
        let start = bytes.count
        bytes.append(contentsOf: target)
        targetRange = start..<bytes.count
        bytes.append(contentsOf: " HTTP/1.1\r\n".utf8)
    }

    /// Whether a line with a recognised name was written.
    func has(_ name: FieldName) -> Bool { lines.contains { $0.name == name } }

    func has(_ line: HeaderFields.Line, of fields: HeaderFields) -> Bool {
        if line.name != .other { return has(line.name) }
        let name = fields.bytes.span.extracting(line.nameRange)
        for written in lines where written.name == .other {
            let other = bytes.span.extracting(written.nameRange)
            if ASCII.equalsIgnoringCase(other, name) { return true }
        }
        return false
    }

    mutating func append(_ line: HeaderFields.Line, of fields: HeaderFields) {
        let shift = offset &- line.start
        bytes.append(contentsOf: fields.bytes[line.range])
        lines.append(
            HeaderFields.Line(
                start: line.start &+ shift, nameEnd: line.nameEnd &+ shift,
                valueStart: line.valueStart &+ shift, valueEnd: line.valueEnd &+ shift,
                end: line.end &+ shift, name: line.name))
    }

    mutating func append(_ name: FieldName, _ spelling: StaticString, _ value: String) {
        let start = offset
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
        let nameEnd = offset
        bytes.append(contentsOf: ": ".utf8)
        let valueStart = offset
        bytes.append(contentsOf: value.utf8)
        let valueEnd = offset
        bytes.append(contentsOf: "\r\n".utf8)
        lines.append(
            HeaderFields.Line(
                start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd,
                end: offset, name: name))
    }

    consuming func finish() -> RequestHead {
        bytes.append(contentsOf: "\r\n".utf8)
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: .http11,
            fields: HeaderFields(bytes: bytes, lines: lines))
    }

    private var offset: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }
}

extension HeadParser {
    /// Parses a request head that this library wrote. It may come from proxyd, whose limits may be
    /// larger than the defaults, so only its own length limits it.
    static func parseWritten(_ bytes: [UInt8]) throws(WireError) -> RequestHead {
        var limits = WireLimits()
        limits.requestLineByteCountMax = bytes.count
        limits.methodByteCountMax = bytes.count
        limits.headByteCountMax = bytes.count
        limits.fieldCountMax = bytes.count
        return try parseRequestHead(bytes, limits: limits)
    }
}
