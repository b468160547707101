package import ProxydHTTPModel

/// Encodes a reset for the column `reset`: the error code times 4, plus 2 if proxyd sent it, plus 1
/// if it was on the server connection.
package enum ResetCoding {
    package static func number(_ reset: HTTP2Facts.Reset) -> Int64 {
        Int64(reset.code.rawValue) << 2 | (reset.isOurs ? 2 : 0) | (reset.side == .server ? 1 : 0)
    }

    /// An SQL expression for the name of a column's error code; NULL if nothing was reset.
    package static func sql(_ column: String) -> String {
        let names = (0..<HTTP2ErrorCode.namedCount).map { number in
            "WHEN \(number) THEN '\(HTTP2ErrorCode(rawValue: number))'"
        }
        return "CASE \(column) >> 2 \(names.joined(separator: " ")) "
            + "ELSE CAST(\(column) >> 2 AS TEXT) END"
    }

    /// Decodes a stored number, or returns nil if its error code does not fit in 32 bits.
    package static func reset(_ number: Int64) -> HTTP2Facts.Reset? {
        UInt32(exactly: number >> 2).map { code in
            HTTP2Facts.Reset(
                side: number & 1 == 1 ? .server : .client, isOurs: number & 2 == 2,
                code: HTTP2ErrorCode(rawValue: code))
        }
    }
}
