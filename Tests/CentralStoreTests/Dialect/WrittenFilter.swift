import ProxydFilter
import ProxydCaptureModel

@testable import ProxydCentralStore

/// A filter as PostgreSQL is asked for it, at the start of 1970 and in UTC.
struct WrittenFilter {
    let sql: String
    let arguments: [CentralValue]
    let isExact: Bool
    /// Whether rows that are found must be looked at again.
    let hasResidual: Bool

    init(_ text: String) throws {
        let query = CentralQuery(try Filter.parse(text, now: 0, timeZone: .utc))
        sql = query.condition.numbered()
        arguments = query.condition.arguments
        isExact = query.condition.isExact
        hasResidual = query.residual != nil
    }

    /// A text in the quotes of the filter language.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }

    /// The numbers of the placeholders, in their order.
    var placeholders: [Int] {
        sql.split(separator: "$", omittingEmptySubsequences: false).dropFirst().map {
            Int($0.prefix { "0123456789".contains($0) }) ?? -1
        }
    }
}
