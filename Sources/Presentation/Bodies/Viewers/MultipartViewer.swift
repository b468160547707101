internal import ProxydCharsets
internal import ProxydParameterCoding

/// Shows the parts of a multipart body: their heads, and the start of each content. Each part can
/// be viewed separately.
struct MultipartViewer: BodyViewer {
    static let name = "parts"

    private static let previewCountMax = 200
    /// The maximum size of a piece given to the decoder at a time, in bytes; pieces that end with a
    /// line show where contents start.
    private static let pieceByteCount = 4 << 10

    private let source: any BodySource
    /// The charset of the form's fields, from its Content-Type or from its field `_charset_`.
    private var charset: String?
    /// How many bodies it is nested in.
    private let depth: Int
    private var decoder: MultipartDecoder?
    private var offset = 0
    /// The contents of all parts, one after another.
    private var contents = ByteStore()
    private var parts: [MultipartPart] = []
    private var all: [StyledText] = []
    private var partOfLine: [Int] = []
    private var isEnded = false

    static func fitness(for facts: BodyFacts) -> Int { facts.multipartBoundary == nil ? 0 : 90 }

    init(_ facts: BodyFacts, _ source: any BodySource) { self.init(facts, source, depth: 0) }

    init(_ facts: BodyFacts, _ source: any BodySource, depth: Int) {
        self.source = source
        self.depth = depth
        charset = facts.mediaType?.charset
        let text = ByteText(declaredCharset: charset)
        decoder = facts.multipartBoundary.flatMap {
            try? MultipartDecoder(boundary: $0, text: text)
        }
    }

    var lineCount: Int { all.count }
    var isComplete: Bool { isEnded || decoder == nil }
    var indexedByteCount: Int { offset }
    var remark: String? { "\(parts.count) part\(parts.count == 1 ? "" : "s")" }

    func lines(_ range: Range<Int>) -> [StyledText] { Array(all[range.clamped(to: all.indices)]) }

    func offset(ofLine line: Int) -> Int? {
        guard partOfLine.indices.contains(line) else { return nil }
        // A problem before the first part is shown on a line that belongs to no part.
        let part = partOfLine[line]
        return parts.indices.contains(part) ? parts[part].offset : nil
    }

    func line(atOffset offset: Int) -> Int? {
        guard isEnded || offset < self.offset else { return nil }
        let part = parts.lastIndex { $0.offset <= offset } ?? 0
        return partOfLine.firstIndex(of: part)
    }

    func nestedBody(atLine line: Int) -> NestedBody? {
        guard partOfLine.indices.contains(line) else { return nil }
        return nested(partOfLine[line])
    }

    mutating func advance(byteBudget: Int) {
        let limit = offset.addingReportingOverflow(byteBudget)
        while !isComplete, limit.overflow || offset < limit.partialValue {
            let extent = source.extent
            let window = source.read(from: offset, byteCount: 64 << 10)
            if window.isEmpty {
                if extent.isComplete { finish() }
                return
            }
            receive(window)
        }
    }

    private mutating func receive(_ window: [UInt8]) {
        var rest = window[...]
        while !rest.isEmpty, !isEnded {
            let limited = rest.prefix(MultipartViewer.pieceByteCount)
            // A head ends with its line, so that the offset of the content is known.
            let end = limited.firstIndex(of: 0x0A).map { $0 + 1 } ?? limited.endIndex
            let piece = Array(rest[rest.startIndex..<end])
            rest = rest[end...]
            offset += piece.count
            var events: [MultipartEvent] = []
            do throws(MultipartError) {
                try decoder?.receive(piece.span, into: &events)
                take(events)
            } catch {
                take(events)
                finish()
                append(StyledText("\(error)", .bad), part: parts.count - 1)
            }
        }
    }

    private mutating func finish() {
        var events: [MultipartEvent] = []
        decoder?.finish(into: &events)
        take(events)
        isEnded = true
    }

    private mutating func take(_ events: [MultipartEvent]) {
        for event in events {
            switch event {
            case .part(let head):
                parts.append(MultipartPart(head: head, offset: offset, start: contents.byteCount))
            case .data(let bytes):
                contents.append(bytes)
                if !parts.isEmpty { parts[parts.count - 1].end = contents.byteCount }
            case .partEnd:
                describe(parts.count - 1)
                takeCharset(parts.count - 1)
            case .end(let isComplete):
                guard !isComplete, !parts.isEmpty else { continue }
                append(StyledText("the closing boundary is missing", .bad), part: parts.count - 1)
            }
        }
    }

    /// Takes the charset that the first `_charset_` names, and describes the earlier parts again.
    private mutating func takeCharset(_ index: Int) {
        guard charset == nil, parts.indices.contains(index),
            parts[index].head.name == ByteText.charsetFieldName, let field = nested(index)
        else { return }
        charset = String(
            decoding: field.source.read(from: 0, byteCount: BodyFacts.lookByteCount), as: UTF8.self)
        (all, partOfLine) = ([], [])
        for index in parts.indices { describe(index) }
    }

    // MARK: Lines

    private mutating func describe(_ index: Int) {
        guard parts.indices.contains(index) else { return }
        let part = parts[index]
        if index > 0 { append(StyledText(), part: index) }
        var heading = StyledText("part \(index + 1)", .heading)
        heading.append("  \(part.head.name ?? "(no name)")", .key)
        if let filename = part.head.filename { heading.append("  \(filename)", .accent) }
        heading.append("  \(Quantity.bytes(Int64(part.byteCount)))", .dim)
        append(heading, part: index)
        for field in part.head.fields {
            var line = StyledText()
            line.appendIndent(2)
            line.append(field.name, .dim)
            line.append(": ", .dim)
            line.append(field.value[...], .dim)
            append(line, part: index)
        }
        if index < MultipartViewer.previewCountMax { preview(index) }
    }

    private mutating func preview(_ index: Int) {
        guard let body = nested(index) else { return }
        let preview = PartPreview(body, depth: depth)
        for line in preview.lines { append(line.indented(by: 4), part: index) }
        if preview.hasMore { append(StyledText("    … Enter shows all of it", .dim), part: index) }
    }

    private mutating func append(_ line: StyledText, part: Int) {
        all.append(line)
        partOfLine.append(max(0, part))
    }

    private func nested(_ index: Int) -> NestedBody? {
        guard parts.indices.contains(index) else { return nil }
        let part = parts[index]
        var source: any BodySource = BodySlice(contents.contents, part.start..<part.end)
        if part.head.transferEncoding != .none, part.byteCount <= ByteStore.memoryByteCountMax {
            let bytes = source.read(from: 0, byteCount: part.byteCount)
            source = LoadedBody(part.head.transferEncoding.decoded(bytes))
        }
        let beginning = source.read(from: 0, byteCount: BodyFacts.lookByteCount)
        let facts = BodyFacts(
            contentType: contentType(part.head), passedByteCount: Int64(source.extent.byteCount),
            keptByteCount: Int64(source.extent.byteCount), beginning: beginning)
        let name = part.head.filename ?? part.head.name ?? "no name"
        return NestedBody(title: "part \(index + 1): \(name)", facts: facts, source: source)
    }

    /// The type of a part. Fields are in the charset of their form, unless they name another.
    private func contentType(_ head: MultipartPartHead) -> String? {
        guard head.filename == nil else { return head.contentType }
        let type = head.contentType ?? "text/plain"
        guard let charset, let media = MediaType(type), media.charset == nil,
            let known = Charset(label: charset)
        else { return type }
        return "\(type); charset=\(known.rawValue)"
    }
}

/// A part, and where its content is.
private struct MultipartPart: Sendable {
    let head: MultipartPartHead
    let offset: Int
    /// The offset in the store of contents.
    let start: Int
    var end: Int
    var byteCount: Int { end - start }

    init(head: MultipartPartHead, offset: Int, start: Int) {
        self.head = head
        self.offset = offset
        self.start = start
        end = start
    }
}

/// The start of a part's content, and of what is nested in it: parts of multipart/mixed, as in
/// OData's batches, and whole messages of application/http.
struct PartPreview {
    /// How deep multipart bodies and messages are shown within each other.
    private static let depthMax = 4
    private static let lineCountMax = 8
    private static let byteCount = 16 << 10
    private static let nestedLineCountMax = 400
    private static let nestedByteCount = 64 << 10

    /// The lines; there may be more of the content than they show.
    private(set) var lines: [StyledText] = []
    private(set) var hasMore = false

    /// - Parameter depth: How many bodies the part is nested in.
    init(_ body: NestedBody, depth: Int) {
        let isNested = body.facts.multipartBoundary != nil || PartPreview.isMessage(body.facts)
        guard !isNested || depth < PartPreview.depthMax else {
            hasMore = true
            return
        }
        if body.facts.multipartBoundary != nil {
            var parts = MultipartViewer(body.facts, body.source, depth: depth + 1)
            parts.advance(byteBudget: PartPreview.nestedByteCount)
            take(parts, PartPreview.nestedLineCountMax)
        } else if !PartPreview.isMessage(body.facts) || !takeMessage(body.source, depth) {
            let type = BodyViewers.suited(to: body.facts).first ?? BodyViewers.hex
            var viewer = ViewedBody(type, body.facts, body.source).viewer
            viewer.advance(byteBudget: PartPreview.byteCount)
            take(viewer, PartPreview.lineCountMax)
        }
    }

    private mutating func take(_ viewer: any BodyViewer, _ lineCountMax: Int) {
        lines += viewer.lines(0..<lineCountMax)
        hasMore = hasMore || viewer.lineCount > lineCountMax || !viewer.isComplete
    }

    // MARK: application/http

    private static func isMessage(_ facts: BodyFacts) -> Bool {
        ["application/http", "message/http"].contains(facts.mediaType?.essence)
    }

    /// Takes the head as it is, and the content in a suitable form; false if the head does not end.
    private mutating func takeMessage(_ source: any BodySource, _ depth: Int) -> Bool {
        let bytes = source.read(from: 0, byteCount: PartPreview.byteCount)
        guard
            let blank = bytes.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])
                ?? bytes.firstRange(of: [0x0A, 0x0A])
        else { return false }
        let head = Array(bytes[..<blank.lowerBound])
        var text = TextViewer(BodyFacts(text: head), LoadedBody(head))
        text.advance(byteBudget: head.count)
        take(text, PartPreview.nestedLineCountMax)
        let content = Array(bytes[blank.upperBound...])
        guard !content.isEmpty else { return true }
        hasMore = hasMore || source.extent.byteCount > bytes.count
        let facts = BodyFacts(contentType: PartPreview.contentType(head), bytes: content)
        let preview = PartPreview(
            NestedBody(title: "content", facts: facts, source: LoadedBody(content)),
            depth: depth + 1)
        lines += [StyledText()] + preview.lines
        hasMore = hasMore || preview.hasMore
        return true
    }

    private static func contentType(_ head: [UInt8]) -> String? {
        for line in head.split(separator: 0x0A) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2,
                String(decoding: parts[0], as: UTF8.self).lowercased() == "content-type"
            else { continue }
            return String(
                decoding: parts[1].drop { $0 == 0x20 }.filter { $0 != 0x0D }, as: UTF8.self)
        }
        return nil
    }
}
