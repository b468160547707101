package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
package import ProxydParameterCoding

/// Rows and exchanges as the interface sends them: like `list --json` and `show --json`, with
/// numbers of exchanges as text.
package enum RowJSON {
    /// A row with its position in a list.
    package static func value(_ row: ExchangeRow, position: String) -> JSONValue {
        .members(textual(row.jsonMembers, row) + [("position", .string(position))])
    }

    /// Members of a row or an exchange, with numbers of exchanges as text.
    package static func textual(
        _ members: [(String, JSONValue)], _ row: ExchangeRow
    ) -> [(String, JSONValue)] {
        members.map { name, value in
            switch name {
            case "id": (name, .string(row.idText))
            case "replay_of": (name, .text(row.replayOfText))
            default: (name, value)
            }
        }
    }
}
