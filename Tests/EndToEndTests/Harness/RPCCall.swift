import Foundation

/// One call as the client tells it.
struct RPCCall {
    let method: String
    let sent: [Data]
    let got: [Data]
    let code: Int
    let details: String

    init(_ line: String) throws {
        let row = try Row(json: line)
        method = row.text("method") ?? ""
        sent = RPCCall.messages(row, "sent")
        got = RPCCall.messages(row, "got")
        code = row.int("code") ?? -1
        details = row.text("details") ?? ""
    }

    private static func messages(_ row: Row, _ key: String) -> [Data] {
        (row.object[key] as? [[Int]] ?? []).map { pattern($0[0], $0[1]) }
    }

    /// The message that the client tells by its length and its first byte.
    private static func pattern(_ length: Int, _ first: Int) -> Data {
        let unit = Data((0..<251).map { UInt8((first + $0 * 7) % 251) })
        var message = Data(capacity: length + unit.count)
        while message.count < length { message.append(unit) }
        return message.prefix(length)
    }
}
