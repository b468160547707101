package import ProxydCaptureModel
internal import ProxydHTTPModel

extension MessageRow {
    /// The bits of a message's key that hold its position; the exchange's number is above them.
    package static let positionMax: Int64 = 1 << 28 - 1

    /// Decodes a row of the columns `key`, `direction`, `kind`, `flags`, `time_ns`, `bytes`,
    /// `wire_bytes`, `body_offset`, `octets` and `problem`. The contents of a message that is part
    /// of a body are not in the row.
    package init(_ row: some StoredValues, startedAtNs: Int64) {
        self.init(
            position: (row.integer(0) ?? 0) & MessageRow.positionMax,
            direction: row.integer(1).flatMap(MessageRecord.Direction.init) ?? .toServer,
            kind: row.integer(2).flatMap(MessageRecord.Kind.init) ?? .invalid,
            flags: MessageRecord.Flags(rawValue: row.integer(3) ?? 0),
            atNs: startedAtNs &+ (row.integer(4) ?? 0), byteCount: max(0, row.integer(5) ?? 0),
            wireByteCount: max(0, row.integer(6) ?? 0), problem: row.text(9),
            bytes: row.bytes(8) ?? [])
    }
}
