internal import FoundationEssentials
internal import ProxydHTTPModel

/// `MessageRecord` in the format of the control socket.
struct MessageMessage: Sendable, Hashable, Codable {
    var position: Int64
    var direction: Int64
    var kind: Int64
    var flags: Int64
    var offsetNs: Int64
    var byteCount: Int64
    var wireByteCount: Int64
    /// The message's offset in the body, or nil if `bytes` contains it.
    var bodyStart: Int64?
    var bytes: Data?
    var problem: String?

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case bytes = "octets"
        case position, direction, kind, flags, offsetNs, byteCount, wireByteCount, bodyStart
        case problem
    }

    init(_ message: MessageRecord) {
        position = message.position
        direction = message.direction.rawValue
        kind = message.kind.rawValue
        flags = message.flags.rawValue
        offsetNs = message.offsetNs
        byteCount = message.byteCount
        wireByteCount = message.wireByteCount
        problem = message.problem
        switch message.content {
        case .bytes(let content): bytes = Data(content)
        case .body(let range): bodyStart = range.lowerBound
        }
    }

    /// Converts the message back to a record; throws if it describes an impossible one.
    func record() throws(ControlError) -> MessageRecord {
        guard let direction = MessageRecord.Direction(rawValue: direction),
            let kind = MessageRecord.Kind(rawValue: kind), position >= 0, byteCount >= 0,
            wireByteCount >= 0
        else { throw ControlError(.badMessage, "an imported message has no valid kind or length") }
        return MessageRecord(
            position: position, direction: direction, kind: kind, flags: .init(rawValue: flags),
            offsetNs: offsetNs, byteCount: byteCount, wireByteCount: wireByteCount,
            content: try content(), problem: problem)
    }

    private func content() throws(ControlError) -> MessageRecord.Content {
        guard let bodyStart else { return .bytes(bytes.map { [UInt8]($0) } ?? []) }
        let (end, isOver) = bodyStart.addingReportingOverflow(byteCount)
        guard bodyStart >= 0, !isOver else {
            throw ControlError(.badMessage, "an imported message is outside its body")
        }
        return .body(bodyStart..<end)
    }
}
