/// The head of a request: start line and fields, byte for byte (RFC 9112 §2.1, §3).
public struct RequestHead: Sendable, Hashable {
    /// Behind one reference, because heads are copied often.
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let bytes: [UInt8]
        @usableFromInline let method: HTTPMethod
        @usableFromInline let targetRange: Range<Int>
        @usableFromInline let version: HTTPVersion
        @usableFromInline let pseudoFields: [HeaderFields.Line]
        @usableFromInline let fields: HeaderFields

        init(
            _ bytes: [UInt8], _ method: HTTPMethod, _ targetRange: Range<Int>,
            _ version: HTTPVersion, _ pseudoFields: [HeaderFields.Line], _ fields: HeaderFields
        ) {
            self.bytes = bytes
            self.method = method
            self.targetRange = targetRange
            self.version = version
            self.pseudoFields = pseudoFields
            self.fields = fields
        }
    }

    @usableFromInline let parts: Parts

    /// The head as received, from the first byte of the method to the end of the empty line.
    @inlinable public var bytes: [UInt8] { parts.bytes }
    @inlinable public var method: HTTPMethod { parts.method }
    /// The range of the request target in `bytes`.
    @inlinable public var targetRange: Range<Int> { parts.targetRange }
    /// The version that the sender named.
    @inlinable public var version: HTTPVersion { parts.version }
    /// The pseudo-header fields of HTTP/2 in their order, as lines of `bytes`; empty in HTTP/1.
    @inlinable public var pseudoFields: [HeaderFields.Line] { parts.pseudoFields }
    @inlinable public var fields: HeaderFields { parts.fields }

    /// Creates a parsed head. `targetRange` is within `bytes`; `HTTPWire` makes these.
    public init(
        bytes: [UInt8], method: HTTPMethod, targetRange: Range<Int>, version: HTTPVersion,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        parts = Parts(bytes, method, targetRange, version, pseudoFields, fields)
    }

    public static func == (one: RequestHead, other: RequestHead) -> Bool {
        one.parts === other.parts
            || one.bytes == other.bytes && one.method == other.method
                && one.targetRange == other.targetRange && one.version == other.version
                && one.pseudoFields == other.pseudoFields && one.fields == other.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Creates a head from parts that the caller has validated.
    public init(
        method: HTTPMethod, target: [UInt8], version: HTTPVersion = .http11, fields: HeaderFields
    ) {
        var bytes = Array(method.rawValue.utf8)
        bytes.append(0x20)
        let start = bytes.count
        bytes.append(contentsOf: target)
        let targetRange = start..<bytes.count
        bytes.append(contentsOf: " \(version)\r\n".utf8)
        let (all, lines) = HeadComposer.compose(startLine: bytes, fields: fields)
        self.init(
            bytes: all, method: method, targetRange: targetRange, version: version,
            fields: HeaderFields(bytes: all, lines: lines))
    }

    /// Whether it asks for a tunnel: a CONNECT without `:protocol` (RFC 9110 §9.3.6).
    public var isClassicConnect: Bool { method == .connect && protocolLine == nil }

    /// Whether it asks for another protocol on its stream (RFC 8441 §4).
    public var isExtendedConnect: Bool { protocolLine != nil && method == .connect }

    /// The protocol that an extended CONNECT names; nil for other requests.
    public var connectProtocol: String? {
        guard let line = protocolLine, method == .connect else { return nil }
        return ASCII.text(bytes[line.valueRange])
    }

    /// Checked before the method: for HTTP/1 heads it is a single comparison.
    private var protocolLine: HeaderFields.Line? { pseudoField(":protocol") }

    /// The pseudo-header fields of HTTP/2, followed by the field lines.
    public var allFields: HeaderFields {
        guard !pseudoFields.isEmpty else { return fields }
        return HeaderFields(bytes: bytes, lines: pseudoFields + fields.lines)
    }

    public func pseudoField(_ name: StaticString) -> HeaderFields.Line? {
        let bytes = bytes
        return pseudoFields.first {
            ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), name)
        }
    }

    /// The authority that the client sent in addition to the target, as text: `:authority` or Host.
    public var authority: String? {
        guard let line = pseudoField(":authority") ?? fields.first(.host) else { return nil }
        return ASCII.text(bytes[line.valueRange])
    }

    /// The bytes of the request target (RFC 9112 §3.2).
    public var target: ArraySlice<UInt8> { bytes[targetRange] }
    /// The start line as text, without its line end; for HTTP/2, which has none, composed of its
    /// parts.
    public var startLineText: String { "\(method) \(targetText) \(version)" }
    public var targetText: String { ASCII.text(target) }
}

/// The head of a response: status line and fields, byte for byte (RFC 9112 §2.1, §4).
public struct ResponseHead: Sendable, Hashable {
    /// Behind one reference, because heads are copied often.
    @usableFromInline
    final class Parts: Sendable {
        @usableFromInline let bytes: [UInt8]
        @usableFromInline let version: HTTPVersion
        @usableFromInline let status: Int
        @usableFromInline let reasonRange: Range<Int>
        @usableFromInline let pseudoFields: [HeaderFields.Line]
        @usableFromInline let fields: HeaderFields

        init(
            _ bytes: [UInt8], _ version: HTTPVersion, _ status: Int, _ reasonRange: Range<Int>,
            _ pseudoFields: [HeaderFields.Line], _ fields: HeaderFields
        ) {
            self.bytes = bytes
            self.version = version
            self.status = status
            self.reasonRange = reasonRange
            self.pseudoFields = pseudoFields
            self.fields = fields
        }
    }

    @usableFromInline let parts: Parts

    /// The head as received, from `HTTP/` to the end of the empty line.
    @inlinable public var bytes: [UInt8] { parts.bytes }
    /// The version that the sender named.
    @inlinable public var version: HTTPVersion { parts.version }
    /// The status code, 100…999.
    @inlinable public var status: Int { parts.status }
    /// The range of the reason phrase in `bytes`; empty if there is none.
    @inlinable public var reasonRange: Range<Int> { parts.reasonRange }
    /// The pseudo-header fields of HTTP/2 as lines of `bytes`; empty in HTTP/1.
    @inlinable public var pseudoFields: [HeaderFields.Line] { parts.pseudoFields }
    @inlinable public var fields: HeaderFields { parts.fields }

    /// Creates a parsed head. `reasonRange` is within `bytes`; `HTTPWire` makes these.
    public init(
        bytes: [UInt8], version: HTTPVersion, status: Int, reasonRange: Range<Int>,
        pseudoFields: [HeaderFields.Line] = [], fields: HeaderFields
    ) {
        parts = Parts(bytes, version, status, reasonRange, pseudoFields, fields)
    }

    public static func == (one: ResponseHead, other: ResponseHead) -> Bool {
        one.parts === other.parts
            || one.bytes == other.bytes && one.version == other.version
                && one.status == other.status && one.reasonRange == other.reasonRange
                && one.pseudoFields == other.pseudoFields && one.fields == other.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Creates a head from parts that the caller has validated.
    public init(version: HTTPVersion = .http11, status: Int, reason: String, fields: HeaderFields) {
        var bytes = Array("\(version) \(status) ".utf8)
        let start = bytes.count
        bytes.append(contentsOf: reason.utf8)
        let reasonRange = start..<bytes.count
        bytes.append(contentsOf: [0x0D, 0x0A])
        let (all, lines) = HeadComposer.compose(startLine: bytes, fields: fields)
        self.init(
            bytes: all, version: version, status: status, reasonRange: reasonRange,
            fields: HeaderFields(bytes: all, lines: lines))
    }

    /// The status line as text, without its line end; for HTTP/2, which has none, composed of its
    /// parts.
    public var statusLineText: String {
        reasonRange.isEmpty ? "\(version) \(status)" : "\(version) \(status) \(reason)"
    }
    /// The reason phrase as text; empty if there is none.
    public var reason: String { ASCII.text(bytes[reasonRange]) }
    /// Whether this is an interim response (RFC 9110 §15.2).
    public var isInformational: Bool { status < 200 }

    /// The pseudo-header fields of HTTP/2, followed by the field lines.
    public var allFields: HeaderFields {
        guard !pseudoFields.isEmpty else { return fields }
        return HeaderFields(bytes: bytes, lines: pseudoFields + fields.lines)
    }
}

/// A head whose bytes do not determine its version: heads of HTTP/2 and HTTP/3 have the same form.
public protocol VersionedHead {
    /// Returns the head as one of another version of this form; an HTTP/1 head is unchanged.
    func inVersion(_ version: HTTPVersion) -> Self
}

extension RequestHead: VersionedHead {
    public func inVersion(_ version: HTTPVersion) -> RequestHead {
        guard self.version >= .http2, version >= .http2 else { return self }
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: version,
            pseudoFields: pseudoFields, fields: fields)
    }
}

extension ResponseHead: VersionedHead {
    public func inVersion(_ version: HTTPVersion) -> ResponseHead {
        guard self.version >= .http2, version >= .http2 else { return self }
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: reasonRange,
            pseudoFields: pseudoFields, fields: fields)
    }
}

extension RequestHead {
    /// Returns the head with other parts; parts that are not given stay the same, byte for byte.
    /// The target is kept as it came: where a request goes is stored separately. The caller must
    /// have validated the parts.
    /// - Parameters:
    ///   - authority: The new value of HTTP/2's `:authority`; ignored if the head has none.
    ///   - fields: Edited from this head's own fields.
    public func changed(
        method: HTTPMethod? = nil, authority: String? = nil, fields: HeaderFields
    ) -> RequestHead {
        guard version >= .http2 else {
            return RequestHead(
                method: method ?? self.method, target: Array(target), version: version,
                fields: fields)
        }
        var pseudo = HeaderFields(bytes: bytes, lines: pseudoFields)
        if let method { pseudo.setFirst(":method", method.rawValue) }
        if let authority { pseudo.setFirst(":authority", authority) }
        let (bytes, lines) = HeadComposer.compose(pseudo, fields)
        let pseudoLines = Array(lines.prefix(pseudo.count))
        return RequestHead(
            bytes: bytes, method: method ?? self.method,
            targetRange: targetRange(in: pseudoLines), version: version, pseudoFields: pseudoLines,
            fields: HeaderFields(bytes: bytes, lines: Array(lines.dropFirst(pseudo.count))))
    }

    /// Returns the range of the target after the pseudo-header fields have moved to `moved`.
    private func targetRange(in moved: [HeaderFields.Line]) -> Range<Int> {
        let index = pseudoFields.firstIndex { $0.valueRange == targetRange }
        return index.map { moved[$0].valueRange } ?? 0..<0
    }
}

extension ResponseHead {
    /// Returns the head with other parts; parts that are not given stay the same, byte for byte.
    /// The caller must have validated the parts.
    /// - Parameter fields: Edited from this head's own fields.
    public func changed(
        status: Int? = nil, reason: String? = nil, fields: HeaderFields
    ) -> ResponseHead {
        let status = status ?? self.status
        guard version >= .http2 else {
            return ResponseHead(
                version: version, status: status, reason: reason ?? self.reason, fields: fields)
        }
        var pseudo = HeaderFields(bytes: bytes, lines: pseudoFields)
        pseudo.setFirst(":status", String(status))
        let (bytes, lines) = HeadComposer.compose(pseudo, fields)
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: 0..<0,
            pseudoFields: Array(lines.prefix(pseudo.count)),
            fields: HeaderFields(bytes: bytes, lines: Array(lines.dropFirst(pseudo.count))))
    }
}

extension HeaderFields {
    /// Changes the first line with this name, if there is one with another value.
    fileprivate mutating func setFirst(_ name: String, _ value: String) {
        guard let first = positions(named: name).first,
            !bytes[lines[first].valueRange].elementsEqual(value.utf8)
        else { return }
        setValue(Array(value.utf8), ofLineAt: first)
    }
}

extension HeadComposer {
    /// Joins the lines of two sources, followed by an empty line.
    fileprivate static func compose(
        _ first: HeaderFields, _ second: HeaderFields
    ) -> (bytes: [UInt8], lines: [HeaderFields.Line]) {
        let (begun, firstLines) = compose(startLine: [], fields: first)
        let (bytes, secondLines) = compose(startLine: Array(begun.dropLast(2)), fields: second)
        return (bytes, firstLines + secondLines)
    }
}

/// Joins a start line and field lines into one head, with lines that refer to its bytes.
enum HeadComposer {
    static func compose(
        startLine: [UInt8], fields: HeaderFields
    ) -> (bytes: [UInt8], lines: [HeaderFields.Line]) {
        var bytes = startLine
        var lines: [HeaderFields.Line] = []
        lines.reserveCapacity(fields.count)
        for line in fields.lines {
            let shift = UInt32(truncatingIfNeeded: bytes.count) &- line.start
            bytes.append(contentsOf: fields.bytes[line.range])
            lines.append(line.moved(by: shift))
        }
        bytes.append(0x0D)
        bytes.append(0x0A)
        return (bytes, lines)
    }
}

extension HeaderFields.Line {
    /// Returns the same line in bytes where it starts `shift` later (modulo 2³², so also earlier).
    func moved(by shift: UInt32) -> Self {
        Self(
            start: start &+ shift, nameEnd: nameEnd &+ shift, valueStart: valueStart &+ shift,
            valueEnd: valueEnd &+ shift, end: end &+ shift, name: name, coding: coding)
    }
}
