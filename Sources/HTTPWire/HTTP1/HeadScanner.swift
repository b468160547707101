internal import ProxydHTTPModel

/// Finds the parts of a head or trailer section. Each byte is examined once, however the bytes are
/// divided into inputs.
///
///     request:  method ─▶ target ─▶ version ─▶ startLineEnd ─▶ startLineLF ─┐
///     response: version ─▶ statusSpace ─▶ status ─▶ reasonSpace ─▶ reason ─┤ (startLineLF)
///     trailers: ───────────────────────────────────────────────────────────┤
///               ┌───────────────────────── lineStart ◀─────────────────────┘
///               │ ▲                          │
///               ▼ └─ valueLF ◀─ value ◀─ valueStart ◀─ (beforeColon) ◀─ name
///             finalLF ─▶ done                              └─ (invalidName) ◀─┘
///
/// `scan` is called with all bytes of the head so far, and continues where it stopped; all
/// transitions are in this file and its extensions. Faults that are accepted only in responses are
/// recorded in `repairs`, and in `needsRepair` if a line cannot be forwarded unchanged.
struct HeadScanner: Sendable {
    enum Phase: Sendable {
        case method, target, version, startLineEnd, startLineLF
        case statusSpace, status, reasonSpace, reason
        case lineStart, name, beforeColon, invalidName, valueStart, value, valueLF
        case finalLF, done
    }

    let role: MessageRole
    let limits: WireLimits
    private let fieldCountMax: Int
    /// Whether all faults that clients accept are accepted.
    let isTolerant: Bool
    var phase: Phase
    /// The offset of the next byte to examine, from the start of the head.
    var position = 0

    var methodEnd = 0
    var targetEnd = 0
    var versionStart = 0
    var major: UInt8 = 0
    var minor: UInt8 = 0
    var status = 0
    var reasonRange = 0..<0

    var lineStart = 0
    var nameEnd = 0
    var valueStart = 0
    var valueEnd = 0
    var lineName = FieldName.other
    var lines: [HeaderFields.Line] = []
    var needsRepair = false
    var repairs: ResponseRepairs = []
    var isNameInvalid = false
    /// Whether the current line has white space before its colon, or is folded.
    private var isLineObsolete = false
    /// The indexes in `lines` of those to leave out, ascending.
    private(set) var leftOut: [Int] = []

    static func head(_ role: MessageRole, limits: WireLimits) -> HeadScanner {
        HeadScanner(role: role, limits: limits, phase: role == .request ? .method : .version)
    }

    static func trailers(_ role: MessageRole, limits: WireLimits) -> HeadScanner {
        HeadScanner(role: role, limits: limits, phase: .lineStart)
    }

    private init(role: MessageRole, limits: WireLimits, phase: Phase) {
        self.role = role
        self.limits = limits
        self.phase = phase
        fieldCountMax = limits.fieldCountMax(role)
        isTolerant = role == .response && !limits.hasStrictResponses
    }

    mutating func reset() {
        phase = role == .request ? .method : .version
        position = 0
        methodEnd = 0
        targetEnd = 0
        versionStart = 0
        status = 0
        lines = []
        needsRepair = false
        repairs = []
        isNameInvalid = false
        leftOut = []
    }

    /// Whether faults that RFC 9112 allows a recipient to repair are accepted.
    var isLenient: Bool { role == .response }

    func failure(_ kind: WireError.Kind) -> WireError { WireError(kind, in: role) }

    /// Continues through `bytes`, which start at the beginning of the head; returns true once the
    /// head is complete and `position` is one past it.
    mutating func scan(_ bytes: Span<UInt8>) throws(WireError) -> Bool {
        while position < bytes.count {
            switch phase {
            case .lineStart: try scanLineStart(bytes[position])
            case .name: try scanName(bytes)
            case .beforeColon: try scanBeforeColon(bytes[position])
            case .invalidName: try scanInvalidName(bytes[position])
            case .valueStart: scanValueStart(bytes[position])
            case .value: try scanValue(bytes)
            case .valueLF: try finishLine(bytes)
            case .finalLF:
                guard bytes[position] == 0x0A else { throw failure(.bareCR) }
                position &+= 1
                phase = .done
                return true
            case .done: return true
            default: try scanStartLine(bytes)
            }
        }
        return phase == .done
    }

    // MARK: Field lines

    private mutating func scanLineStart(_ byte: UInt8) throws(WireError) {
        switch byte {
        case 0x0D:
            position &+= 1
            phase = .finalLF
        case 0x0A:
            guard isLenient else { throw failure(.bareLF) }
            repairs.insert(.headLineFeed)
            phase = .finalLF
        case 0x20, 0x09: try resumeFoldedLine()
        default:
            lineStart = position
            isLineObsolete = false
            phase = .name
        }
    }

    /// obs-fold (RFC 9112 §5.2): the previous line continues.
    private mutating func resumeFoldedLine() throws(WireError) {
        guard isLenient, let line = lines.popLast() else { throw failure(.obsFold) }
        needsRepair = true
        isLineObsolete = true
        repairs.insert(.foldedLine)
        isNameInvalid = leftOut.last == lines.count
        if isNameInvalid { leftOut.removeLast() }
        lineStart = Int(line.start)
        nameEnd = Int(line.nameEnd)
        valueStart = Int(line.valueStart)
        valueEnd = Int(line.valueEnd)
        lineName = line.name
        phase = .value
    }

    private mutating func scanName(_ bytes: Span<UInt8>) throws(WireError) {
        position = ByteScan.endOfToken(bytes, from: position)
        guard position < bytes.count else { return }
        guard position > lineStart else { return try beginInvalidName() }
        nameEnd = position
        switch bytes[position] {
        case 0x3A:
            position &+= 1
            phase = .valueStart
        case 0x20, 0x09:
            guard isLenient else { throw failure(.whitespaceBeforeColon) }
            phase = .beforeColon
        default: return try beginInvalidName()
        }
        lineName = FieldName(bytes.extracting(lineStart..<nameEnd))
    }

    private mutating func scanBeforeColon(_ byte: UInt8) throws(WireError) {
        guard byte == 0x3A || ASCII.isOWS(byte) else { return try beginInvalidName() }
        position &+= 1
        guard byte == 0x3A else { return }
        needsRepair = true
        isLineObsolete = true
        repairs.insert(.spaceBeforeColon)
        phase = .valueStart
    }

    private mutating func scanValueStart(_ byte: UInt8) {
        if ASCII.isOWS(byte) {
            position &+= 1
        } else {
            valueStart = position
            phase = .value
        }
    }

    private mutating func scanValue(_ bytes: Span<UInt8>) throws(WireError) {
        position = ByteScan.endOfText(bytes, from: position)
        guard position < bytes.count else { return }
        switch bytes[position] {
        case 0x09: position &+= 1
        case 0x0D:
            valueEnd = position
            position &+= 1
            phase = .valueLF
        case 0x0A:
            guard isLenient else { throw failure(.bareLF) }
            needsRepair = true
            repairs.insert(.headLineFeed)
            valueEnd = position
            phase = .valueLF
        default:
            // Recipients interpret such a value differently.
            guard !isFramingLine else { throw failure(.badFieldValue) }
            try passControlByte(bytes[position], as: .controlByte)
            needsRepair = true
        }
    }

    private mutating func finishLine(_ bytes: Span<UInt8>) throws(WireError) {
        guard bytes[position] == 0x0A else { throw failure(.bareCR) }
        guard lines.count < fieldCountMax else { throw failure(.tooManyFields) }
        if isNameInvalid { leaveOut(bytes) }
        if isLineObsolete, isFramingLine { repairs.insert(.framingField) }
        position &+= 1
        let value = ASCII.trimmingOWS(bytes, valueStart..<valueEnd)
        if lines.capacity == 0 { lines.reserveCapacity(16) }
        lines.append(
            HeaderFields.Line(
                start: UInt32(truncatingIfNeeded: lineStart),
                nameEnd: UInt32(truncatingIfNeeded: nameEnd),
                valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
                valueEnd: UInt32(truncatingIfNeeded: value.upperBound),
                end: UInt32(truncatingIfNeeded: position), name: lineName
            )
        )
        phase = .lineStart
    }

    private var isFramingLine: Bool { lineName == .contentLength || lineName == .transferEncoding }

    /// Marks the current line, which is still added to `lines` so that a folded line can continue
    /// it, as one to leave out.
    private mutating func leaveOut(_ bytes: Span<UInt8>) {
        let name = bytes.extracting(lineStart..<nameEnd)
        repairs.insert(HeadScanner.isLikeFraming(name) ? .invalidFramingName : .invalidName)
        needsRepair = true
        leftOut.append(lines.count)
        isNameInvalid = false
    }

    // MARK: Faults that are accepted only in responses, and only in tolerant mode

    /// The current field name turned out not to be a token.
    mutating func beginInvalidName() throws(WireError) {
        guard isTolerant else { throw failure(.badFieldName) }
        phase = .invalidName
    }

    /// Such a name may contain anything except line ends; a line without a colon is not a field.
    mutating func scanInvalidName(_ byte: UInt8) throws(WireError) {
        switch byte {
        case 0x00, 0x0A, 0x0D: throw failure(.badFieldName)
        case 0x3A:
            nameEnd = position
            lineName = .other
            isNameInvalid = true
            phase = .valueStart
        default: break
        }
        position &+= 1
    }

    /// Skips a control character in text; a bare CR and NUL are never accepted.
    mutating func passControlByte(_ byte: UInt8, as repair: ResponseRepairs) throws(WireError) {
        guard isTolerant, byte != 0 else { throw failure(.badFieldValue) }
        repairs.insert(repair)
        position &+= 1
    }

    /// Ends a head of complete lines that lacks its empty line; returns false if it cannot end
    /// here.
    mutating func endUnended() -> Bool {
        guard isTolerant, phase == .lineStart || phase == .finalLF else { return false }
        repairs.insert(.missingEmptyLine)
        phase = .done
        return true
    }

    /// Whether a name that is not a token might be intended as a framing field: other recipients
    /// may ignore some of its bytes.
    static func isLikeFraming(_ name: Span<UInt8>) -> Bool {
        var letters: [UInt8] = []
        for index in name.indices where (name[index] | 0x20) &- 0x61 < 26 {
            letters.append(name[index])
        }
        return ASCII.equalsIgnoringCase(letters.span, "contentlength")
            || ASCII.equalsIgnoringCase(letters.span, "transferencoding")
    }

    // MARK: Heads and fields of a complete scan

    func requestHead(of bytes: [UInt8]) -> RequestHead {
        RequestHead(
            bytes: bytes, method: method(in: bytes.span), targetRange: (methodEnd &+ 1)..<targetEnd,
            version: HTTPVersion(major: major, minor: minor), fields: fields(of: bytes)
        )
    }

    func responseHead(of bytes: [UInt8]) -> ResponseHead {
        ResponseHead(
            bytes: bytes, version: HTTPVersion(major: major, minor: minor),
            status: status, reasonRange: reasonRange, fields: fields(of: bytes)
        )
    }

    /// Returns the field lines: in the head's own bytes if those may be forwarded, otherwise in a
    /// repaired copy.
    func fields(of bytes: [UInt8]) -> HeaderFields {
        needsRepair
            ? FieldRepair.repaired(bytes, lines: lines, leftOut: leftOut)
            : HeaderFields(bytes: bytes, lines: lines)
    }

    func method(in bytes: Span<UInt8>) -> HTTPMethod { HTTPMethod(bytes.extracting(0..<methodEnd)) }
}
