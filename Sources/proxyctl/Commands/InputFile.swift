internal import Glibc
internal import ProxydInterchange

/// A file, or standard input, that is read once from its start.
final class InputFile {
    private static let chunkByteCount = 256 << 10

    /// The size of the file in bytes, or nil if it is unknown before its end.
    let byteCount: Int64?
    /// The number of bytes read so far.
    private(set) var position: Int64 = 0
    /// Its name; `-` is standard input.
    let name: String
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

    /// The file as one that is read from any place; nil if it is a pipe or the like.
    var archive: InputArchive? {
        byteCount.map { InputArchive(input: self, byteCount: $0, descriptor: descriptor) }
    }

    /// Returns the next bytes, or nil at the end.
    func next() throws -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: InputFile.chunkByteCount) {
                count = Glibc.read(descriptor, $0.baseAddress, $0.count)
                $1 = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            position += Int64(count)
            return count == 0 ? nil : bytes
        }
    }

    fileprivate func failure(_ number: Int32) -> CommandFailure {
        CommandFailure("\(name): \(String(cString: strerror(number)))")
    }
}

/// A file that is read from any place.
struct InputArchive: ArchiveFile {
    fileprivate let input: InputFile
    let byteCount: Int64
    fileprivate let descriptor: Int32

    func read(at offset: Int64, count: Int) throws -> [UInt8] {
        var read = 0
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while read < buffer.count, problem == 0 {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[read...])
                let got = pread(
                    descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(read))
                if got == 0 { break }
                if got > 0 { read += got } else if errno != EINTR { problem = errno }
            }
            filled = read
        }
        guard problem == 0 else { throw input.failure(problem) }
        return bytes
    }
}
