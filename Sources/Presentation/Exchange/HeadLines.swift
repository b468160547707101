package import ProxydHTTPModel

/// The heads of messages as lines.
package enum HeadLines {
    /// The most bytes of a head that could not be parsed.
    private static let byteCountMax = 64 << 10

    /// Start line, fields and trailers of a request; the bytes of a head that could not be parsed.
    package static func request(_ request: Request, malformed: [UInt8]?) -> [StyledText] {
        guard let head = request.head else { return lines(ofBytes: malformed ?? []) }
        let first = "\(head.method.rawValue) \(head.targetText) \(head.version)"
        return [StyledText(first, .accent)] + fields(head.fields) + trailers(request.trailers)
    }

    /// Status line, fields and trailers of a response; why there is none, if it is known.
    package static func response(_ response: Response?, error: String?) -> [StyledText] {
        guard let response else { return [StyledText(error ?? "no response", .bad)] }
        let head = response.head
        let first = StyledText(head.statusLineText, Style(.ofStatus(head.status)))
        return [first] + fields(head.fields) + trailers(response.trailers)
    }

    /// One line for each field.
    package static func fields(_ fields: HeaderFields) -> [StyledText] {
        fields.lines.map { field in
            var line = StyledText(fields.name(of: field), .key)
            line.append(": ", .punctuation)
            line.append(fields.value(of: field), .plain)
            if field.coding.isNeverIndexed { line.append("  never indexed", .dim) }
            line.indent = 2
            return line
        }
    }

    /// The trailers below a heading; nothing if there are none.
    package static func trailers(_ trailers: HeaderFields?) -> [StyledText] {
        guard let trailers, !trailers.isEmpty else { return [] }
        return [StyledText(), StyledText("trailers", .heading)] + fields(trailers)
    }

    /// Bytes that should be lines of text.
    package static func lines(ofBytes bytes: [UInt8]) -> [StyledText] {
        bytes.prefix(byteCountMax).split(separator: 0x0A, omittingEmptySubsequences: false).map {
            var line = StyledText()
            line.append($0.last == 0x0D ? $0.dropLast() : $0)
            return line
        }
    }
}
