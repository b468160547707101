package import ProxydHTTPModel

/// What was received in an exchange compared with what was forwarded instead.
package enum MessageChanges {
    /// One side of a comparison.
    private struct Side {
        let first: StyledText
        let fields: HeaderFields
        /// Nil if the other side's body was forwarded.
        let body: Body?
    }

    /// A section for each message that was changed before it was forwarded. Throws
    /// `CancellationError` if `isCancelled` returns true.
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
            Side(
                first: StyledText(head.startLineText, .accent), fields: head.allFields, body: body)
        }
        return (side(came, request.body), side(request.sentHead ?? came, request.sentBody))
    }

    private static func sides(_ response: Response?) -> (came: Side, went: Side)? {
        guard let response, response.sentHead != nil || response.sentBody != nil else {
            return nil
        }
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
