package import ProxydCaptureModel
package import ProxydExchangeContent
package import ProxydHTTPModel
package import ProxydParameterCoding
package import ProxydPresentation

/// Comparisons, line by line, in sections.
package enum ComparisonJSON {
    package static func value(
        _ left: CapturedExchange, _ right: CapturedExchange
    ) throws -> JSONValue {
        .members([
            ("left", .string(left.row.idText)), ("right", .string(right.row.idText)),
            ("sections", .array(try sections(left, right).map(value))),
            ("untrusted", .bool(true)),
        ])
    }

    /// The requests and the responses of two exchanges, compared.
    package static func sections(
        _ left: CapturedExchange, _ right: CapturedExchange, isCancelled: () -> Bool = { false }
    ) throws -> [DiffSection] {
        let sides = [left, right]
        return [
            try section(
                "Request",
                sides.map { HeadLines.request($0.exchange.request, malformed: $0.malformedHead) },
                sides.map { ($0.exchange.request.body, $0.exchange.request.head?.fields) },
                isCancelled),
            try section(
                "Response",
                sides.map { HeadLines.response($0.exchange.response, error: $0.row.error) },
                sides.map { ($0.exchange.response?.body, $0.exchange.response?.head.fields) },
                isCancelled),
        ]
    }

    private static func section(
        _ title: String, _ heads: [[StyledText]], _ bodies: [(Body?, HeaderFields?)],
        _ isCancelled: () -> Bool
    ) throws -> DiffSection {
        let lines = try bodies.map {
            try BodyLines($0 ?? Body(), $1 ?? HeaderFields(), isCancelled)
        }
        let head = try DiffSection.compare(heads[0], heads[1], isCancelled)
        let body = try DiffSection.compare(lines, called: ["left", "right"], isCancelled)
        return DiffSection(title, head + body)
    }

    /// What was received and what was forwarded instead.
    package static func changes(_ exchange: Exchange) throws -> JSONValue {
        let sections = try MessageChanges.sections(of: exchange) { false }
        return .members([("sections", value(sections)), ("untrusted", .bool(true))])
    }

    // MARK: JSON

    package static func value(_ sections: [DiffSection]) -> JSONValue {
        .array(sections.map(value))
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
                            ("kind", .string(name(of: $0.kind))),
                            ("spans", SpansJSON.value($0.text)),
                        ])
                    })
            ),
        ])
    }

    private static func name(of kind: DiffSection.Line.Kind) -> String {
        switch kind {
        case .same: "same"
        case .removed: "removed"
        case .added: "added"
        case .heading: "heading"
        case .gap: "gap"
        }
    }
}

extension CapturedExchange {
    package func content(_ part: StoredMessage) -> BodyContent {
        switch part {
        case .request: BodyContent(exchange.request.body, exchange.request.head?.fields)
        case .response:
            BodyContent(exchange.response?.body ?? Body(), exchange.response?.head.fields)
        }
    }
}

/// Styled text as runs with roles, which the page draws as spans.
package enum SpansJSON {
    package static func value(_ line: StyledText) -> JSONValue {
        .array(line.runs.map(value))
    }

    private static func value(_ run: StyledText.Run) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("text", .string(run.text)), ("role", .string("\(run.style.foreground)")),
        ]
        if run.style.background != .plain {
            members.append(("background", .string("\(run.style.background)")))
        }
        if run.style.attributes.contains(.underline) { members.append(("marked", .bool(true))) }
        return .members(members)
    }
}
