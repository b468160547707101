internal import Glibc
public import ProxydParameterCoding

extension FileFact {
    /// What is at a path now; a link is followed.
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
    /// Adds a file, whose size is found out now. It is opened when its turn to be sent comes; one
    /// that is longer or shorter by then is an error.
    /// - Parameters:
    ///   - filename: the last component of the path, unless given.
    ///   - contentType: what the file name's extension says, unless given.
    /// - Throws: `.fileNameMissing`, `.notAFile`, `.unreadable`.
    public mutating func append(
        fileAt path: String, name: String, filename: String? = nil, contentType: String? = nil
    ) throws(MultipartEncodingError) {
        try append(
            fileAt: path, name: name, filename: filename, contentType: contentType,
            fact: FileFact(ofFileAt: path))
    }
}
