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
        case .blob(let bytes): return "x'\(SQLValue.hexadecimal(bytes))'"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { room in
            for (index, byte) in bytes.enumerated() {
                room[index * 2] = digits[Int(byte >> 4)]
                room[index * 2 + 1] = digits[Int(byte & 0xF)]
            }
            return bytes.count * 2
        }
    }
}
