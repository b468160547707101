package import ProxydHTTPModel
internal import ProxydInterchange
package import ProxydParameterCoding
package import ProxydPresentation
internal import ProxydCaptureModel

/// Comparisons, line by line, in sections.
package enum ComparisonJSON {
    /// Two exchanges.
    package static func value(
        _ left: ExchangeSubject, _ right: ExchangeSubject
    ) throws -> JSONValue {
        .members([
            ("left", .string("\(left.row.id)")), ("right", .string("\(right.row.id)")),
            ("sections", .array(try sections(left, right).map(value))),
            ("untrusted", .bool(true)),
        ])
    }

    /// The requests and the responses of two exchanges, compared.
    package static func sections(
        _ left: ExchangeSubject, _ right: ExchangeSubject
    ) throws -> [DiffSection] {
        [
            try section(
                "Request", head(left.exchange.request, left.malformedHead),
                head(right.exchange.request, right.malformedHead),
                left.content(.request), right.content(.request)),
            try section(
                "Response", head(left.exchange.response), head(right.exchange.response),
                left.content(.response), right.content(.response)),
        ]
    }

    /// What was received and what was forwarded instead.
    package static func changes(_ exchange: Exchange) throws -> JSONValue {
        var sections: [DiffSection] = []
        let request = exchange.request
        if let came = request.head, request.sentHead != nil || request.sentBody != nil {
            let sent = request.sentHead ?? came
            sections.append(
                try section(
                    "Request", head(came), head(sent), BodyContent(request.body, came.fields),
                    BodyContent(request.sentBody ?? request.body, sent.fields)))
        }
        if let response = exchange.response, response.sentHead != nil || response.sentBody != nil {
            let sent = response.sentHead ?? response.head
            sections.append(
                try section(
                    "Response", head(response.head), head(sent),
                    BodyContent(response.body, response.head.fields),
                    BodyContent(response.sentBody ?? response.body, sent.fields)))
        }
        return .members([
            ("sections", .array(sections.map(value))), ("untrusted", .bool(true)),
        ])
    }

    // MARK: Lines

    private static func section(
        _ title: String, _ left: [StyledText], _ right: [StyledText], _ leftBody: BodyContent,
        _ rightBody: BodyContent
    ) throws -> DiffSection {
        let heads = try DiffSection.compare(left, right) { false }
        let bodies = try [lines(leftBody), lines(rightBody)]
        let body = try DiffSection.compare(bodies, called: ["left", "right"]) { false }
        return DiffSection(title, heads + body)
    }

    private static func lines(_ content: BodyContent) throws -> BodyLines {
        guard !content.octets.isEmpty else { return .none }
        let facts = BodyFacts(contentType: content.contentType, octets: content.octets)
        return try BodyLines(facts, LoadedBody(content.octets)) { false }
    }

    private static func head(_ request: Request, _ malformed: [UInt8]?) -> [StyledText] {
        if let head = request.head { return self.head(head) }
        return FieldList.lines(malformed ?? []).map { StyledText(ASCII.text($0)) }
    }

    private static func head(_ head: RequestHead) -> [StyledText] {
        [StyledText(head.startLineText, .accent)] + fields(head.allFields)
    }

    private static func head(_ response: Response?) -> [StyledText] {
        response.map { head($0.head) } ?? [StyledText("no response", .bad)]
    }

    private static func head(_ head: ResponseHead) -> [StyledText] {
        [StyledText(head.statusLineText, Style(.ofStatus(head.status)))] + fields(head.allFields)
    }

    private static func fields(_ fields: HeaderFields) -> [StyledText] {
        fields.pairs.map { field in
            var line = StyledText("\(field.name): ", .key)
            line.append(field.value)
            return line
        }
    }

    private static func value(_ section: DiffSection) -> JSONValue {
        .members([
            ("title", .string(section.title)), ("removed", .integer(section.removedCount)),
            ("added", .integer(section.addedCount)),
            (
                "lines",
                .array(
                    section.lines.map {
                        .members([
                            ("kind", .string("\($0.kind)")), ("spans", SpansJSON.value($0.text)),
                        ])
                    })
            ),
        ])
    }
}
