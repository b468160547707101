internal import ProxydHTTPWire

/// The edit of a held message that has been written so far.
struct WrittenEdit: Sendable {
    private(set) var head: [UInt8]?
    private(set) var body: [UInt8]?

    var isEmpty: Bool { head == nil && body == nil }

    var byteCount: Int { (head?.count ?? 0) + (body?.count ?? 0) }

    /// Appends a piece; one at offset 0 starts again.
    mutating func write(
        _ part: HoldPart, at offset: Int, _ bytes: [UInt8]
    ) throws(HoldRefusal) {
        switch part {
        case .head:
            head = try WrittenEdit.joined(head, at: offset, bytes, WireLimits().headByteCountMax)
        case .body: body = try WrittenEdit.joined(body, at: offset, bytes, RuledBody.byteCountMax)
        }
    }

    private static func joined(
        _ written: [UInt8]?, at offset: Int, _ bytes: [UInt8], _ byteCountMax: Int
    ) throws(HoldRefusal) -> [UInt8] {
        let before = offset == 0 ? [] : written ?? []
        guard offset == before.count else { throw .notInSequence }
        guard before.count + bytes.count <= byteCountMax else { throw .tooLarge }
        return before + bytes
    }
}
