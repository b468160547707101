public import ProxydHTTPModel

/// Decodes the body of one message with any framing.
struct BodyDecoder: Sendable {
    private enum Kind: Sendable {
        case exactly(remaining: UInt64)
        case chunked
        case untilClose
    }

    private var kind: Kind
    /// One decoder for a chunked body, otherwise empty. An array, because the decoder is large, and
    /// most bodies would only reserve and move unused space.
    private var chunks: [ChunkedDecoder] = []

    init(_ length: BodyLength, role: MessageRole, limits: WireLimits) {
        switch length {
        case .none: kind = .exactly(remaining: 0)
        case .exactly(let count): kind = .exactly(remaining: count)
        case .chunked:
            kind = .chunked
            chunks = [ChunkedDecoder(role, limits: limits)]
        case .untilClose: kind = .untilClose
        }
    }

    /// Whether the body is complete if the connection ends now.
    var endsWithConnection: Bool {
        switch kind {
        case .untilClose, .exactly(remaining: 0): true
        case .exactly, .chunked: false
        }
    }

    var repairs: ResponseRepairs { chunks.isEmpty ? [] : chunks[0].repairs }

    /// The bytes of an unfinished line of the coding from earlier inputs.
    var buffered: [UInt8] { chunks.isEmpty ? [] : chunks[0].buffered }

    mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> BodyItem {
        switch kind {
        case .exactly(remaining: 0): return .end
        case .exactly(var remaining):
            guard offset < input.count else { return .needsMoreInput }
            let part = BodyItem.bytes(&remaining, of: input, from: &offset)
            kind = .exactly(remaining: remaining)
            return part
        case .chunked:
            guard !chunks.isEmpty else { return .end }
            return try chunks[0].decode(input, from: &offset)
        case .untilClose:
            guard offset < input.count else { return .needsMoreInput }
            let start = offset
            offset = input.count
            return .bytes(start..<offset)
        }
    }
}

enum BodyItem {
    case needsMoreInput
    case bytes(Range<Int>)
    case trailers(HeaderFields)
    case end

    /// Takes as many of the `remaining` bytes as the input has, which must be at least one.
    static func bytes(
        _ remaining: inout UInt64, of input: Span<UInt8>, from offset: inout Int
    ) -> BodyItem {
        let start = offset
        let available = input.count &- offset
        let count = Int(min(remaining, UInt64(available)))
        remaining &-= UInt64(count)
        offset &+= count
        return .bytes(start..<offset)
    }
}

/// Decodes the chunked coding (RFC 9112 §7.1): every line ends in CRLF, and sizes are below 2⁶³. In
/// a response, lines may end in a bare LF unless it is decoded strictly.
///
///     size ─▶ (spaces, extensions) ─▶ sizeLF ─┬─▶ data ─▶ dataCR ─▶ dataLF ─▶ size
///                                             └─▶ trailers ─▶ done   (a size of zero)
struct ChunkedDecoder: Sendable {
    private enum State {
        case size, extensions, sizeLF, data, dataCR, dataLF, trailers, done
    }

    private let role: MessageRole
    private let limits: WireLimits
    private let takesLineFeed: Bool
    private var state = State.size
    /// The number of bytes of the chunk still to come; its size while the size line is read.
    private var remaining: UInt64 = 0
    private var lineByteCount = 0
    private var extensions = ChunkExtensionScanner()
    private var extensionsByteCount = 0
    private var trailers: HeadAssembler
    private(set) var repairs: ResponseRepairs = []
    /// The bytes of an unfinished line or trailer section from earlier inputs.
    var buffered: [UInt8] { state == .trailers ? trailers.pending : bufferedLine }
    private var bufferedLine: [UInt8] = []

    init(_ role: MessageRole, limits: WireLimits) {
        self.role = role
        self.limits = limits
        takesLineFeed = role == .response && !limits.hasStrictResponses
        trailers = HeadAssembler(trailers: role, limits: limits)
    }

    /// Returns the next item in `input` from `offset` on.
    mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> BodyItem {
        var lineStart = offset
        while offset < input.count {
            switch state {
            case .data: return takeData(input, from: &offset)
            case .trailers: return try takeTrailers(input, from: &offset)
            case .done: return .end
            default:
                try takeLineByte(input[offset])
                offset &+= 1
                if isAtLineStart {
                    lineStart = offset
                    dropBufferedLine()
                }
            }
        }
        if state == .done { return .end }
        buffer(input, from: lineStart)
        return .needsMoreInput
    }

    /// Whether a chunk has ended and nothing of the next size line has arrived.
    private var isAtLineStart: Bool { state == .size && lineByteCount == 0 }

    /// Keeps the bytes of an unfinished line of a response, so that they can be shown if it is
    /// rejected.
    private mutating func buffer(_ input: Span<UInt8>, from start: Int) {
        guard role == .response, state != .data, state != .trailers, start < input.count
        else { return }
        input.extracting(start..<input.count).withUnsafeBufferPointer {
            bufferedLine.append(contentsOf: $0)
        }
    }

    private mutating func takeData(_ input: Span<UInt8>, from offset: inout Int) -> BodyItem {
        let part = BodyItem.bytes(&remaining, of: input, from: &offset)
        if remaining == 0 { state = .dataCR }
        dropBufferedLine()
        return part
    }

    private mutating func dropBufferedLine() {
        if !bufferedLine.isEmpty { bufferedLine.removeAll(keepingCapacity: true) }
    }

    private mutating func takeTrailers(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WireError) -> BodyItem {
        guard let bytes = try trailers.take(input, from: &offset) else { return .needsMoreInput }
        state = .done
        noteRepairs(trailers.scanner.repairs)
        let fields = trailers.scanner.fields(of: bytes)
        return fields.isEmpty ? .end : .trailers(fields)
    }

    /// A bare line feed in the trailer section counts as one of the chunked coding.
    private mutating func noteRepairs(_ found: ResponseRepairs) {
        repairs.formUnion(found.subtracting(.headLineFeed))
        if found.contains(.headLineFeed) { repairs.insert(.chunkLineFeed) }
    }

    private mutating func takeLineByte(_ byte: UInt8) throws(WireError) {
        switch state {
        case .size: try takeSizeByte(byte)
        case .extensions: try takeExtensionByte(byte)
        case .sizeLF:
            try require(byte == 0x0A, or: .badChunkEnd)
            endSizeLine()
        case .dataCR:
            if byte == 0x0A, takesLineFeed {
                repairs.insert(.chunkLineFeed)
                return beginLine()
            }
            try require(byte == 0x0D, or: .badChunkEnd)
            state = .dataLF
        default:
            try require(byte == 0x0A, or: .badChunkEnd)
            beginLine()
        }
    }

    private mutating func endSizeLine() { state = remaining == 0 ? .trailers : .data }

    private mutating func beginLine() {
        state = .size
        remaining = 0
        lineByteCount = 0
    }

    private mutating func takeSizeByte(_ byte: UInt8) throws(WireError) {
        if let digit = WireNumber.hexDigit(byte) {
            lineByteCount &+= 1
            // Leading zeros are valid (1*HEXDIG), because both the number and the line are limited.
            // A larger value would lose a bit in the shift, or reach 2⁶³.
            try require(
                remaining <= WireNumber.lengthMax &>> 4
                    && lineByteCount <= limits.chunkLineByteCountMax,
                or: .badChunkSize)
            remaining = remaining &<< 4 | digit
            return
        }
        try require(lineByteCount > 0, or: .badChunkSize)
        switch byte {
        case 0x0D: state = .sizeLF
        case 0x0A where takesLineFeed:
            repairs.insert(.chunkLineFeed)
            endSizeLine()
        case 0x3B, 0x20, 0x09:
            state = .extensions
            extensions = ChunkExtensionScanner()
            try takeExtensionByte(byte)
        default: throw WireError(.badChunkSize, in: role)
        }
    }

    private mutating func takeExtensionByte(_ byte: UInt8) throws(WireError) {
        if byte == 0x0D && extensions.mayEnd(in: role) {
            state = .sizeLF
        } else if byte == 0x0A && takesLineFeed && extensions.mayEnd(in: role) {
            repairs.insert(.chunkLineFeed)
            endSizeLine()
        } else {
            try require(extensions.take(byte), or: .badChunkExtension)
            try countExtensionByte()
        }
    }

    private mutating func countExtensionByte() throws(WireError) {
        lineByteCount &+= 1
        extensionsByteCount &+= 1
        try require(
            lineByteCount <= limits.chunkLineByteCountMax
                && extensionsByteCount <= limits.chunkExtensionsByteCountMax,
            or: .badChunkExtension
        )
    }

    private func require(_ isMet: Bool, or kind: WireError.Kind) throws(WireError) {
        guard isMet else { throw WireError(kind, in: role) }
    }
}

/// The grammar of chunk extensions (RFC 9112 §7.1.1), which are checked and then ignored:
/// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`.
///
///     beforeSemicolon ─▶ beforeName ─▶ name ─▶ beforeValue ─▶ token ──┐
///          ▲                             └─(BWS)─▶ afterName           ├─▶ beforeSemicolon
///          └──────────────────────────────────────── quoted ⇄ escaped ─┘
struct ChunkExtensionScanner: Sendable {
    private enum State {
        case beforeSemicolon, beforeName, name, afterName, beforeValue, token, quoted, escaped
    }

    private var state = State.beforeSemicolon
    private var endsInSpace = false

    /// Whether the line may end here. White space is allowed before an extension, but not at the
    /// end; some servers pad chunk sizes with it nevertheless.
    func mayEnd(in role: MessageRole) -> Bool {
        switch state {
        case .name, .token: true
        case .beforeSemicolon, .afterName: role == .response || !endsInSpace
        case .beforeName, .beforeValue, .quoted, .escaped: false
        }
    }

    /// Takes the next byte; returns false if the grammar does not allow it here.
    mutating func take(_ byte: UInt8) -> Bool {
        endsInSpace = byte == 0x20 || byte == 0x09
        switch state {
        case .quoted: return takeQuoted(byte)
        case .escaped:
            state = .quoted
            return !ByteClass.isForbiddenInText(byte)
        case .name, .token: return takeToken(byte)
        case .beforeName, .beforeValue: return takeFirst(byte)
        case .beforeSemicolon, .afterName: return takeBetween(byte)
        }
    }

    private mutating func takeQuoted(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\"") {
            state = .beforeSemicolon
        } else if byte == UInt8(ascii: "\\") {
            state = .escaped
        }
        return !ByteClass.isForbiddenInText(byte)
    }

    private mutating func takeToken(_ byte: UInt8) -> Bool {
        if ByteClass.isToken(byte) { return true }
        state = state == .name ? .afterName : .beforeSemicolon
        return takeBetween(byte)
    }

    private mutating func takeFirst(_ byte: UInt8) -> Bool {
        if endsInSpace { return true }
        if state == .beforeValue && byte == UInt8(ascii: "\"") {
            state = .quoted
            return true
        }
        state = state == .beforeName ? .name : .token
        return ByteClass.isToken(byte)
    }

    private mutating func takeBetween(_ byte: UInt8) -> Bool {
        if endsInSpace { return true }
        if byte == UInt8(ascii: ";") {
            state = .beforeName
            return true
        }
        guard state == .afterName, byte == UInt8(ascii: "=") else { return false }
        state = .beforeValue
        return true
    }
}

/// Writes the chunked coding (RFC 9112 §7.1). A chunk consists of its header, its data and its end.
public enum ChunkEncoder {
    /// Writes the size line of a chunk of `byteCount` bytes; writes nothing for a count below one,
    /// because a size of zero would end the body.
    public static func writeChunkHeader(byteCount: Int, into output: inout [UInt8]) {
        guard byteCount > 0 else { return }
        WireNumber.appendHexadecimal(UInt64(byteCount), to: &output)
        appendCRLF(to: &output)
    }

    public static func writeChunkEnd(into output: inout [UInt8]) {
        appendCRLF(to: &output)
    }

    /// Writes the last chunk, the trailer fields that may be forwarded, and the empty line.
    public static func writeLastChunk(trailers: HeaderFields?, into output: inout [UInt8]) {
        output.append(0x30)
        appendCRLF(to: &output)
        if let trailers { writeTrailers(trailers, into: &output) }
        appendCRLF(to: &output)
    }

    /// Writes all trailer lines except framing, routing and connection fields (RFC 9110 §6.5.1,
    /// §7.6.1).
    private static func writeTrailers(_ trailers: HeaderFields, into output: inout [UInt8]) {
        let options = ConnectionOptions(trailers)
        for line in trailers.lines {
            switch line.name {
            case .host, .contentLength, .transferEncoding, .connection, .proxyConnection,
                .keepAlive, .te, .upgrade, .http2Settings, .proxyAuthorization, .maxForwards,
                .expect, .contentEncoding, .contentType:
                continue
            default:
                if options.nominates(line, of: trailers) { continue }
                output.append(contentsOf: trailers.bytes[line.range])
            }
        }
    }

    private static func appendCRLF(to output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }
}
