internal import ProxydHTTPModel

/// Checks whether a field section is a valid head of a message and parses it (RFC 9113 §8).
///
/// If HTTP/1 has a corresponding rule, that rule is applied: nothing is forwarded that an HTTP/1
/// server would interpret differently.
enum HTTP2HeadRules {
    /// The known pseudo-header fields (RFC 9113 §8.3, RFC 8441 §4).
    enum PseudoField: Int {
        case method, scheme, authority, path, `protocol`, status

        init?(_ name: Span<UInt8>) {
            guard let last = name.indices.last else { return nil }
            switch (name.count, name[last]) {
            case (5, _): self = .path
            case (7, UInt8(ascii: "d")): self = .method
            case (7, UInt8(ascii: "e")): self = .scheme
            case (7, UInt8(ascii: "s")): self = .status
            case (9, _): self = .protocol
            case (10, _): self = .authority
            default: return nil
            }
            guard ASCII.equals(name, text) else { return nil }
        }

        private var text: StaticString {
            switch self {
            case .method: ":method"
            case .scheme: ":scheme"
            case .authority: ":authority"
            case .path: ":path"
            case .protocol: ":protocol"
            case .status: ":status"
            }
        }
    }

    /// The pseudo-header fields of a head, each at most once.
    struct PseudoFields {
        private var places = InlineArray<6, Int?>(repeating: nil)
        /// The number of lines with pseudo-header fields.
        fileprivate(set) var count = 0
        /// Whether a value has leading or trailing white space, which is ignored in responses.
        fileprivate(set) var hasPaddedValue = false

        subscript(field: PseudoField) -> Int? {
            get { places[field.rawValue] }
            set { places[field.rawValue] = newValue }
        }
    }

    // MARK: Requests

    /// Returns a request's head and how its body ends. A client may use extended CONNECT only if it
    /// was told so. What follows the head of an extended CONNECT is not content, whatever its
    /// fields say about its length.
    static func request(
        _ block: FieldBlock, endsStream: Bool, allowsExtendedConnect: Bool
    ) throws(WireError) -> (RequestHead, BodyLength) {
        let pseudo = try check(block, as: .request)
        guard let methodPlace = pseudo[.method], pseudo[.status] == nil else {
            throw failure(.badPseudoField)
        }
        let bytes = block.bytes.span
        let name = bytes.extracting(block.lines[methodPlace].valueRange)
        guard FieldValidator.isToken(name) else { throw failure(.badMethod) }
        let method = HTTPMethod(name)
        let isExtended = method == .connect && pseudo[.protocol] != nil
        if isExtended, !allowsExtendedConnect { throw failure(.protocolNotOffered) }
        let head = RequestHead(
            bytes: block.bytes, method: method,
            targetRange: try targetRange(block, pseudo, method: method),
            version: .http2, pseudoFields: Array(block.lines[..<pseudo.count]),
            fields: fields(block, pseudo))
        let length = try bodyLength(head.fields, endsStream: endsStream, role: .request)
        return (head, isExtended && !endsStream ? .chunked : length)
    }

    /// Returns the range of the target: `:path`, or `:authority` for CONNECT.
    private static func targetRange(
        _ block: FieldBlock, _ pseudo: PseudoFields, method: HTTPMethod
    ) throws(WireError) -> Range<Int> {
        let bytes = block.bytes.span
        let isConnect = method == .connect
        try checkAuthority(block, pseudo)
        if isConnect, pseudo[.protocol] == nil {
            guard pseudo[.scheme] == nil, pseudo[.path] == nil,
                let place = pseudo[.authority]
            else { throw failure(.badPseudoField) }
            return block.lines[place].valueRange
        }
        guard let schemePlace = pseudo[.scheme], let pathPlace = pseudo[.path] else {
            throw failure(.badPseudoField)
        }
        if let place = pseudo[.protocol] {
            // RFC 8441 §4.
            guard isConnect, pseudo[.authority] != nil else { throw failure(.badPseudoField) }
            let name = bytes.extracting(block.lines[place].valueRange)
            guard FieldValidator.isToken(name) else { throw failure(.badProtocol) }
        }
        let scheme = bytes.extracting(block.lines[schemePlace].valueRange)
        guard ASCII.equalsIgnoringCase(scheme, "http") || ASCII.equalsIgnoringCase(scheme, "https")
        else { throw failure(.unsupportedScheme) }
        let range = block.lines[pathPlace].valueRange
        let path = bytes.extracting(range)
        // As in HTTP/1, bytes above 0x7F are forwarded; a fragment is accepted but not forwarded.
        guard ByteScan.endOfTarget(path, from: 0) == path.count else {
            throw failure(.badRequestTarget)
        }
        let end = ByteScan.firstIndex(of: UInt8(ascii: "#"), in: path, from: 0)
        guard end > 0 else { throw failure(.badRequestTarget) }
        guard path[0] != UInt8(ascii: "/") else { return range }
        guard end == 1, path[0] == UInt8(ascii: "*"), method == .options else {
            throw failure(.badRequestTarget)
        }
        return range
    }

    /// Checks that `:authority` or Host is present and that both name the same server (RFC 9113
    /// §8.3.1).
    private static func checkAuthority(
        _ block: FieldBlock, _ pseudo: PseudoFields
    ) throws(WireError) {
        let bytes = block.bytes.span
        var named = pseudo[.authority].map { block.lines[$0].valueRange }
        if let named { try Authority.check(bytes.extracting(named)) }
        var hostCount = 0
        for line in block.lines[pseudo.count...] where line.name == .host {
            hostCount &+= 1
            guard hostCount == 1 else { throw failure(.badHost) }
            let host = bytes.extracting(line.valueRange)
            try Authority.check(host)
            if let named, !ASCII.equalsIgnoringCase(host, bytes.extracting(named)) {
                throw failure(.badHost)
            }
            named = line.valueRange
        }
        guard named != nil else { throw failure(.badHost) }
    }

    // MARK: Responses

    static func response(_ block: FieldBlock) throws(WireError) -> ResponseHead {
        let pseudo = try check(block, as: .response)
        guard let place = pseudo[.status], pseudo.count == 1 else {
            throw WireError(.badPseudoField, in: .response)
        }
        let digits = block.bytes.span.extracting(block.lines[place].valueRange)
        guard digits.count == 3, let status = WireNumber.decimal(digits), status >= 100,
            status != 101
        else { throw WireError(.badStatus, in: .response) }
        return ResponseHead(
            bytes: block.bytes, version: .http2, status: Int(status), reasonRange: 0..<0,
            pseudoFields: Array(block.lines[..<1]), fields: fields(block, pseudo))
    }

    static func bodyLength(
        of head: ResponseHead, to method: HTTPMethod, endsStream: Bool
    ) throws(WireError) -> BodyLength {
        if Framing.isBodiless(status: head.status, to: method) { return .none }
        let length = try bodyLength(head.fields, endsStream: endsStream, role: .response)
        return length == .none ? .exactly(0) : length
    }

    // MARK: Trailers

    /// Returns the fields of a trailer section, which has no pseudo-header fields (RFC 9113 §8.1).
    static func trailers(_ block: FieldBlock, role: MessageRole) throws(WireError) -> HeaderFields {
        let pseudo = try check(block, as: role)
        guard pseudo.count == 0 else { throw WireError(.badPseudoField, in: role) }
        return fields(block, pseudo)
    }

    // MARK: All field sections

    /// Returns the lines after the pseudo-header fields, without white space around their values.
    private static func fields(_ block: FieldBlock, _ pseudo: PseudoFields) -> HeaderFields {
        var lines = Array(block.lines[pseudo.count...])
        if pseudo.hasPaddedValue {
            let bytes = block.bytes.span
            lines = lines.map { $0.withValue(at: ASCII.trimmingOWS(bytes, $0.valueRange)) }
        }
        return HeaderFields(bytes: block.bytes, lines: lines)
    }

    private static func bodyLength(
        _ fields: HeaderFields, endsStream: Bool, role: MessageRole
    ) throws(WireError) -> BodyLength {
        let length = try Framing.contentLength(fields, role: role)
        guard endsStream else { return length == .none ? .chunked : length }
        guard length == .none || length == .exactly(0) else {
            throw WireError(.lengthMismatch, in: role)
        }
        return length
    }

    /// Checks the rules that apply to every line (RFC 9113 §8.2), and finds the pseudo-header
    /// fields.
    private static func check(
        _ block: FieldBlock, as role: MessageRole
    ) throws(WireError) -> PseudoFields {
        switch block.excess {
        case .none: break
        case .bytes: throw WireError(.headTooLarge, in: role)
        case .lines: throw WireError(.tooManyFields, in: role)
        }
        var pseudo = PseudoFields()
        let bytes = block.bytes.span
        for (index, line) in block.lines.enumerated() {
            let name = bytes.extracting(line.nameRange)
            let value = bytes.extracting(line.valueRange)
            guard FieldValidator.isReason(value) else { throw WireError(.badFieldValue, in: role) }
            if FieldValidator.isPadded(value) {
                guard role == .response else { throw WireError(.paddedFieldValue, in: role) }
                pseudo.hasPaddedValue = true
            }
            if name.count > 0, name[0] == UInt8(ascii: ":") {
                guard pseudo.count == index, let field = PseudoField(name), pseudo[field] == nil
                else { throw WireError(.badPseudoField, in: role) }
                pseudo[field] = index
                pseudo.count &+= 1
            } else {
                try checkField(name, value, line.name, role)
            }
        }
        return pseudo
    }

    private static func checkField(
        _ name: Span<UInt8>, _ value: Span<UInt8>, _ known: FieldName, _ role: MessageRole
    ) throws(WireError) {
        guard FieldValidator.isToken(name) else { throw WireError(.badFieldName, in: role) }
        for index in name.indices where ByteClass.isUpperCase(name[index]) {
            throw WireError(.upperCaseName, in: role)
        }
        switch known {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade:
            throw WireError(.connectionField, in: role)
        case .te:
            guard role == .request, ASCII.equalsIgnoringCase(value, "trailers") else {
                throw WireError(.connectionField, in: role)
            }
        default: break
        }
    }

    private static func failure(_ kind: WireError.Kind) -> WireError {
        WireError(kind, in: .request)
    }

}

extension HeaderFields.Line {
    fileprivate func withValue(at range: Range<Int>) -> HeaderFields.Line {
        HeaderFields.Line(
            start: start, nameEnd: nameEnd,
            valueStart: UInt32(truncatingIfNeeded: range.lowerBound),
            valueEnd: UInt32(truncatingIfNeeded: range.upperBound), end: end, name: name,
            coding: coding)
    }
}
