internal import ProxydExchangeContent
internal import ProxydParameterCoding

extension BodyContent {
    /// One part of a multipart body, with its content.
    struct FormField: Equatable {
        var name: String?
        var filename: String?
        var contentType: String?
        /// The content, as UTF-8 if it is text; empty for files.
        var bytes: [UInt8] = []
    }

    /// The parts of a multipart body, up to the first error; nil if the body is not multipart.
    var fields: [FormField]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary):
            FormField.all(of: bytes, boundary: boundary, text(ofParts: boundary))
        default: nil
        }
    }
}

extension BodyContent.FormField {
    fileprivate static func all(
        of bytes: [UInt8], boundary: [UInt8], _ text: ByteText
    ) -> [Self] {
        var fields: [Self] = []
        var head: MultipartPartHead?
        // The parts before an error are still worth writing.
        for event in MultipartEvent.all(in: bytes, boundary: boundary, text).events {
            switch event {
            case .part(let next):
                head = next
                fields.append(
                    Self(
                        name: next.name, filename: next.filename, contentType: next.contentType))
            case .data(let bytes):
                guard let last = fields.indices.last, fields[last].filename == nil else { continue }
                fields[last].bytes += bytes
            case .partEnd:
                guard let last = fields.indices.last, let head else { continue }
                fields[last].bytes = utf8(fields[last].bytes, head, text)
            case .end: break
            }
        }
        return fields
    }

    private static func utf8(
        _ content: [UInt8], _ head: MultipartPartHead, _ form: ByteText
    ) -> [UInt8] {
        let bytes = head.transferEncoding.decoded(content)
        let (text, origin) = ByteText(of: head, in: form).reading(bytes.span)
        return origin == .undecodable ? bytes : Array(text.utf8)
    }
}
