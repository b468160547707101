/// The field of a multipart form that names the charset of the others (RFC 7578 §4.6).
enum MultipartCharsetField {
    private static let pieceByteCount = 64 << 10
    /// More than the longest label of a charset.
    private static let valueByteCountMax = 64

    /// The value of the first such field; nil if there is none.
    static func value(in body: Span<UInt8>, boundary: [UInt8]) -> String? {
        // Almost no form has one.
        guard body.contains(ignoringCase: ByteText.charsetFieldName),
            var decoder = try? MultipartDecoder(boundary: boundary)
        else { return nil }
        var events: [MultipartEvent] = []
        var value: [UInt8]?
        var offset = 0
        while offset < body.count {
            let end = min(offset &+ pieceByteCount, body.count)
            let piece = body.extracting(offset..<end)
            let isIntact = (try? decoder.receive(piece, into: &events)) != nil
            if let label = label(in: events, &value) { return label }
            guard isIntact else { return nil }
            events.removeAll(keepingCapacity: true)
            offset = end
        }
        decoder.finish(into: &events)
        return label(in: events, &value)
    }

    /// - Parameter value: The content of the field so far; nil outside it.
    private static func label(in events: [MultipartEvent], _ value: inout [UInt8]?) -> String? {
        for event in events {
            switch event {
            case .part(let head):
                let isField = head.name == ByteText.charsetFieldName && head.filename == nil
                value = isField ? [] : nil
            case .data(let bytes):
                guard let before = value else { continue }
                value = before.count < valueByteCountMax ? before + bytes : before
            case .partEnd:
                if let value { return String(decoding: value, as: UTF8.self) }
            case .end: break
            }
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Whether a word is anywhere in the bytes.
    /// - Parameter word: ASCII in lower case.
    func contains(ignoringCase word: String) -> Bool {
        let word = Array(word.utf8)
        var start = 0
        while start <= count - word.count {
            var matched = 0
            while matched < word.count, lower(start &+ matched) == word[matched] { matched &+= 1 }
            if matched == word.count { return true }
            start &+= 1
        }
        return false
    }

    private func lower(_ index: Int) -> UInt8 {
        let byte = self[index]
        return 0x41...0x5A ~= byte ? byte | 0x20 : byte
    }
}

/// The Content-Transfer-Encoding of a part: deprecated (RFC 7578 §4.7), but still sent.
public enum PartTransferEncoding: Sendable, Hashable {
    case none
    /// Base64 (RFC 4648 §4), with or without line breaks.
    case base64
    /// Quoted-printable (RFC 2045 §6.7).
    case quotedPrintable

    init(_ fieldValue: [UInt8]?) {
        switch fieldValue.map({ String(decoding: $0, as: UTF8.self).lowercased() }) {
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: self = .none
        }
    }

    /// Whether a part of a body may have a transfer encoding; almost none has.
    static func mayBeUsed(in body: Span<UInt8>) -> Bool {
        body.contains(ignoringCase: "content-transfer-encoding")
    }

    /// The decoded content. Bytes that are invalid in the encoding are skipped.
    public func decoded(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .none: content
        case .base64: Base64.lenientBytes(content)
        case .quotedPrintable: PartTransferEncoding.decodedQuotedPrintable(content)
        }
    }

    private static func decodedQuotedPrintable(_ content: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < content.count {
            let byte = content[index]
            guard byte == 0x3D, index &+ 2 < content.count else {
                decoded.append(byte)
                index &+= 1
                continue
            }
            let next = (content[index &+ 1], content[index &+ 2])
            if next == (0x0D, 0x0A) {
                index &+= 3
            } else if let high = Byte.hexValue(next.0), let low = Byte.hexValue(next.1) {
                decoded.append(high << 4 | low)
                index &+= 3
            } else {
                decoded.append(byte)
                index &+= 1
            }
        }
        return decoded
    }
}
