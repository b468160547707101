internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A position in a list, as clients carry it from page to page. Its text means nothing to them.
struct ListPlace {
    let position: ListPosition

    init(_ position: ListPosition) { self.position = position }

    /// Reads the text of a position; nil if it is not one.
    init?(text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int64(parts[0]) else { return nil }
        let id = ExchangeID(rawValue: number)
        switch parts[1] {
        case "n": position = ListPosition(value: nil, id: id)
        case "i":
            guard let value = Int64(parts[2]) else { return nil }
            position = ListPosition(value: .integer(value), id: id)
        case "t":
            guard let bytes = Base64.bytes(String(parts[2])),
                let value = String(validating: bytes, as: UTF8.self)
            else { return nil }
            position = ListPosition(value: .text(value), id: id)
        default: return nil
        }
    }

    /// The text of the position.
    var text: String {
        switch position.value {
        case nil: "\(position.id).n."
        case .integer(let value): "\(position.id).i.\(value)"
        case .text(let value): "\(position.id).t.\(Base64.text(Array(value.utf8)))"
        }
    }
}
