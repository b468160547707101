internal import ProxydExchangeContent
internal import ProxydParameterCoding

extension BodyContent {
    /// One part of a multipart body, with its content.
    struct FormField: Equatable {
        var name: String?
        var filename: String?
        var contentType: String?
        /// The content; empty for files.
        var bytes: [UInt8] = []
    }

    /// The parts of a multipart body, up to the first error; nil if the body is not multipart.
    var fields: [FormField]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary):
            FormField.all(of: bytes, boundary: boundary)
        default: nil
        }
    }
}

extension BodyContent.FormField {
    fileprivate static func all(of bytes: [UInt8], boundary: [UInt8]) -> [Self] {
        var fields: [Self] = []
        // The parts before an error are still worth writing.
        for event in MultipartEvent.all(in: bytes, boundary: boundary).events {
            switch event {
            case .part(let head):
                fields.append(
                    Self(
                        name: head.name, filename: head.filename, contentType: head.contentType))
            case .data(let bytes):
                guard let last = fields.indices.last, fields[last].filename == nil else { continue }
                fields[last].bytes += bytes
            case .partEnd, .end: break
            }
        }
        return fields
    }
}
