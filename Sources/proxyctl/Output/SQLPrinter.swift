internal import Capture
internal import ProxydCaptureModel

/// Prints the rows of a statement in some format.
protocol SQLPrinter: AnyObject {
    /// Receives the column names, once, before any row.
    func begin(_ names: [String])
    func print(_ values: [SQLValue])
    /// Called after the last row.
    func finish()
}

extension SQLValue {
    /// The value for users; a NULL is empty.
    var shown: String {
        switch self {
        case .null: return ""
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .text(let text): return text
        case .blob(let bytes):
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return "x'\(digits.joined())'"
        }
    }
}
