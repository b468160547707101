internal import ProxydParameterCoding

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

    /// Takes the head as it is, and the content in the form that suits its type; returns false if
    /// the head does not end.
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
