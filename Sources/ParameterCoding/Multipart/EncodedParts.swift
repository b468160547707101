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

    /// The parts in their order.
    public private(set) var parts: [Part] = []
    private let boundary: [UInt8]
    /// The charset of names, and of contents whose part declares none.
    let form: ByteText
    /// The boundary before each part, then the last one with everything after it.
    private var delimiters: [[UInt8]] = []
    /// CR LF, or LF alone as in the first line of a boundary.
    private let lineEnd: [UInt8]

    /// Splits a body into parts, of which there may be none; nil if it is invalid or truncated.
    /// - Parameter label: The charset that the body's Content-Type declares.
    public init?(_ body: [UInt8], boundary: [UInt8], declaredCharset label: String? = nil) {
        self.boundary = boundary
        form = ByteText(ofParts: body.span, boundary: boundary, declaredCharset: label)
        lineEnd = MultipartDelimiter.lineEnd(in: body, boundary)
        let found = MultipartDelimiter.all(in: body, boundary, lineEnd)
        guard let first = found.first, let last = found.last, last.isLast else { return nil }
        guard found.count > 1 else {
            // What would be before a first part.
            let start = body[..<last.dashes] + Array("--".utf8) + boundary + lineEnd
            delimiters = [Array(start), lineEnd + body[last.dashes...]]
            return
        }
        delimiters = [Array(body[..<first.range.upperBound])]
        for (delimiter, next) in zip(found, found.dropFirst()) {
            let bytes = body[delimiter.range.upperBound..<next.range.lowerBound]
            guard let part = Part(Array(bytes), form, lineEnd) else { return nil }
            parts.append(part)
            let end = next.isLast ? body.count : next.range.upperBound
            delimiters.append(Array(body[next.range.lowerBound..<end]))
        }
    }

    /// The current body; without parts, only the closing boundary is left between preamble and
    /// epilogue.
    public var bytes: [UInt8] {
        guard !parts.isEmpty else {
            let mark = lineEnd.count + 2 + boundary.count
            let blanks = delimiters[0].dropLast(lineEnd.count).reversed().prefix { $0 <= 0x20 }
            let last = delimiters[1].starts(with: lineEnd) ? lineEnd.count : 0
            return delimiters[0].dropLast(mark + blanks.count) + delimiters[1].dropFirst(last)
        }
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
        guard fits(content), let part = Part(name: name, content, form, lineEnd) else {
            return false
        }
        let place = min(max(0, index), parts.count)
        let between = lineEnd + Array("--".utf8) + boundary + lineEnd
        // The first boundary stays the first, and the last the last.
        if !parts.isEmpty { delimiters.insert(between, at: max(1, place)) }
        parts.insert(part, at: place)
        return true
    }

    /// Removes a part and the boundary that belongs to it.
    public mutating func remove(at index: Int) { remove(at: [index]) }

    /// Removes parts and the boundaries that belong to them.
    mutating func remove(at gone: Set<Int>) {
        let kept = parts.indices.filter { !gone.contains($0) }
        let last = parts.count
        // The first boundary stays the first, and the last the last.
        delimiters = [delimiters[0]] + kept.dropFirst().map { delimiters[$0] } + [delimiters[last]]
        parts = kept.map { parts[$0] }
    }

    /// Swaps a part with the one after it.
    public mutating func swapNeighbours(at index: Int) {
        guard parts.indices.contains(index), parts.indices.contains(index + 1) else { return }
        parts.swapAt(index, index + 1)
    }

    /// Whether a content does not contain the boundary.
    private func fits(_ content: [UInt8]) -> Bool {
        MultipartDelimiter.all(in: lineEnd + content, boundary, lineEnd).isEmpty
    }
}

extension EncodedParts.Part {
    /// Parses a part between two boundaries; nil if its head does not end.
    fileprivate init?(_ bytes: [UInt8], _ form: ByteText, _ lineEnd: [UInt8]) {
        let headEnd: Int
        if bytes.starts(with: lineEnd) {
            headEnd = lineEnd.count
        } else {
            guard let end = bytes.firstRange(of: lineEnd + lineEnd)?.upperBound else { return nil }
            headEnd = end
        }
        self.init(head: Array(bytes[..<headEnd]), Array(bytes[headEnd...]), form)
    }

    /// Creates a form field.
    fileprivate init?(name: String, _ content: [UInt8], _ form: ByteText, _ lineEnd: [UInt8]) {
        let line = "Content-Disposition: form-data; name=\"\(MultipartHeadWriter.escaped(name))\""
        self.init(head: form.bytes(of: line) + lineEnd + lineEnd, content, form)
    }

    private init?(head bytes: [UInt8], _ content: [UInt8], _ form: ByteText) {
        var events: [MultipartEvent] = []
        // The decoder takes heads that end their lines in CR LF behind an LF, too.
        let whole = Array("--b\n".utf8) + bytes + Array("\n--b--".utf8)
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
