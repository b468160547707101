internal import ProxydCivilTime
public import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydParameterCoding
internal import ProxydTLS
internal import ProxydTransport

/// A request to be sent, before it is serialized.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    public var url: RawURL
    /// Header fields in the order they are sent. `Host`, framing fields and the session's default
    /// fields are added if they are missing.
    public var fields: HeaderFields
    public var body: HTTPBody
    /// Fields sent after a chunked body (RFC 9110 §6.5), or nil for none.
    public var trailers: HeaderFields?
    /// A head that is sent byte for byte instead of one composed from the properties above; the
    /// body is framed as this head says. Nil for a composed head.
    public var exactHead: RequestHead?
    /// The recorded exchange that this request repeats, or nil if it is not a replay.
    public var replayOf: ExchangeID?
    /// Time limits of this request, or nil to use the session's.
    public var timeouts: Timeouts?
    /// The protocols that may be used with the server, or nil to use the session's.
    public var protocols: [HTTPProtocol]?
    /// The protocol that the fields ask the server to switch to, or nil for none.
    var upgrade: String?
    /// Whether an HTTP proxy must create a tunnel for the request even without TLS.
    var wantsTunnel = false
    /// Parameters that were encoded as requested although a receiver may interpret them
    /// differently, in the order of encoding. Event monitors find them in the `request` of the
    /// client's request from `RequestEvent.willSend` on; a response has them in its own `request`.
    public var parameterWarnings: [ParameterWarning] = []

    public init(
        method: HTTPMethod = .get, url: RawURL, fields: HeaderFields = HeaderFields(),
        body: HTTPBody = .none, trailers: HeaderFields? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.trailers = trailers
    }

    /// The header fields, under Alamofire's name.
    public var headers: HeaderFields {
        get { fields }
        set { fields = newValue }
    }

    /// Adds the `Content-Type` of a form if the request has none, so that adapters and other
    /// observers of the request see what is sent.
    ///
    /// `named` is the form whose type this method set before: the type is set again if the body is
    /// now another form, and removed if the body is no longer a form.
    /// - Returns: the form whose type is set, or nil if the type is the caller's own.
    mutating func nameContentType(insteadOf named: MultipartFormData? = nil) -> MultipartFormData? {
        guard exactHead == nil else { return nil }
        if let named, fields.value(.contentType) == named.contentType {
            if body.mayContain(named) { return named }
            guard case .multipart(let form, _) = body else {
                fields["Content-Type"] = nil
                return nil
            }
            fields["Content-Type"] = form.contentType
            return form
        }
        guard case .multipart(let form, _) = body, fields.first(.contentType) == nil else {
            return nil
        }
        fields.append(name: "Content-Type", value: form.contentType)
        return form
    }
}

extension HTTPBody {
    /// Whether this is the form, or may be an adapter's encoding of it. If the bytes cannot be
    /// inspected, the code that put them here must set another type itself.
    fileprivate func mayContain(_ form: MultipartFormData) -> Bool {
        switch self {
        case .none: false
        case .bytes(let bytes): bytes.starts(with: "--\(form.boundary.text)".utf8)
        case .stream, .file: true
        case .multipart(let other, _): other.boundary == form.boundary
        }
    }
}

extension HTTPRequest {
    /// Whether the request waits for the server's permission before it sends the body (`Expect:
    /// 100-continue`, RFC 9110 §10.1.1): the server sends 100, or rejects the body, which is then
    /// never sent. If the server is silent for `timeouts.continueWait`, the body is sent; after a
    /// 417 response, the request is sent again without the expectation.
    public var expectsContinue: Bool {
        get { fields.expectsContinue }
        set {
            fields.removeAll(named: "Expect")
            if newValue { fields.append(name: "Expect", value: "100-continue") }
        }
    }
}

extension HTTPBody {
    /// Whether the body has at least this many bytes, or an unknown number.
    func isLarge(from byteCountMin: Int64) -> Bool {
        switch self {
        case .none: false
        case .bytes(let bytes): Int64(bytes.count) >= byteCountMin
        case .file(let path): ((try? FileSource.byteCount(ofFile: path)) ?? 0) >= byteCountMin
        case .stream(let stream): (stream.byteCount ?? .max) >= byteCountMin
        case .multipart(let form, _): (form.byteCount ?? .max) >= byteCountMin
        }
    }
}

extension HeaderFields {
    var expectsContinue: Bool { self["Expect"]?.lowercased() == "100-continue" }
}

extension HTTPRequest: Equatable, Hashable {
    /// Requests are equal if they ask a server for the same: names of fields are compared without
    /// case, fields of different names may be in any order, and boundaries of forms are ignored.
    /// Parameter warnings are ignored too.
    public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.url == right.url && left.body == right.body
            && left.fields.valuesByName == right.fields.valuesByName
            && left.trailers?.valuesByName == right.trailers?.valuesByName
            && left.exactHead == right.exactHead && left.replayOf == right.replayOf
            && left.timeouts == right.timeouts
    }

    /// Hashes the parts that `==` compares byte for byte.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(body)
    }
}

extension HTTPBody: Equatable, Hashable {
    /// Bodies are equal if they send the same bytes. A stream is equal only to itself. Forms are
    /// compared by their parts and not by their boundary, which differs for each form.
    public static func == (left: HTTPBody, right: HTTPBody) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.bytes(let left), .bytes(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.stream(let left), .stream(let right)): left.isSame(as: right)
        case (.multipart(let left, let leftStreams), .multipart(let right, let rightStreams)):
            left.parts == right.parts
                && left.writesExtendedFilenames == right.writesExtendedFilenames
                && leftStreams.count == rightStreams.count
                && leftStreams.allSatisfy { id, stream in
                    rightStreams[id].map { stream.isSame(as: $0) } ?? false
                }
        default: false
        }
    }

    /// Hashes the parts that can be hashed quickly.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .bytes(let bytes): hasher.combine(bytes)
        case .file(let path): hasher.combine(path)
        case .stream(let stream): hasher.combine(stream.byteCount)
        case .multipart(let form, _): hasher.combine(form.parts)
        }
    }
}

extension HeaderFields {
    /// The values of each name, in order; names are in lower case.
    fileprivate var valuesByName: [String: [String]] {
        Dictionary(pairs.map { ($0.name.lowercased(), [$0.value]) }, uniquingKeysWith: +)
    }
}

/// A version of HTTP that a session may use, and how it is negotiated.
public enum HTTPProtocol: Sendable, Hashable {
    case http11
    /// HTTP/2 if the server agrees to it in the TLS handshake (ALPN, RFC 7301); never without TLS.
    case http2
    /// HTTP/2 without negotiation, with or without TLS (RFC 9113 §3.3).
    case http2PriorKnowledge

    /// The protocol that uses only HTTP/2 for a URL of this scheme: negotiated if there is TLS, by
    /// prior knowledge if not.
    public static func onlyHTTP2(scheme: String) -> HTTPProtocol {
        scheme == "https" ? .http2 : .http2PriorKnowledge
    }
}

extension [HTTPProtocol] {
    func mayBeHTTP2(isSecure: Bool) -> Bool {
        contains(.http2PriorKnowledge) || (isSecure && contains(.http2))
    }

    /// The ALPN protocols offered in the TLS handshake, in order of preference.
    var alpn: [String] {
        var names: [String] = []
        for name in map({ $0 == .http11 ? "http/1.1" : "h2" }) where !names.contains(name) {
            names.append(name)
        }
        return names.isEmpty ? ["http/1.1"] : names
    }
}

extension ConnectTarget {
    /// Whether only HTTP/2 was offered.
    var wantsHTTP2Only: Bool { tls?.alpn == ["h2"] }
}

/// Time limits for the parts of a request.
public struct Timeouts: Sendable, Hashable {
    /// DNS lookup, connecting and the TLS handshake together.
    public var connect: Duration
    /// The longest time without traffic on a connection while a response is awaited.
    public var idle: Duration
    /// How long a request with `Expect: 100-continue` waits for the server before it sends the
    /// body.
    public var continueWait: Duration = .seconds(1)
    /// Everything from the first `resume()` on, including attempts and pauses; nil for no limit.
    public var total: Duration?

    public init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension Duration {
    /// A hundred years, in seconds: a deadline that far away still fits in 64 bits of nanoseconds.
    private static let longestSeconds = 3_155_760_000.0

    /// The duration for a number of seconds: at most a hundred years; zero for negative numbers and
    /// NaN.
    static func clamping(seconds: Double) -> Duration {
        // Comparing with NaN yields false.
        seconds > 0 ? .seconds(min(seconds, longestSeconds)) : .zero
    }

    /// The duration in nanoseconds, limited to the range of 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Nanoseconds.of(seconds: seconds, rest: attoseconds / 1_000_000_000)
            ?? Nanoseconds.clamping(seconds: seconds)
    }
}

/// Header fields, under Alamofire's name.
public typealias HTTPHeaders = HeaderFields

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates fields in the order they are written; names may repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension HeaderFields {
    /// Appends a line, even if there are lines with the same name.
    public mutating func add(name: String, value: String) { append(name: name, value: value) }

    /// Replaces all lines of a name with one: at the position of the first, or at the end.
    public mutating func update(name: String, value: String) { set(name: name, value: value) }

    public mutating func remove(name: String) { removeAll(named: name) }

    /// Appends a line unless there is one with the same name.
    public mutating func setIfAbsent(name: String, value: String) {
        if self[name] == nil { append(name: name, value: value) }
    }
}

/// Rejects header lines that would break the framing of a head.
enum FieldChecker {
    /// - Throws: `.invalidRequest(.badFieldName)`, `.invalidRequest(.badFieldValue)`.
    static func check(_ line: HeaderFields.Line, of fields: HeaderFields) throws(ClientError) {
        let bytes = fields.bytes
        guard FieldValidator.isToken(bytes.span.extracting(line.nameRange)) else {
            throw ClientError(.invalidRequest(.badFieldName))
        }
        guard FieldValidator.isFieldValue(bytes.span.extracting(line.valueRange)) else {
            throw ClientError(.invalidRequest(.badFieldValue(name: fields.name(of: line))))
        }
    }

    static func check(_ fields: HeaderFields) throws(ClientError) {
        for line in fields.lines { try check(line, of: fields) }
    }
}
