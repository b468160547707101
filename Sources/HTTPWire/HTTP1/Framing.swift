internal import ProxydHTTPModel

/// Decides where a message body ends (RFC 9112 §6.3). Nothing is guessed: ambiguous framing is
/// rejected.
enum Framing {
    static func ofRequest(
        method: HTTPMethod, version: HTTPVersion, fields: HeaderFields
    ) throws(WireError) -> BodyLength {
        var length = try contentLength(fields, role: .request)
        if let codings = codings(fields) {
            guard version >= .http11 else { throw WireError(.badTransferEncoding, in: .request) }
            guard length == .none else { throw WireError(.conflictingFraming, in: .request) }
            try checkRequestCodings(codings)
            length = .chunked
        }
        guard method == .connect else { return length }
        // The bytes after a CONNECT belong to the tunnel; a body before them would be ambiguous.
        guard length == .none || length == .exactly(0) else {
            throw WireError(.conflictingFraming, in: .request)
        }
        return .none
    }

    /// Empty list members, which are allowed in other fields, are rejected: most servers do not
    /// handle them correctly, and would see another body than the proxy.
    private static func checkRequestCodings(_ codings: TransferCodings) throws(WireError) {
        guard !codings.isInvalid, !codings.hasEmptyMember, codings.isLastChunked,
            codings.chunkedCount == 1
        else { throw WireError(.badTransferEncoding, in: .request) }
        guard codings.otherCount == 0 else {
            throw WireError(.unsupportedTransferCoding, in: .request)
        }
    }

    /// Returns the framing of a final response to a method. Records repairs.
    static func ofResponse(
        status: Int, to method: HTTPMethod, version: HTTPVersion, fields: HeaderFields,
        isStrict: Bool, repairs: inout ResponseRepairs
    ) throws(WireError) -> BodyLength {
        if isBodiless(status: status, to: method) { return .none }
        let length = try contentLength(fields, role: .response)
        guard let codings = codings(fields) else { return length == .none ? .untilClose : length }
        if !isStrict, let mended = mended(codings, length, version, &repairs) { return mended }
        guard version >= .http11, !codings.isInvalid else {
            throw WireError(.badTransferEncoding, in: .response)
        }
        guard length == .none else { throw WireError(.conflictingFraming, in: .response) }
        if codings.isChunkedAlone { return .chunked }
        // RFC 9112 §6.3 rule 4: without `chunked` at the end, the body ends with the connection.
        guard codings.isLastChunked else { return .untilClose }
        throw WireError(
            codings.chunkedCount > 1 ? .badTransferEncoding : .unsupportedTransferCoding,
            in: .response
        )
    }

    /// Returns the framing of a body whose framing fields are wrong, but are interpreted the same
    /// way by all recipients that accept them: `chunked` takes precedence over a length (RFC 9112
    /// §6.3), and is decoded in HTTP/1.0 too; `identity` has no effect. Nil for all other framing.
    private static func mended(
        _ codings: TransferCodings, _ length: BodyLength,
        _ version: HTTPVersion, _ repairs: inout ResponseRepairs
    ) -> BodyLength? {
        if codings.isIdentityAlone, length != .none || version < .http11 {
            repairs.insert(.identityCoding)
            return length == .none ? .untilClose : length
        }
        guard codings.isChunkedAlone else { return nil }
        if length != .none { repairs.insert(.lengthBesideChunked) }
        if version < .http11 { repairs.insert(.chunkedInHTTP10) }
        return .chunked
    }

    /// Whether a response ends at its empty line regardless of its fields (RFC 9112 §6.3).
    static func isBodiless(status: Int, to method: HTTPMethod) -> Bool {
        status < 200 || status == 204 || status == 304 || method == .head
            || isTunnel(status: status, to: method)
    }

    @inline(__always)
    static func isTunnel(status: Int, to method: HTTPMethod) -> Bool {
        status == 101 || (method == .connect && 200..<300 ~= status)
    }

    private static func codings(_ fields: HeaderFields) -> TransferCodings? {
        guard fields.first(.transferEncoding) != nil else { return nil }
        return TransferCodings(fields)
    }

    /// Returns `.exactly` if there is a valid Content-Length, `.none` if there is no such field.
    /// Responses may repeat the same number (RFC 9110 §8.6), which is forwarded once.
    static func contentLength(
        _ fields: HeaderFields, role: MessageRole
    ) throws(WireError) -> BodyLength {
        var length = BodyLength.none
        for line in fields.lines where line.name == .contentLength {
            let bytes = fields.bytes.span
            if let value = WireNumber.decimal(bytes.extracting(line.valueRange)) {
                guard length == .none || (role == .response && length == .exactly(value)) else {
                    throw WireError(.badContentLength, in: role)
                }
                length = .exactly(value)
            } else {
                guard role == .response else { throw WireError(.badContentLength, in: role) }
                length = try repeatedLength(bytes, line.valueRange, before: length)
            }
        }
        return length
    }

    /// Returns the number in a list of equal numbers, `42, 42`.
    private static func repeatedLength(
        _ bytes: Span<UInt8>, _ range: Range<Int>, before: BodyLength
    ) throws(WireError) -> BodyLength {
        var length = before
        var isValid = true
        var memberCount = 0
        ListMembers.forEach(bytes, range) { member in
            memberCount &+= 1
            let value = WireNumber.decimal(bytes.extracting(member))
            if let value, length == .none || length == .exactly(value) {
                length = .exactly(value)
            } else {
                isValid = false
            }
        }
        guard isValid, memberCount > 0 else { throw WireError(.badContentLength, in: .response) }
        return length
    }
}

/// How the end of a message body is determined (RFC 9112 §6.3).
public enum BodyLength: Sendable, Hashable {
    /// The message has no body and no framing fields.
    case none
    /// Exactly this many bytes follow, according to `Content-Length`.
    case exactly(UInt64)
    /// Chunks follow (RFC 9112 §7.1).
    case chunked
    /// The body ends with the connection (responses only).
    case untilClose
}

/// The members of all Transfer-Encoding fields of a message (RFC 9112 §6.1).
struct TransferCodings {
    private(set) var isPresent = false
    /// Whether a member is not a valid coding (`token *( OWS ";" OWS parameter )`), or is `chunked`
    /// with parameters.
    private(set) var isInvalid = false
    private(set) var chunkedCount = 0
    private(set) var otherCount = 0
    /// How many of the other codings are the obsolete `identity`, which has no effect.
    private(set) var identityCount = 0
    private(set) var isLastChunked = false
    /// Whether there are empty members, that is, superfluous commas.
    private(set) var hasEmptyMember = false

    init(_ fields: HeaderFields) {
        for line in fields.lines where line.name == .transferEncoding {
            isPresent = true
            add(fields.bytes.span, line.valueRange)
        }
    }

    var memberCount: Int { chunkedCount &+ otherCount }

    /// Whether there is exactly one coding, `chunked`.
    var isChunkedAlone: Bool { !isInvalid && chunkedCount == 1 && otherCount == 0 }

    /// Whether there is only the obsolete `identity`, which has no effect.
    var isIdentityAlone: Bool { !isInvalid && identityCount > 0 && identityCount == memberCount }

    private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        var separatorCount = 0
        for index in range where bytes[index] == 0x2C { separatorCount &+= 1 }
        let countBefore = memberCount
        defer { if memberCount &- countBefore <= separatorCount { hasEmptyMember = true } }
        ListMembers.forEach(bytes, range) { member in
            let end = ByteScan.endOfToken(bytes.extracting(member), from: 0)
            let name = bytes.extracting(member.lowerBound..<(member.lowerBound &+ end))
            let hasParameters = end < member.count
            isLastChunked = ASCII.equalsIgnoringCase(name, "chunked")
            if isLastChunked { chunkedCount &+= 1 } else { otherCount &+= 1 }
            if ASCII.equalsIgnoringCase(name, "identity") { identityCount &+= 1 }
            if end == 0 || (hasParameters && isLastChunked) { isInvalid = true }
            let rest = ASCII.trimmingOWS(bytes, member.lowerBound &+ end..<member.upperBound)
            if !rest.isEmpty, bytes[rest.lowerBound] != 0x3B { isInvalid = true }
        }
    }
}
