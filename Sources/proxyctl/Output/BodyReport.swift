internal import ProxydPresentation
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding

/// A body as lines for a person: what it is, what was done to read it, and its beginning.
struct BodyReport {
    let content: BodyContent
    /// Whether it is what a connection carried after its protocol had changed: no body of HTTP.
    var isRelayed = false

    /// Text beyond this is not shown, in octets; the rest is for `--body`.
    private static let textByteCountMax = 64 << 10
    /// Octets of a binary body that are dumped.
    private static let dumpByteCountMax = 256

    /// The lines; none for a body without octets.
    func lines() -> [StyledText] {
        guard content.body.byteCount > 0 else { return [] }
        guard !isRelayed else {
            let line = StyledText("  relayed", .heading)
            return [line + StyledText("  \(Quantity.bytes(content.body.byteCount))")]
        }
        return [heading] + shown().map { "    " + $0 }
    }

    private var heading: StyledText {
        var line = StyledText("  body", .heading)
        line.append("  \(Quantity.bytes(content.body.byteCount))")
        if let type = content.contentType { line.append("  \(type)") }
        if let coding = content.contentEncoding {
            line.append("  \(coding), \(Quantity.bytes(Int64(content.octets.count))) decoded")
        }
        if content.body.isTruncated {
            let kept = Quantity.bytes(Int64(content.body.kept.count))
            line.append("  truncated: the first \(kept) were kept", .notice)
        }
        if let failure = content.failure, !content.isDecoded {
            line.append("  \(failure)", .bad)
        }
        return line
    }

    private func shown() -> [StyledText] {
        if let form = content.form { return BodyReport.pairs(form) }
        if let parts = content.parts { return parts.map(BodyReport.part) }
        if let json = content.json, content.octets.count <= BodyReport.textByteCountMax {
            return JSONLayout.lines(json)
        }
        if let text = content.text, !text.isEmpty { return self.text(text) }
        return dump()
    }

    private func text(_ text: String) -> [StyledText] {
        let shown = text.utf8.prefix(BodyReport.textByteCountMax)
        var lines = String(decoding: shown, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { StyledText(String($0)) }
        if lines.last?.runs.isEmpty == true { lines.removeLast() }
        let missing = text.utf8.count - shown.count
        if missing > 0 { lines.append(BodyReport.more(missing)) }
        return lines
    }

    private func dump() -> [StyledText] {
        let shown = content.octets.prefix(BodyReport.dumpByteCountMax)
        var lines = HexLines.lines(shown)
        let missing = content.octets.count - shown.count
        if missing > 0 { lines.append(BodyReport.more(missing)) }
        return lines
    }

    private static func more(_ byteCount: Int) -> StyledText {
        StyledText("… \(Quantity.bytes(Int64(byteCount))) more, see --body --decoded", .dim)
    }

    /// Names and values in two columns; a bare name has no value.
    static func pairs(_ pairs: [(String, String?)]) -> [StyledText] {
        var table = TextTable([
            .init(title: "", columnCountMax: 32), .init(title: "", columnCountMax: 200),
        ])
        for (name, value) in pairs {
            table.append([StyledText(name, .key), value.map { StyledText($0) } ?? ""])
        }
        return table.lines()
    }

    private static func part(_ part: BodyContent.Part) -> StyledText {
        var line = StyledText(part.name ?? "(no name)", .key)
        if let filename = part.filename { line.append("  \(filename)", .heading) }
        if let type = part.contentType { line.append("  \(type)") }
        line.append("  \(Quantity.bytes(Int64(part.byteCount)))")
        return line
    }
}
