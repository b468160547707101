internal import ProxydPresentation
internal import ProxydHTTPModel

/// Compares what was received in an exchange with what was forwarded instead.
enum ChangeWork {
    static let slot = "changes"

    /// The result of the comparison.
    struct Result: Sendable {
        let id: ExchangeID
        /// The messages that were changed before they were forwarded.
        let sections: [DiffSection]
        /// Whether the exchange had ended, so that the result is final.
        let isFinal: Bool
    }

    /// One side of a comparison.
    private struct Side {
        let first: StyledText
        let fields: HeaderFields
        /// Nil if the other side's body was forwarded.
        let body: Body?
    }

    static func compare(_ id: ExchangeID) -> Work<DetailScreen.News> {
        Work(slot, on: .details, isQuiet: true) { context in
            let found = try context.exchanges.exchange(
                id, bodyByteCountMax: BodyLines.byteCountMax)
            guard let exchange = found else {
                throw WorkFailure("the exchange is no longer in the store")
            }
            let sections = try [
                section("Request", sides(exchange.request), context),
                section("Response", sides(exchange.response), context),
            ]
            return .compared(
                Result(
                    id: id, sections: sections.compactMap(\.self),
                    isFinal: exchange.state != .active))
        }
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
        _ title: String, _ sides: (came: Side, went: Side)?, _ context: WorkContext
    ) throws -> DiffSection? {
        guard let (came, went) = sides else { return nil }
        let heads = try DiffSection.compare(
            head(came), head(went), context.isCancelled)
        return DiffSection(title, heads + (try bodies(came, went, context)))
    }

    private static func head(_ side: Side) -> [StyledText] {
        [side.first] + DetailContents.fields(side.fields)
    }

    /// Compares differing bodies, without equal lines far from any difference.
    private static func bodies(
        _ came: Side, _ went: Side, _ context: WorkContext
    ) throws -> [DiffSection.Line] {
        guard let sent = went.body else { return [] }
        let bodies = try [
            lines(came.body ?? Body(), came.fields, context), lines(sent, went.fields, context),
        ]
        let lines = try DiffSection.compare(
            bodies, called: ["received", "sent"], context.isCancelled)
        return DiffSection("", lines).shortened
    }

    private static func lines(
        _ body: Body, _ fields: HeaderFields, _ context: WorkContext
    ) throws -> BodyLines {
        guard !body.kept.isEmpty else { return .none }
        let codings = fields.values(named: "Content-Encoding")
        let contentEncoding = codings.isEmpty ? nil : codings.joined(separator: ", ")
        let source = LoadedBody(contentEncoding: contentEncoding)
        source.load(
            upTo: BodyLines.byteCountMax, from: MemoryBodyOrigin(octets: body.kept),
            context.isCancelled)
        let facts = BodyFacts(
            contentType: fields["Content-Type"], contentEncoding: contentEncoding,
            passedByteCount: body.byteCount, keptByteCount: Int64(body.kept.count),
            beginning: source.read(from: 0, byteCount: BodyFacts.lookByteCount))
        var lines = try BodyLines(facts, source, context.isCancelled)
        if body.isTruncated { lines.isCut = true }
        return lines
    }
}
