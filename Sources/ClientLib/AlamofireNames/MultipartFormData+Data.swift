public import Foundation
public import ProxydParameterCoding

/// Parts as Foundation has them.
extension MultipartFormData {
    /// Adds a part from memory.
    public mutating func append(
        _ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        append(Array(data), name: name, filename: fileName, contentType: mimeType)
    }

    /// Adds a file, whose size is found out now. A file that is not there, or cannot be read, is an
    /// error when the form is sent.
    public mutating func append(
        _ fileURL: URL, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        let path = fileURL.path(percentEncoded: false)
        let fileName = fileName ?? fileURL.lastPathComponent
        let fact = FileFact(ofFileAt: path)
        let byteCount: Int64 = if case .file(let count) = fact { count } else { 0 }
        append(
            MultipartPart(
                name: name, filename: fileName,
                contentType: mimeType ?? FileMediaType.mediaType(ofFileNamed: fileName),
                content: .file(path: path, byteCount: byteCount)))
    }
}
