internal import Glibc

/// A file, or standard input, that is read once from its start.
final class InputFile {
    private static let chunkByteCount = 256 << 10

    /// The size of the file in bytes, or nil if it is unknown before its end.
    let byteCount: Int64?
    /// The number of bytes read so far.
    private(set) var position: Int64 = 0
    private let name: String
    private let descriptor: Int32
    private let isOurs: Bool

    /// Opens a file; `-` is standard input.
    init(_ name: String, _ environment: Environment) throws {
        self.name = name
        isOurs = name != "-"
        descriptor = isOurs ? open(name, O_RDONLY | O_CLOEXEC) : environment.inputDescriptor
        var facts = stat()
        let isKnown = descriptor >= 0 && fstat(descriptor, &facts) == 0
        byteCount = isKnown && facts.st_mode & S_IFMT == S_IFREG ? Int64(facts.st_size) : nil
        guard descriptor >= 0 else { throw failure(errno) }
    }

    deinit { if isOurs, descriptor >= 0 { close(descriptor) } }

    /// Returns the next bytes, or nil at the end.
    func next() throws -> [UInt8]? {
        while true {
            var count = 0
            let octets = [UInt8](unsafeUninitializedCapacity: InputFile.chunkByteCount) {
                count = Glibc.read(descriptor, $0.baseAddress, $0.count)
                $1 = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            position += Int64(count)
            return count == 0 ? nil : octets
        }
    }

    private func failure(_ number: Int32) -> CommandFailure {
        CommandFailure("\(name): \(String(cString: strerror(number)))")
    }
}
