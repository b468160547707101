internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A body as lines for users: its type, how it was decoded, and its start.
struct BodyReport {
    let content: BodyContent
    /// Whether it is data sent after the connection switched protocols, and not an HTTP body.
    var isRelayed = false

    /// The lines; none for an empty body.
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
            line.append("  \(coding)")
            if content.bytes != content.body.kept {
                line.append(", \(Quantity.bytes(Int64(content.bytes.count))) decoded")
            }
        }
        if content.body.isTruncated {
            let kept = Quantity.bytes(Int64(content.body.kept.count))
            line.append("  truncated: the first \(kept) were kept", .notice)
        }
        if let problem = content.problem {
            line.append("  \(problem)", content.isDecoded ? .notice : .bad)
        }
        return line
    }

    private func shown() -> [StyledText] {
        let excerpt = BodyExcerpt(content.bytes, contentType: content.contentType)
        guard excerpt.omittedByteCount > 0 else { return excerpt.lines }
        return excerpt.lines + [BodyReport.more(excerpt.omittedByteCount)]
    }

    private static func more(_ byteCount: Int) -> StyledText {
        StyledText("… \(Quantity.bytes(Int64(byteCount))) more, see --body --decoded", .dim)
    }

    /// Names and values in two columns; a name alone has no value.
    static func pairs(_ pairs: [(String, String?)]) -> [StyledText] {
        var table = TextTable([
            .init(title: "", columnCountMax: 32), .init(title: "", columnCountMax: 200),
        ])
        for (name, value) in pairs {
            table.append([StyledText(name, .key), value.map { StyledText($0) } ?? ""])
        }
        return table.lines()
    }
}
