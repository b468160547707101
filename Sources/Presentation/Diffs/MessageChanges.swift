package import ProxydHTTPModel

/// What was received in an exchange compared with what was forwarded instead.
package enum MessageChanges {
    private struct Side {
        let first: StyledText
        let fields: HeaderFields
        /// Nil if the other side's body was forwarded.
        let body: Body?
    }

    /// A section for each changed message. Throws `CancellationError` if `isCancelled` is true.
    package static func sections(
        of exchange: Exchange, _ isCancelled: () -> Bool
    ) throws -> [DiffSection] {
        try [
            section("Request", sides(exchange.request), isCancelled),
            section("Response", sides(exchange.response), isCancelled),
        ].compactMap(\.self)
    }

    // MARK: Sides

    /// The received and forwarded sides, or nil if they are the same.
    private static func sides(_ request: Request) -> (came: Side, went: Side)? {
        guard let came = request.head, request.sentHead != nil || request.sentBody != nil else {
            return nil
        }
        func side(_ head: RequestHead, _ body: Body?) -> Side {
            Side(first: StyledText(head.startLineText, .accent), fields: head.allFields, body: body)
        }
        return (side(came, request.body), side(request.sentHead ?? came, request.sentBody))
    }

    private static func sides(_ response: Response?) -> (came: Side, went: Side)? {
        guard let response, response.sentHead != nil || response.sentBody != nil else { return nil }
        func side(_ head: ResponseHead, _ body: Body?) -> Side {
            let style = Style(.ofStatus(head.status))
            return Side(
                first: StyledText(head.statusLineText, style), fields: head.allFields, body: body)
        }
        return (
            side(response.head, response.body),
            side(response.sentHead ?? response.head, response.sentBody)
        )
    }

    // MARK: Comparing

    private static func section(
        _ title: String, _ sides: (came: Side, went: Side)?, _ isCancelled: () -> Bool
    ) throws -> DiffSection? {
        guard let (came, went) = sides else { return nil }
        let heads = try DiffSection.compare(head(came), head(went), isCancelled)
        return DiffSection(title, heads + (try bodies(came, went, isCancelled)))
    }

    private static func head(_ side: Side) -> [StyledText] {
        [side.first] + HeadLines.fields(side.fields)
    }

    /// Compares differing bodies, without equal lines far from any difference.
    private static func bodies(
        _ came: Side, _ went: Side, _ isCancelled: () -> Bool
    ) throws -> [DiffSection.Line] {
        guard let sent = went.body else { return [] }
        let bodies = try [
            BodyLines(came.body ?? Body(), came.fields, isCancelled),
            BodyLines(sent, went.fields, isCancelled),
        ]
        let lines = try DiffSection.compare(bodies, called: ["received", "sent"], isCancelled)
        return DiffSection("", lines).shortened
    }
}

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
