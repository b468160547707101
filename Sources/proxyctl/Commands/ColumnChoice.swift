internal import Capture
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydInterchange
internal import ProxydParameterCoding

/// The columns requested from `list`: members of `list --json`, by name.
struct ColumnChoice {
    /// The names, at least one and without duplicates.
    let names: [String]

    /// Why a text is not a valid list of columns.
    struct Problem: Error {
        let message: String
    }

    /// Parses a list such as `id,method,host`.
    init(_ text: String) throws(Problem) {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.split(separator: " ").joined().lowercased()
            guard ExchangeRow.jsonNames.contains(name) else {
                throw Problem(message: ColumnChoice.complaint(about: name))
            }
            guard !names.contains(name) else {
                throw Problem(message: "the column \(name) is given twice")
            }
            names.append(name)
        }
        self.names = names
    }

    /// The row's values for tab-separated output: lists are joined with commas, and absent values
    /// are empty.
    func values(of row: ExchangeRow) -> [SQLValue] {
        names.map { SQLValue(row.jsonMember(named: $0) ?? .null) }
    }

    /// The row with only these members, in this order.
    func json(of row: ExchangeRow) -> JSONValue {
        .members(names.map { ($0, row.jsonMember(named: $0) ?? .null) })
    }

    private static func complaint(about name: String) -> String {
        if name.isEmpty { return "a column name is missing" }
        let near = NearNames.of(name, among: ExchangeRow.jsonNames)
        let hint =
            near.isEmpty
            ? "the columns are \(ExchangeRow.jsonNames.joined(separator: ", "))"
            : "did you mean \(near.joined(separator: " or "))?"
        return "there is no column \"\(name)\": \(hint)"
    }
}

extension SQLValue {
    /// Converts a member of a JSON row.
    fileprivate init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let isTrue): self = .text(isTrue ? "true" : "false")
        case .number(let digits): self = Int64(digits).map(SQLValue.integer) ?? .text(digits)
        case .string(let text): self = .text(text)
        case .array(let elements):
            self = .text(elements.map { SQLValue($0).shown }.joined(separator: ","))
        case .object: self = .null
        }
    }
}
