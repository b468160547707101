public import ProxydHTTPModel

/// A malformed message, with what was received of the field section at fault.
public struct MalformedMessage: Sendable {
    /// The maximum size of the names and values in `fields`, in bytes. HPACK can expand a few
    /// hundred bytes to hundreds of kilobytes.
    public static let keptByteCountMax = 64 << 10

    /// The rule that the message violates.
    public let error: WireError
    /// The rule as text for the user, with the size received if that is more than `fields`
    /// contains.
    public let text: String
    /// The first fields in order, in the format of `FieldList`; the last one is truncated where it
    /// exceeds `keptByteCountMax`. Empty if no field is at fault.
    public let fields: [UInt8]
    /// The HPACK representation of each field.
    public let codings: [FieldCoding]
    /// Whether a head had been received before, so that trailers or the length of the body are at
    /// fault.
    public let isAfterHead: Bool

    /// Creates a message; `section` is the decoded field section, or nil if none is at fault.
    init(_ error: WireError, _ section: FieldBlock?, isAfterHead: Bool) {
        self.init(error, section, isAfterHead: isAfterHead) { kept in
            guard let section, section.byteCount > kept else { return "" }
            return ": \(section.allLineCount) fields with \(section.byteCount) bytes came, "
                + "the first \(kept) bytes were kept"
        }
    }

    /// Creates a message from a request's head whose field block was not decoded completely;
    /// `blockByteCount` bytes of it were received.
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
        fields = listed?.bytes ?? []
        codings = section?.lines.prefix(listed?.lineCount ?? 0).map(\.coding) ?? []
        text = error.message + extent(listed?.byteCount ?? 0)
    }
}
