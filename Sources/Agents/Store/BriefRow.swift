internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydStoreAnswers

/// Rows as agents get them: the members of `list --json` that are not null, empty or false,
/// with long text cut.
enum BriefRow {
    private static let textCountMax = 1_000
    /// Members that repeat what another one already says.
    private static let redundant: Set<String> = ["scheme", "port", "path", "query"]

    static func members(_ row: ExchangeRow) -> [(String, JSONValue)] {
        RowJSON.textual(row.jsonMembers, row).compactMap { name, value in
            switch value {
            case .null, .array([]), .bool(false): nil
            case .string where redundant.contains(name): nil
            case .number where redundant.contains(name): nil
            case .string(let text) where text.count > textCountMax:
                (name, .string(text.prefix(textCountMax) + "…"))
            default: (name, value)
            }
        }
    }

    /// As many of the rows as fit into an answer, in order.
    static func list(
        _ rows: [ExchangeRow], _ finish: AnswerFinish
    ) -> (values: [JSONValue], last: ExchangeRow?) {
        var values: [JSONValue] = []
        var byteCount = 0
        for row in rows {
            let value = finish.safe(JSONValue.members(members(row)))
            byteCount += MCPServer.text(value).count
            guard byteCount <= AnswerFinish.byteCountMax * 3 / 4 || values.isEmpty else { break }
            values.append(value)
        }
        return (values, values.isEmpty ? nil : rows[values.count - 1])
    }
}
