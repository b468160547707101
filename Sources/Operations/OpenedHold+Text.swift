internal import ProxydCharsets
internal import ProxydParameterCoding

/// The content of a held message as text, in the charset that its head declares.
extension OpenedHold {
    /// The content as UTF-8 if it is text, its bytes if it is not; nil if it is not held.
    public var text: [UInt8]? {
        content.map { BodyText.utf8($0, contentType: HeldHead.contentType(head)) }
    }

    /// The bytes of edited text.
    /// - Parameters:
    ///   - text: The text as UTF-8.
    ///   - head: The head that the message continues with; nil if it is not changed.
    /// - Throws: what says which character the charset lacks.
    public func bytes(ofText text: [UInt8], head edited: [UInt8]?) throws -> [UInt8] {
        let type = HeldHead.contentType(head)
        let newType = edited.map(HeldHead.contentType) ?? type
        guard type == newType, let content, !content.isEmpty else {
            return try HeldHead.bytes(of: text, contentType: newType)
        }
        return try BodyText(content.span, contentType: type.flatMap { MediaType($0) })
            .bytes(of: text, inPlaceOf: content)
    }
}

/// The head of a held message as text.
public enum HeldHead {
    /// The bytes of a text for the content of a new message with this head.
    public static func bytes(ofText text: [UInt8], head: [UInt8]) throws -> [UInt8] {
        try bytes(of: text, contentType: contentType(head))
    }

    static func bytes(of text: [UInt8], contentType: String?) throws -> [UInt8] {
        guard let text = String(validating: text, as: UTF8.self) else { return text }
        return try BodyText.bytes(
            of: text, contentType: contentType.flatMap { MediaType($0) })
    }

    /// The value of Content-Type; nil if there is none.
    public static func contentType(_ head: [UInt8]) -> String? {
        let name = "content-type:"
        return head.split(separator: 0x0A).lazy
            .map { String(decoding: $0, as: UTF8.self) }
            .first { $0.lowercased().hasPrefix(name) }
            .map { line in
                let value = line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
                return value.last == "\r" ? String(value.dropLast()) : String(value)
            }
    }
}
