/// A multipart body (RFC 2046 §5.1) whose parts can be edited individually. Everything else keeps
/// its bytes: preamble, boundaries, heads, contents and epilogue.
public struct EncodedParts: Sendable, Hashable {
    /// A part as written.
    public struct Part: Sendable, Hashable {
        public internal(set) var head: MultipartPartHead
        /// The lines of the head, followed by the empty line.
        fileprivate var headBytes: [UInt8]
        /// The content as sent, including any transfer encoding.
        public fileprivate(set) var content: [UInt8]
    }

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

    public mutating func remove(at index: Int) { remove(at: [index]) }

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

    fileprivate init?(name: String, _ content: [UInt8], _ form: ByteText, _ lineEnd: [UInt8]) {
        let line = "Content-Disposition: form-data; name=\"\(MultipartHeadWriter.escaped(name))\""
        self.init(head: form.bytes(of: line) + lineEnd + lineEnd, content, form)
    }

    private init?(head bytes: [UInt8], _ content: [UInt8], _ form: ByteText) {
        var events: [MultipartEvent] = []
        // The decoder also takes heads whose lines end in CR LF after an LF.
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

/// Edits of a form's fields by name. Only the bytes of the field change; files are not fields.
extension EncodedParts {
    public enum FieldProblem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The form has a file of this name.
        case isFile
        /// The value contains the boundary, and would end the part early.
        case boundaryInValue

        public var description: String {
            switch self {
            case .isFile: "the part is a file, not a field"
            case .boundaryInValue: "the value contains the boundary"
            }
        }
    }

    /// Sets the value of the first field with a name, or appends a field if none has it.
    public mutating func setField(named name: String, to value: String) throws(FieldProblem) {
        let named = parts.indices.filter { isNamed(name, $0) }
        guard let index = named.first(where: { parts[$0].head.filename == nil }) else {
            guard named.isEmpty else { throw .isFile }
            return try addField(named: name, value: value)
        }
        // A field that has this value already keeps its bytes.
        guard !self.value(at: index).utf8.elementsEqual(value.utf8) else { return }
        guard setText(value, at: index) else { throw .boundaryInValue }
    }

    public mutating func addField(named name: String, value: String) throws(FieldProblem) {
        guard insert(name: name, value: value, at: parts.count) else { throw .boundaryInValue }
    }

    /// Inserts a field; returns false if its value would end the part early.
    public mutating func insert(name: String, value: String, at index: Int) -> Bool {
        insert(name: name, content: form.bytes(of: value), at: index)
    }

    /// Removes the fields and files with a name whose value satisfies a predicate: the text of a
    /// field, the file name of a file.
    public mutating func removeAll(
        named name: String, where isGone: (String) -> Bool = { _ in true }
    ) {
        let gone = parts.indices.filter { isNamed(name, $0) && isGone(value(at: $0)) }
        remove(at: Set(gone))
    }

    /// The text of a field, or the name of a file.
    private func value(at index: Int) -> String {
        parts[index].head.filename ?? reading(at: index).text
    }

    private func isNamed(_ name: String, _ index: Int) -> Bool {
        parts[index].head.name?.utf8.elementsEqual(name.utf8) == true
    }

    // MARK: Contents as text, without their transfer encoding

    /// The content of a part as text; nil if it is not text in the part's charset or in UTF-8.
    public func text(at index: Int) -> String? {
        let (text, origin) = reading(at: index)
        return origin == .undecodable ? nil : text
    }

    /// Replaces a part's content by a text in its charset; false if it would end the part early.
    public mutating func setText(_ text: String, at index: Int) -> Bool {
        guard parts.indices.contains(index) else { return false }
        let encoding = parts[index].head.transferEncoding
        let bytes = charset(ofPart: index).bytes(
            of: text, inPlaceOf: encoding.decoded(parts[index].content))
        return setContent(encoding.encoded(bytes), at: index)
    }

    /// The body with contents in UTF-8 and without their transfer encoding, where they have one or
    /// are text in a declared charset.
    var inUTF8: [UInt8] {
        var parts = self
        for index in self.parts.indices {
            let (text, origin) = reading(at: index)
            let isCoded = self.parts[index].head.transferEncoding != .none
            if origin == .declaredCharset || isCoded && origin == .utf8 {
                _ = parts.setContent(Array(text.utf8), at: index)
            }
        }
        return parts.bytes
    }

    private func reading(at index: Int) -> (text: String, origin: TextOrigin) {
        let content = parts[index].head.transferEncoding.decoded(parts[index].content)
        return charset(ofPart: index).reading(content.span)
    }

    private func charset(ofPart index: Int) -> ByteText {
        ByteText(of: parts[index].head, in: form)
    }
}

extension PartTransferEncoding {
    fileprivate func encoded(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .none: content
        case .base64: Array(Base64.text(content).utf8)
        case .quotedPrintable: PartTransferEncoding.quotedPrintable(content)
        }
    }

    /// Lines of at most 76 characters (RFC 2045 §6.7).
    private static func quotedPrintable(_ content: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        var lineByteCount = 0
        for byte in content {
            let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D
            let piece = isPlain ? [byte] : [0x3D, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if lineByteCount + piece.count > 75 {
                encoded += [0x3D, 0x0D, 0x0A]
                lineByteCount = 0
            }
            encoded += piece
            lineByteCount += piece.count
        }
        return encoded
    }
}

/// A boundary in a multipart body, with the line ends that belong to it.
struct MultipartDelimiter {
    /// The range, including the line ends before and after it.
    let range: Range<Int>
    let dashes: Int
    let isLast: Bool

    /// How lines end: as the first line that begins with the boundary.
    static func lineEnd(in body: [UInt8], _ boundary: [UInt8]) -> [UInt8] {
        let first = all(in: body, boundary, [0x0A]).first
        let end = first.map { body[..<$0.range.upperBound] } ?? []
        return end.last == 0x0A && !end.ends(with: [0x0D, 0x0A]) ? [0x0A] : [0x0D, 0x0A]
    }

    /// All boundaries up to the closing one. Lines that end in LF may end in CR LF as well.
    static func all(
        in body: [UInt8], _ boundary: [UInt8], _ lineEnd: [UInt8]
    ) -> [MultipartDelimiter] {
        let mark = Array("--".utf8) + boundary
        var found: [MultipartDelimiter] = []
        var index = 0
        while let dash = body[index...].firstIndex(of: UInt8(ascii: "-")) {
            index = dash + 1
            // The line before the first boundary may end in any way.
            let hasLineEnd = body[..<dash].ends(with: found.isEmpty ? [0x0A] : lineEnd)
            guard dash == 0 || hasLineEnd, body[dash...].starts(with: mark) else { continue }
            var end = dash + mark.count
            let isLast = body[end...].starts(with: "--".utf8)
            if isLast { end += 2 }
            while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
            if body[end...].starts(with: [0x0D, 0x0A]) {
                end += 2
            } else if lineEnd.count == 1, body[end...].first == 0x0A {
                end += 1
            } else if !isLast || end < body.count {
                // The boundary is the start of a longer word.
                continue
            }
            // If two boundaries are adjacent, the line end between them belongs to the first.
            let isBehindAnother = found.last?.range.upperBound == dash
            let start = hasLineEnd && !isBehindAnother ? dash - lineEnd.count : dash
            found.append(MultipartDelimiter(range: start..<end, dashes: dash, isLast: isLast))
            if isLast { return found }
            index = end
        }
        return found
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
