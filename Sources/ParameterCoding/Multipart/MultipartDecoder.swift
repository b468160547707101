/// Parses a streamed multipart body (RFC 7578, RFC 2046 §5.1).
///
/// ```
/// preamble ──"--B" CRLF──▶ head ──empty line──▶ content ──CRLF "--B" CRLF──▶ head
///     └──────"--B--"──────────────▶ epilogue ◀──CRLF "--B--"──┘
/// ```
/// Also accepted: a missing final CRLF or closing boundary, `filename*`, unescaped quotation marks,
/// and LF for every CRLF if the first boundary line ends in LF. Preamble and epilogue are skipped.
public struct MultipartDecoder: Sendable {
    private enum State {
        case preamble
        case head
        case content
        case epilogue
        case failed(MultipartError)
    }

    /// Blanks allowed between a boundary and its CRLF (RFC 2046: transport padding).
    private static let paddingByteCountMax = 64

    /// The line end before a boundary, and the boundary with its dashes. Until the first boundary
    /// is found the line end is LF, since that of the body is not known yet.
    private var delimiter: [UInt8]
    private let limits: MultipartLimits
    private let text: ByteText
    private var state = State.preamble
    /// The bytes not consumed yet. It starts with an added LF, because a body that starts with its
    /// boundary has no line end before it.
    private var buffer: [UInt8] = [0x0A]
    /// The number of bytes of the body before `buffer`.
    private var bufferOffset = -1
    /// Whether lines end in LF alone.
    private var hasBareLineFeeds = false
    private var fields: [MultipartPartHead.Field] = []
    private var headByteCount = 0
    /// The number of bytes of an unfinished head line that were already searched for its end.
    private var searchedByteCount = 0
    private var partCount = 0
    /// How many bytes of the empty line after a head are still at the start of the content.
    private var headEndByteCount = 0

    /// Creates a decoder with the boundary from Content-Type.
    /// - Throws: `.badBoundary`.
    public init(
        boundary: [UInt8], limits: MultipartLimits = MultipartLimits(), text: ByteText = ByteText()
    ) throws(MultipartError) {
        let isLegal = boundary.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard !boundary.isEmpty, boundary.count <= MultipartLimits.boundaryByteCountMax, isLegal
        else { throw MultipartError(kind: .badBoundary, offset: 0) }
        delimiter = [0x0A, 0x2D, 0x2D] + boundary
        self.limits = limits
        self.text = text
    }

    /// Processes the next bytes of the body and appends the events that they complete.
    /// - Throws: the first error, and the same error in every further call.
    public mutating func receive(
        _ bytes: Span<UInt8>, into events: inout [MultipartEvent]
    ) throws(MultipartError) {
        if case .epilogue = state { return }
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
        var position = 0
        while let next = advance(from: position, &events) { position = next }
        if case .failed(let error) = state {
            buffer = []
            throw error
        }
        buffer.removeFirst(min(position, buffer.count))
        bufferOffset += position
    }

    /// Processes the end of the body: appends the rest of an unfinished part, and the end event.
    public mutating func finish(into events: inout [MultipartEvent]) {
        var isComplete = false
        switch state {
        case .content:
            // A delimiter still counts if its line is incomplete.
            let rest = buffer.dropFirst(headEndByteCount)
            if !buffer.starts(with: delimiter), !rest.isEmpty { events.append(.data(Array(rest))) }
            events.append(.partEnd)
        case .epilogue: isComplete = true
        case .preamble, .head, .failed: break
        }
        state = .epilogue
        buffer = []
        events.append(.end(isComplete: isComplete))
    }

    /// Advances from one position of the buffer to another; nil if more bytes are needed.
    private mutating func advance(from position: Int, _ events: inout [MultipartEvent]) -> Int? {
        switch state {
        case .preamble, .content: content(from: position, &events)
        case .head: headLine(from: position, &events)
        case .epilogue: position < buffer.count ? buffer.count : nil
        case .failed: nil
        }
    }

    // MARK: Content

    private mutating func content(from position: Int, _ events: inout [MultipartEvent]) -> Int? {
        if case .preamble = state { forgiveDoubledDashes() }
        let found = findDelimiter(from: position)
        if found.start > position {
            let dataStart = position + headEndByteCount
            headEndByteCount = 0
            if case .content = state, found.start > dataStart {
                events.append(.data(Array(buffer[dataStart..<found.start])))
            }
        }
        guard let end = found.end else { return found.start > position ? found.start : nil }
        if case .content = state {
            events.append(.partEnd)
        } else if !found.isLast {
            hasBareLineFeeds = found.hasBareLineFeed
            if !hasBareLineFeeds { delimiter.insert(0x0D, at: 0) }
        }
        if found.isLast {
            state = .epilogue
        } else if partCount >= limits.partCountMax {
            fail(.tooManyParts, at: found.start)
        } else {
            state = .head
            headEndByteCount = 0
            partCount += 1
            headByteCount = 0
            fields = []
        }
        return end
    }

    /// Some clients include the two dashes in the boundary in Content-Type and do not add two more
    /// in the body. Such a body starts with the boundary itself.
    private mutating func forgiveDoubledDashes() {
        let dashes: [UInt8] = [0x2D, 0x2D]
        let boundary = delimiter.dropFirst(3)
        // One byte after the dashes is enough to decide, even if bytes arrive one at a time.
        let start = boundary.prefix(3)
        guard bufferOffset == -1, start.count == 3, start.starts(with: dashes),
            start.last != 0x2D, buffer.dropFirst().starts(with: start)
        else { return }
        delimiter.removeSubrange(1..<3)
    }

    /// A delimiter, or the position before which there is none.
    private struct Found {
        var start: Int
        /// The position after the delimiter's line; nil if more bytes are needed.
        var end: Int?
        var isLast = false
        var hasBareLineFeed = false
    }

    private func findDelimiter(from position: Int) -> Found {
        let bytes = buffer.span
        let first = delimiter[0]
        var start = position
        while start < bytes.count {
            if bytes[start] == first {
                var matched = 1
                while matched < delimiter.count, start &+ matched < bytes.count,
                    bytes[start &+ matched] == delimiter[matched]
                {
                    matched &+= 1
                }
                if start &+ matched == bytes.count { return Found(start: start, end: nil) }
                if matched == delimiter.count, let found = delimiterLine(bytes, start) {
                    return found
                }
            }
            start &+= 1
        }
        return Found(start: start, end: nil)
    }

    /// Parses the rest of a delimiter at `start`; nil if it is not a delimiter.
    private func delimiterLine(_ bytes: Span<UInt8>, _ start: Int) -> Found? {
        let more = Found(start: start, end: nil)
        var index = start &+ delimiter.count
        if bytes[index] == 0x2D {
            guard index &+ 1 < bytes.count else { return more }
            guard bytes[index &+ 1] == 0x2D else { return nil }
            return Found(start: start, end: index &+ 2, isLast: true)
        }
        let paddingEnd = index &+ MultipartDecoder.paddingByteCountMax
        while index < bytes.count, index < paddingEnd, Byte.isBlank(bytes[index]) {
            index &+= 1
        }
        guard index < bytes.count else { return more }
        if bytes[index] == 0x0A, delimiter[0] == 0x0A {
            return Found(start: start, end: index &+ 1, hasBareLineFeed: true)
        }
        guard bytes[index] == 0x0D else { return nil }
        guard index &+ 1 < bytes.count else { return more }
        return bytes[index &+ 1] == 0x0A ? Found(start: start, end: index &+ 2) : nil
    }

    // MARK: Heads

    private mutating func headLine(from position: Int, _ events: inout [MultipartEvent]) -> Int? {
        var index = position + searchedByteCount
        while index < buffer.count, buffer[index] != 0x0A { index &+= 1 }
        guard headByteCount + (index - position) < limits.headByteCountMax else {
            return fail(.partHeadTooLarge, at: position)
        }
        guard index < buffer.count else {
            searchedByteCount = index - position
            return nil
        }
        searchedByteCount = 0
        headByteCount += index + 1 - position
        let hasCarriageReturn = index > position && buffer[index - 1] == 0x0D
        guard hasCarriageReturn || hasBareLineFeeds else { return fail(.badPartHead, at: position) }
        let lineEnd = hasCarriageReturn ? index - 1 : index
        if lineEnd == position {
            events.append(.part(MultipartPartHead(fields: fields, text: text)))
            state = .content
            // Stays in the buffer: without content, this line end may belong to the delimiter.
            headEndByteCount = hasBareLineFeeds ? 1 : 2
            return index + 1 - headEndByteCount
        }
        guard addField(buffer[position..<lineEnd]) else { return fail(.badPartHead, at: position) }
        return index + 1
    }

    /// Parses one line of a head without its CRLF; returns false if it is invalid.
    private mutating func addField(_ line: ArraySlice<UInt8>) -> Bool {
        if line.contains(0x0D) { return false }
        if let first = line.first, Byte.isBlank(first), let last = fields.indices.last {
            // A folded line (RFC 5322 §2.2.3) continues the value of the line above.
            fields[last].value.append(0x20)
            fields[last].value += trimmed(line)
            return true
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return false }
        let name = line[..<colon]
        guard name.allSatisfy({ Byte.isToken($0) }) else { return false }
        fields.append(
            MultipartPartHead.Field(
                name: String(decoding: name, as: UTF8.self),
                value: Array(trimmed(line[(colon + 1)...]))
            )
        )
        return true
    }

    private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { Byte.isBlank($0) }
        while let last = bytes.last, Byte.isBlank(last) { bytes.removeLast() }
        return bytes
    }

    @discardableResult
    private mutating func fail(_ kind: MultipartError.Kind, at position: Int) -> Int? {
        state = .failed(MultipartError(kind: kind, offset: bufferOffset + position))
        return nil
    }
}

/// An event of a multipart decoder, in document order.
public enum MultipartEvent: Sendable, Hashable {
    case part(MultipartPartHead)
    /// The next bytes of the part's content.
    case data([UInt8])
    case partEnd
    /// The body ends; `isComplete` is false if the closing boundary is missing.
    case end(isComplete: Bool)

    /// Parses a body up to its end or the first error.
    package static func all(
        in bytes: [UInt8], boundary: [UInt8], _ text: ByteText = ByteText()
    ) -> (events: [MultipartEvent], isIntact: Bool) {
        var events: [MultipartEvent] = []
        do throws(MultipartError) {
            var decoder = try MultipartDecoder(boundary: boundary, text: text)
            try decoder.receive(bytes.span, into: &events)
            decoder.finish(into: &events)
            return (events, true)
        } catch {
            return (events, false)
        }
    }
}

/// The head of one part of a multipart body (RFC 7578 §4).
public struct MultipartPartHead: Sendable, Hashable {
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public let name: String
        /// The value's bytes without surrounding white space.
        public internal(set) var value: [UInt8]

        public init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    public let fields: [Field]
    /// The `name` of Content-Disposition; nil if there is none. In it and in `filename`, the `%22`,
    /// `%0D` and `%0A` that browsers write for `"`, CR and LF are decoded; all other percent signs
    /// are literal. The original value is in `fields`.
    public let name: String?
    /// The file name, preferring `filename*` to `filename`; nil for a part that is not a file.
    public let filename: String?
    public let contentType: String?
    /// The transfer encoding of the content; `none` for almost all parts.
    public let transferEncoding: PartTransferEncoding

    init(fields: [Field], text: ByteText) {
        self.fields = fields
        func value(_ name: String) -> [UInt8]? {
            fields.first { $0.name.lowercased() == name }?.value
        }
        let disposition = value("content-disposition").map { bytes in
            FieldParameters(bytes.span, from: 0)
        }
        self.name = disposition?.text("name", text)
        filename = disposition?.text("filename", text)
        contentType = value("content-type").map { text.text($0.span) }
        transferEncoding = PartTransferEncoding(value("content-transfer-encoding"))
    }
}

/// Bounds on a multipart body. The contents of parts are streamed and not limited.
public struct MultipartLimits: Sendable, Hashable {
    /// The maximum length of a boundary in bytes: RFC 2046 §5.1.1 allows 70, some clients use more.
    public static let boundaryByteCountMax = Sniffer.boundaryByteCountMax

    public var partCountMax: Int
    public var headByteCountMax: Int

    public init(partCountMax: Int = 10_000, headByteCountMax: Int = 16 << 10) {
        self.partCountMax = partCountMax
        self.headByteCountMax = headByteCountMax
    }
}

/// Why a body is not valid multipart, and where.
public struct MultipartError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Empty, too long, or with bytes that are not allowed in a boundary.
        case badBoundary
        /// A line of a part's head that is not `name: value`, or does not end in CRLF.
        case badPartHead
        case partHeadTooLarge
        case tooManyParts
    }

    public let kind: Kind
    /// The number of bytes before the invalid line or part.
    public let offset: Int
}

extension MultipartError: CustomStringConvertible {
    /// A message with the position; it never contains bytes of the body.
    public var description: String {
        let problem =
            switch kind {
            case .badBoundary: "the boundary is not valid"
            case .badPartHead: "the head of a part is not valid"
            case .partHeadTooLarge: "the head of a part is too large"
            case .tooManyParts: "there are too many parts"
            }
        return "offset \(offset): \(problem)"
    }
}
