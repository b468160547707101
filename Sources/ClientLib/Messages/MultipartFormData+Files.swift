internal import Glibc
public import ProxydParameterCoding

extension FileFact {
    /// The kind of file that is at a path now; follows links.
    public init(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .unreadable
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            self = .notAFile
            return
        }
        self = access(path, R_OK) == 0 ? .file(byteCount: Int64(status.st_size)) : .unreadable
    }
}

extension MultipartFormData {
    /// Adds a file and determines its size now. It is opened when it is about to be sent; if its
    /// size has changed by then, that is an error.
    /// - Parameters:
    /// - filename: defaults to the last component of the path.
    /// - contentType: defaults to the type for the file name's extension.
    /// - Throws: `.fileNameMissing`, `.notAFile`, `.unreadable`.
    public mutating func append(
        fileAt path: String, name: String, filename: String? = nil, contentType: String? = nil
    ) throws(MultipartEncodingError) {
        try append(
            fileAt: path, name: name, filename: filename, contentType: contentType,
            fact: FileFact(ofFileAt: path))
    }
}
