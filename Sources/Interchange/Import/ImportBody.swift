internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Restores bodies from the representations in different formats.
enum ImportBody {
    /// How HAR writes a body as text.
    enum Encoding {
        case none
        case base64
        case unknown

        private static let names: Set<String> = [
            "", "none", "identity", "text", "plain", "utf-8", "utf8", "7bit", "8bit",
        ]

        init(_ value: JSONValue?) {
            let name = value.map { ($0.text ?? "?").lowercased().filter { $0 != " " } }
            switch name {
            case "base64"?: self = .base64
            case nil: self = .none
            case let name?: self = Encoding.names.contains(name) ? .none : .unknown
            }
        }
    }

    /// A body with the bytes `kept` of the file, of which `byteCount` bytes were transferred
    /// according to the file. An invalid count is treated as absent.
    static func body(_ kept: [UInt8], byteCount: Int64?) -> Body {
        let passed = byteCount.flatMap { $0 <= Body.byteCountMax ? $0 : nil } ?? 0
        return Body(byteCount: max(Int64(kept.count), passed), kept: kept)
    }

    /// Encodes a text in the charset that its Content-Type or the text itself declares. If that
    /// charset lacks a character, the result is UTF-8 with a byte order mark, which takes
    /// precedence over both.
    /// - Parameter byteCount: The size in bytes according to the file, which reveals a byte order
    ///   mark, or undeclared UTF-16 or UTF-32.
    static func bytes(_ text: String, contentType: String?, byteCount: Int64? = nil) -> [UInt8] {
        let type = contentType.flatMap(MediaType.init)
        return (try? BodyText.bytes(of: text, contentType: type, byteCount: byteCount))
            ?? [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    }

    /// Decodes base64 in the usual or the URL's alphabet, with padding or without (RFC 4648 §4,
    /// §5); nil if it is not valid.
    static func base64(_ text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 where byte > 0x20 {
            switch byte {
            case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
            default: digits.append(byte)
            }
        }
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        while digits.count & 3 != 0 { digits.append(UInt8(ascii: "=")) }
        return Base64.bytes(digits[...])
    }

    /// The body of a HAR request: its text, or its parameters encoded as Content-Type requires.
    static func postData(
        _ data: JSONValue?, contentType: String?, byteCount: Int64?, _ marks: inout ImportMarks
    ) -> [UInt8] {
        guard let data else { return [] }
        let type = contentType ?? data["mimeType"]?.text
        if let text = data["text"]?.text, !text.isEmpty {
            switch Encoding(data["encoding"]) {
            case .none: return bytes(text, contentType: type, byteCount: byteCount)
            case .unknown: break
            case .base64: if let bytes = base64(text) { return bytes }
            }
            marks.insert(.unknownEncoding)
            return bytes(text, contentType: type)
        }
        if let text = data["text"], text.text == nil { marks.insert(.missingBody) }
        let parameters = data["params"]?.elements ?? []
        return parameters.isEmpty ? [] : ImportForm(parameters, contentType: type).bytes
    }
}

/// Restores a form's body from its parameters in a HAR log, in the charset that its type declares
/// or else its field `_charset_` names.
struct ImportForm {
    private let parameters: [JSONValue]
    private let type: MediaType?
    private let text: ByteText

    init(_ parameters: [JSONValue], contentType: String?) {
        self.parameters = parameters
        type = contentType.flatMap { MediaType($0) }
        let field = parameters.first {
            $0["name"]?.text == ByteText.charsetFieldName && $0["fileName"]?.text == nil
        }
        text = ByteText(declaredCharset: type?.charset, charsetField: field?["value"]?.text)
    }

    /// Parts if the type has a boundary, or else pairs.
    var bytes: [UInt8] {
        if let boundary = type?.boundary { return parts(boundary) }
        let pairs = parameters.map { parameter in
            let value = parameter["value"]?.text
            return encoded(parameter["name"]?.text ?? "") + (value.map { "=" + encoded($0) } ?? "")
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private func encoded(_ value: String) -> String {
        let bytes = PercentEncoding.encoded(text.bytes(of: value)) { byte in
            ASCII.isAlphanumeric(byte) || "*-._ ".utf8.contains(byte)
        }
        return String(decoding: bytes.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }

    private func parts(_ boundary: [UInt8]) -> [UInt8] {
        let delimiter = Array("--".utf8) + boundary
        var bytes: [UInt8] = []
        for parameter in parameters {
            let type = parameter["contentType"]?.text
            let part = ByteText(ofPart: type, in: text)
            var head = "\r\nContent-Disposition: form-data; "
            head += "name=\"\(quoted(parameter["name"]?.text))\""
            if let filename = parameter["fileName"]?.text {
                head += "; filename=\"\(quoted(filename))\""
            }
            if let type { head += "\r\nContent-Type: \(quoted(type))" }
            bytes += delimiter + text.bytes(of: head + "\r\n\r\n")
            bytes += part.bytes(of: parameter["value"]?.text ?? "") + Array("\r\n".utf8)
        }
        return bytes + delimiter + Array("--\r\n".utf8)
    }

    /// Encodes a name as the HTML standard does (multipart/form-data encoding algorithm).
    private func quoted(_ text: String?) -> String {
        var quoted = ""
        for scalar in (text ?? "").unicodeScalars {
            switch scalar {
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            case "\"": quoted += "%22"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
