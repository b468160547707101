/// A multipart body (RFC 2046 §5.1) whose parts can be edited individually. Everything else keeps
/// its bytes: preamble, boundaries, heads, contents and epilogue.
public struct EncodedParts: Sendable, Hashable {
    /// A part as written.
    public struct Part: Sendable, Hashable {
        /// The parsed head.
        public internal(set) var head: MultipartPartHead
        /// The lines of the head, followed by the empty line.
        fileprivate var headBytes: [UInt8]
        /// The content as sent, including any transfer encoding.
        public fileprivate(set) var content: [UInt8]
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// The parts in their order.
    public private(set) var parts: [Part] = []
    private let boundary: [UInt8]
    /// The charset of names, and of contents whose part declares none.
    let form: ByteText
    /// The boundary before each part, then the last one with everything after it.
    private var delimiters: [[UInt8]] = []

    /// Splits a body into parts; nil if it is invalid or truncated, or if its lines do not end in
    /// CR LF.
    /// - Parameter label: The charset that the body's Content-Type declares.
    public init?(_ body: [UInt8], boundary: [UInt8], declaredCharset label: String? = nil) {
        self.boundary = boundary
        form = ByteText(declaredCharset: label)
        guard let found = EncodedParts.delimiters(in: body, boundary), let first = found.first
        else { return nil }
        delimiters = [Array(body[..<first.range.upperBound])]
        for (delimiter, next) in zip(found, found.dropFirst()) {
            let bytes = body[delimiter.range.upperBound..<next.range.lowerBound]
            guard let part = Part(Array(bytes), form) else { return nil }
            parts.append(part)
            let end = next.isLast ? body.count : next.range.upperBound
            delimiters.append(Array(body[next.range.lowerBound..<end]))
        }
        guard !parts.isEmpty, found.last?.isLast == true else { return nil }
    }

    /// The current body; empty if no part is left.
    public var bytes: [UInt8] {
        guard !parts.isEmpty else { return [] }
        var bytes = delimiters[0]
        for (part, delimiter) in zip(parts, delimiters.dropFirst()) {
            bytes += part.headBytes + part.content + delimiter
        }
        return bytes
    }

    // MARK: Changes

    /// Replaces the content of a part; returns false if the content would end the part early.
    public mutating func setContent(_ content: [UInt8], at index: Int) -> Bool {
        guard parts.indices.contains(index), fits(content) else { return false }
        parts[index].content = content
        return true
    }

    /// Renames a part; returns false if its head has no name that can be replaced.
    public mutating func rename(at index: Int, to name: String) -> Bool {
        guard parts.indices.contains(index), let renamed = parts[index].renamed(to: name, form)
        else { return false }
        parts[index] = renamed
        return true
    }

    /// Inserts a field; returns false if its content would end the part early.
    public mutating func insert(name: String, content: [UInt8], at index: Int) -> Bool {
        guard fits(content), let part = Part(name: name, content, form) else { return false }
        let place = min(max(0, index), parts.count)
        let between = EncodedParts.lineEnd + Array("--".utf8) + boundary + EncodedParts.lineEnd
        // The first boundary stays the first, and the last the last.
        delimiters.insert(between, at: max(1, place))
        parts.insert(part, at: place)
        return true
    }

    /// Removes a part and the boundary that belongs to it.
    public mutating func remove(at index: Int) {
        guard parts.indices.contains(index) else { return }
        parts.remove(at: index)
        delimiters.remove(at: max(1, index))
    }

    /// Swaps a part with the one after it.
    public mutating func swapNeighbours(at index: Int) {
        guard parts.indices.contains(index), parts.indices.contains(index + 1) else { return }
        parts.swapAt(index, index + 1)
    }

    /// Whether a content does not contain the boundary.
    private func fits(_ content: [UInt8]) -> Bool {
        EncodedParts.delimiters(in: EncodedParts.lineEnd + content, boundary)?.isEmpty == true
    }

    // MARK: Boundaries

    private struct Delimiter {
        /// The range, including the line ends before and after it.
        let range: Range<Int>
        let isLast: Bool
    }

    /// All boundaries up to the closing one; nil if one is not followed by a line end.
    private static func delimiters(in body: [UInt8], _ boundary: [UInt8]) -> [Delimiter]? {
        let mark = Array("--".utf8) + boundary
        var found: [Delimiter] = []
        var place = 0
        while let dash = body[place...].firstIndex(of: UInt8(ascii: "-")) {
            place = dash + 1
            let hasLineEnd = dash >= 2 && body[dash - 2] == 0x0D && body[dash - 1] == 0x0A
            guard dash == 0 || hasLineEnd, body[dash...].starts(with: mark) else { continue }
            var end = dash + mark.count
            let isLast = body[end...].starts(with: "--".utf8)
            if isLast { end += 2 }
            while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
            if body[end...].starts(with: lineEnd) {
                end += 2
            } else if !isLast || end < body.count {
                // The boundary is the start of a longer word.
                continue
            }
            // If two boundaries are adjacent, the line end between them belongs to the first.
            let isBehindAnother = found.last?.range.upperBound == dash
            let start = hasLineEnd && !isBehindAnother ? dash - 2 : dash
            found.append(Delimiter(range: start..<end, isLast: isLast))
            if isLast { return found }
            place = end
        }
        return found
    }
}

extension EncodedParts.Part {
    /// Parses a part between two boundaries; nil if its head does not end.
    fileprivate init?(_ bytes: [UInt8], _ form: ByteText) {
        let headEnd: Int
        if bytes.starts(with: [0x0D, 0x0A]) {
            headEnd = 2
        } else {
            guard let end = bytes.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])?.upperBound else {
                return nil
            }
            headEnd = end
        }
        self.init(head: Array(bytes[..<headEnd]), Array(bytes[headEnd...]), form)
    }

    /// Creates a form field.
    fileprivate init?(name: String, _ content: [UInt8], _ form: ByteText) {
        let line = "Content-Disposition: form-data; name=\"\(MultipartHeadWriter.escaped(name))\""
        self.init(head: form.bytes(of: line + "\r\n\r\n"), content, form)
    }

    private init?(head bytes: [UInt8], _ content: [UInt8], _ form: ByteText) {
        var events: [MultipartEvent] = []
        let whole = Array("--b\r\n".utf8) + bytes + Array("\r\n--b--".utf8)
        guard var decoder = try? MultipartDecoder(boundary: Array("b".utf8), text: form),
            (try? decoder.receive(whole.span, into: &events)) != nil,
            case .part(let head)? = events.first
        else { return nil }
        self.head = head
        headBytes = bytes
        self.content = content
    }

    /// A copy with another quoted `name`; everything else is unchanged.
    fileprivate func renamed(to name: String, _ form: ByteText) -> EncodedParts.Part? {
        let lower = headBytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        var from = 0
        // `filename="` ends the same way.
        while let match = lower[from...].firstRange(of: Array("name=\"".utf8)) {
            from = match.upperBound
            let before = match.lowerBound > 0 ? lower[match.lowerBound - 1] : 0
            guard before == 0x20 || before == 0x09 || before == UInt8(ascii: ";"),
                let end = lower[from...].firstIndex(of: UInt8(ascii: "\""))
            else { continue }
            let escaped = form.bytes(of: MultipartHeadWriter.escaped(name))
            let bytes = Array(headBytes[..<from]) + escaped + Array(headBytes[end...])
            return EncodedParts.Part(head: bytes, content, form)
        }
        return nil
    }
}
