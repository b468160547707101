internal import TOMLKit

/// A TOML value as a plain value: TOMLKit's own point into a tree that must be kept alive.
enum TOMLNode {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// `true` or `false`.
    case boolean(Bool)
    /// An array.
    case array([TOMLNode])
    /// A table, inline or not.
    case table([String: TOMLNode])
    /// A kind that no key takes: its name.
    case other(String)

    /// Reads a document; the error is TOMLKit's, with a position.
    static func parse(_ text: String) throws(TOMLParseError) -> TOMLNode {
        let root: TOMLTable
        do {
            root = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw error
        } catch {
            return .other("document")
        }
        return withExtendedLifetime(root) { TOMLNode(root) }
    }

    private init(_ value: any TOMLValueConvertible) {
        if let table = value.table {
            let pairs = table.keys.map { ($0, table[$0]) }
            self = .table(
                Dictionary(
                    pairs.compactMap { key, child in child.map { (key, TOMLNode($0)) } },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        } else if let array = value.array {
            self = .array(array.map { TOMLNode($0) })
        } else if let text = value.string {
            self = .string(text)
        } else if let number = value.int {
            self = .integer(number)
        } else if let flag = value.bool {
            self = .boolean(flag)
        } else {
            self = .other(value.type.description)
        }
    }

    /// What it is, with its article.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .other(let name): "a \(name)"
        }
    }

    /// Whether it is a table.
    var isTable: Bool {
        if case .table = self { true } else { false }
    }
}
