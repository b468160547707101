internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Restores the body of a form from its parameters in a HAR log: in the charset that its type
/// declares, or else that its field `_charset_` names.
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
        let plain = Array("*-._".utf8)
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.bytes(of: value) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: bytes.append(byte)
            case 0x20: bytes.append(UInt8(ascii: "+"))
            case _ where plain.contains(byte): bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
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
