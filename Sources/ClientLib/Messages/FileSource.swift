internal import Glibc

/// Reads a file in pieces.
final class FileSource: BodySource {
    static let pieceByteCount = 256 * 1_024

    private let descriptor: Int32
    /// The number of bytes in the file when it was opened.
    let byteCount: Int64

    /// Opens a regular file.
    init(path: String) throws(ClientError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileSource.failure(errno) }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            byteCount = 0
            throw ClientError(.bodyUnavailable, message: "the body's file is not a regular file")
        }
        byteCount = Int64(status.st_size)
    }

    deinit { Glibc.close(descriptor) }

    /// Moves the start of reading to an offset in bytes.
    func skip(_ byteCount: Int64) throws(ClientError) {
        guard lseek(descriptor, off_t(byteCount), SEEK_SET) >= 0 else {
            throw FileSource.failure(errno)
        }
    }

    /// The next piece, or nil at the end of the file.
    func next() throws -> [UInt8]? {
        let descriptor = descriptor
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: FileSource.pieceByteCount) { room, count in
            let result = Glibc.read(descriptor, room.baseAddress, room.count)
            failure = result < 0 ? errno : 0
            count = max(0, result)
        }
        guard failure == 0 else { throw FileSource.failure(failure) }
        return piece.isEmpty ? nil : piece
    }

    /// The number of bytes in a regular file.
    static func byteCount(ofFile path: String) throws(ClientError) -> Int64 {
        try FileSource(path: path).byteCount
    }

    private static func failure(_ number: Int32) -> ClientError {
        ClientError(
            .bodyUnavailable,
            message: "the body's file cannot be read: \(String(cString: strerror(number)))")
    }
}
