/// Writes the lines between the contents of parts.
struct MultipartHeadWriter {
    let boundary: MultipartBoundary
    let writesExtendedFilename: Bool

    /// The lines before a part's content.
    func head(of part: MultipartPart, isFirst: Bool) -> [UInt8] {
        var head = Array((isFirst ? "--" : "\r\n--").utf8)
        head += boundary.text.utf8
        head += "\r\n".utf8
        if part.name != nil || part.filename != nil {
            head += disposition(of: part).utf8
            head += "\r\n".utf8
        }
        if let contentType = part.contentType { head += "Content-Type: \(contentType)\r\n".utf8 }
        for field in part.fields {
            head += "\(field.name): ".utf8
            head += field.value
            head += "\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }

    /// The lines after the last content.
    func end(isEmpty: Bool) -> [UInt8] {
        Array(((isEmpty ? "--" : "\r\n--") + boundary.text + "--\r\n").utf8)
    }

    private func disposition(of part: MultipartPart) -> String {
        var line = "Content-Disposition: form-data"
        if let name = part.name { line += "; name=\"\(MultipartHeadWriter.escaped(name))\"" }
        guard let filename = part.filename else { return line }
        let escaped = MultipartHeadWriter.escaped(filename)
        line += "; filename=\"\(escaped)\""
        let isPlain = escaped.utf8.allSatisfy { Byte.isPrintableASCII($0) && $0 != 0x5C }
        if writesExtendedFilename, !isPlain || escaped != filename {
            line += "; filename*=UTF-8''" + EscapeSet.extendedValue.encoded(filename)
        }
        return line
    }

    /// Escapes the three characters that would end the value or the line, as browsers do (WHATWG
    /// HTML, "multipart/form-data encoding algorithm"); all others are unchanged, including percent
    /// signs.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else {
            return text
        }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x22: escaped += "%22".utf8
            case 0x0D: escaped += "%0D".utf8
            case 0x0A: escaped += "%0A".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension Byte {
    /// SP to `~`.
    fileprivate static func isPrintableASCII(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F }
}
