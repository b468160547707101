public import FoundationEssentials
public import ProxydParameterCoding

/// Parts made from Foundation's types.
extension MultipartFormData {
    /// Adds a part from data in memory.
    public mutating func append(
        _ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        append(Array(data), name: name, filename: fileName, contentType: mimeType)
    }

    /// Adds a file and determines its size now. If the file is missing or cannot be read, sending
    /// the form fails.
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
