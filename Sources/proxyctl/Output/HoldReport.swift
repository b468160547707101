internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydOperations
internal import ProxydParameterCoding

/// Formats held messages.
enum HoldReport {
    /// One line for each, below a heading.
    static func table(_ holds: [HoldMessage]) -> [StyledText] {
        var table = TextTable([
            TextTable.Column(title: "HOLD"), TextTable.Column(title: "EXCHANGE"),
            TextTable.Column(title: "PHASE"), TextTable.Column(title: "RULE"),
            TextTable.Column(title: "UNTIL"), TextTable.Column(title: "BODY"),
            TextTable.Column(title: "TAKEN"), TextTable.Column(title: "WHAT"),
        ])
        for hold in holds {
            let status = hold.status.map { "\($0) " } ?? ""
            table.append([
                StyledText(String(hold.hold)), StyledText(String(hold.exchangeID)),
                StyledText(hold.phase), StyledText(hold.rule),
                StyledText(WallTime.local.full(hold.deadline), .dim),
                StyledText(hold.bodyByteCount.map { Quantity.bytes(Int64($0)) } ?? "not held"),
                StyledText(hold.claimedBy ?? "-"),
                StyledText("\(status)\(hold.method) \(hold.url)"),
            ])
        }
        return table.lines()
    }

    /// One as JSON, with its head and its content if those were read.
    /// - Parameter content: Nil inside if the content is not held.
    static func value(
        _ hold: HoldMessage, head: [UInt8]? = nil, content: [UInt8]?? = nil
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("hold", .integer(Int(hold.hold))), ("exchange", .integer(Int(hold.exchangeID))),
            ("phase", .string(hold.phase)), ("rule", .string(hold.rule)),
            ("method", .string(hold.method)), ("url", .string(hold.url)),
            ("status", hold.status.map { .integer($0) } ?? .null),
            ("since", .string(RFC3339.text(nanoseconds: hold.since))),
            ("deadline", .string(RFC3339.text(nanoseconds: hold.deadline))),
            ("body_bytes", hold.bodyByteCount.map { .integer($0) } ?? .null),
            ("claimed_by", .text(hold.claimedBy)),
        ]
        if let head { members.append(("head", .string(String(decoding: head, as: UTF8.self)))) }
        if let content {
            let text = content.flatMap { HoldReport.text($0, head: head ?? []) }
            members.append(("body_text", .text(text)))
            if let content, text == nil {
                members.append(("body_base64", .string(Base64.text(content))))
            }
        }
        return .members(members)
    }

    /// The content as text, in the charset that its head declares; nil if it is not text.
    private static func text(_ content: [UInt8], head: [UInt8]) -> String? {
        let known = BodyContent(decoded: content, contentType: HeldHead.contentType(head))
        return known.text ?? String(validating: content, as: UTF8.self)
    }
}
