internal import Glibc

/// An open file or folder, and its real path: the kernel follows links once, and the path is
/// checked for what was actually opened.
final class OpenedPath {
    /// The real path, without links.
    let path: [UInt8]
    let isFolder: Bool
    let byteCount: Int64
    let modifiedSeconds: Int64
    private let descriptor: Int32

    /// Nil if there is nothing at the path, or something other than a file or folder.
    init?(_ path: [UInt8]) {
        guard !path.contains(0) else { return nil }
        let text = path.map { CChar(bitPattern: $0) } + [0]
        // Non-blocking, because it may be a pipe.
        let descriptor = open(text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            [S_IFDIR, S_IFREG].contains(status.st_mode & S_IFMT),
            let place = OpenedPath.place(of: descriptor)
        else {
            close(descriptor)
            return nil
        }
        self.path = place
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        byteCount = Int64(status.st_size)
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func place(of descriptor: Int32) -> [UInt8]? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return buffer[..<count].map { UInt8(bitPattern: $0) }
    }

    /// The last component of the path.
    var name: String {
        String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// Whether it is the given folder, or lies inside it.
    func lies(within folder: OpenedPath) -> Bool {
        let slash = [UInt8(ascii: "/")]
        return path == folder.path || folder.path == slash
            || path.starts(with: folder.path + slash)
    }

    /// Reads bytes of the file; returns nil if not all of them can be read.
    func read(_ range: Range<Int64>) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let room = UnsafeMutableRawBufferPointer(buffer).dropFirst(count)
                let place = off_t(range.lowerBound) + count
                let taken = pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: room).baseAddress,
                    room.count, place)
                if taken < 0, errno == EINTR { continue }
                guard taken > 0 else { break }
                count += taken
            }
        }
        return bytes.count == range.count ? bytes : nil
    }
}
