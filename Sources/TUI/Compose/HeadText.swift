internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A request head as text for an editor: the complete URL in the first line, then one field per
/// line.
struct HeadText: Sendable {
    let method: String
    let url: RawURL
    let fields: HeaderFields

    /// The text of a draft. Bytes that are not text stay unchanged.
    static func bytes(of draft: RequestDraft) -> [UInt8] {
        var bytes = Array("\(draft.method) \(draft.url) HTTP/1.1\n".utf8)
        for line in draft.fields.lines {
            bytes += draft.fields.bytes[Int(line.start)..<Int(line.valueEnd)]
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Parses an edited text. `former` is the draft it was created from, whose URL keeps its bytes
    /// if its text is unchanged.
    init(_ text: [UInt8], former: RequestDraft) throws(RequestDraft.Problem) {
        var bytes: [UInt8] = []
        for line in HeadText.lines(text) { bytes += line + [0x0D, 0x0A] }
        let head: RequestHead
        do throws(WireError) {
            head = try HeadParser.parseRequestHead(bytes + [0x0D, 0x0A])
        } catch {
            throw RequestDraft.Problem(description: "the head: \(error.message)")
        }
        var draft = former
        try draft.setMethod(head.method.rawValue)
        try draft.setURL(head.targetText)
        method = draft.method
        url = draft.url
        fields = head.fields
    }

    /// The lines without line endings and without empty ones at the end.
    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
