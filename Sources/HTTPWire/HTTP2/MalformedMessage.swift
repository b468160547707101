public import ProxydHTTPModel

/// A message that is none, with what came of the field section that is at fault.
public struct MalformedMessage: Sendable {
    /// The most of names and values that `fields` holds; bytes. HPACK makes hundreds of kilobytes
    /// of a few hundred bytes.
    public static let keptByteCountMax = 64 << 10

    /// Which rule it breaks.
    public let error: WireError
    /// The rule for a person, and how much came where that is more than `fields` holds.
    public let text: String
    /// The first fields in their order, as `FieldList` writes them, the last one cut off where it
    /// passes `keptByteCountMax`; empty where no field is at fault.
    public let fields: [UInt8]
    /// How each was written.
    public let codings: [FieldCoding]
    /// Whether a head had come before: trailers, or a body's length, are at fault.
    public let isAfterHead: Bool

    /// A message with a field section that was decoded; nil where none is at fault.
    init(_ error: WireError, _ section: FieldBlock?, isAfterHead: Bool) {
        self.init(error, section, isAfterHead: isAfterHead) { kept in
            guard let section, section.byteCount > kept else { return "" }
            return ": \(section.allLineCount) fields with \(section.byteCount) bytes came, "
                + "the first \(kept) bytes were kept"
        }
    }

    /// A request's head whose field block, of which so many bytes had come, was not decoded to its
    /// end.
    init(lost error: WireError, _ section: FieldBlock, blockByteCount: Int, reason: String?) {
        self.init(error, section, isAfterHead: false) { kept in
            let more =
                section.byteCount > kept ? ", the first \(kept) bytes of its fields were kept" : ""
            return ": \(blockByteCount) bytes of its field block had come\(more)"
                + (reason.map { "; \($0)" } ?? "")
        }
    }

    private init(
        _ error: WireError, _ section: FieldBlock?, isAfterHead: Bool,
        extent: (_ keptByteCount: Int) -> String
    ) {
        let listed = section?.listed(byteCountMax: MalformedMessage.keptByteCountMax)
        self.error = error
        self.isAfterHead = isAfterHead
        fields = listed?.octets ?? []
        codings = section?.lines.prefix(listed?.lineCount ?? 0).map(\.coding) ?? []
        text = error.message + extent(listed?.byteCount ?? 0)
    }
}
