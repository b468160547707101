internal import ProxydHTTPModel

/// How a reset stands in the column `reset`: the code times 4, 2 where it was ours, 1 where it was
/// on the server's connection.
enum ResetCoding {
    static func number(_ reset: HTTP2Facts.Reset) -> Int64 {
        Int64(reset.code.rawValue) << 2 | (reset.isOurs ? 2 : 0) | (reset.side == .server ? 1 : 0)
    }

    /// The name of the code in a column, as an expression; NULL where nothing was reset.
    static func sql(_ column: String) -> String {
        let names = (0..<HTTP2ErrorCode.namedCount).map { number in
            "WHEN \(number) THEN '\(HTTP2ErrorCode(rawValue: number))'"
        }
        return "CASE \(column) >> 2 \(names.joined(separator: " ")) "
            + "ELSE CAST(\(column) >> 2 AS TEXT) END"
    }

    /// The reset that a number stands for; nil if its code has more than 32 bits.
    static func reset(_ number: Int64) -> HTTP2Facts.Reset? {
        UInt32(exactly: number >> 2).map { code in
            HTTP2Facts.Reset(
                side: number & 1 == 1 ? .server : .client, isOurs: number & 2 == 2,
                code: HTTP2ErrorCode(rawValue: code))
        }
    }
}
