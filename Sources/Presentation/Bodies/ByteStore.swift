internal import Glibc

/// Bytes that only grow: in memory while they are few, then in a scratch file.
struct ByteStore: Sendable {
    static let memoryByteCountMax = 1 << 20

    private(set) var byteCount = 0
    private var memory: [UInt8] = []
    private var file: ScratchFile?
    /// Whether bytes were lost because no file could be written.
    private(set) var isBroken = false

    mutating func append(_ bytes: [UInt8]) {
        guard !isBroken, !bytes.isEmpty else { return }
        if file == nil, byteCount + bytes.count <= ByteStore.memoryByteCountMax {
            memory += bytes
            byteCount += bytes.count
            return
        }
        if file == nil {
            file = ScratchFile()
            if file?.write(memory.span, at: 0) == true {
                memory = []
            } else {
                // Bytes that fit in memory stay readable.
                file = nil
                isBroken = true
                return
            }
        }
        if file?.write(bytes.span, at: byteCount) == true {
            byteCount += bytes.count
        } else {
            isBroken = true
        }
    }

    /// A reader for the current bytes; it can be used while the store grows.
    var contents: ByteContents { ByteContents(memory: memory, file: file, byteCount: byteCount) }
}

/// The bytes of a store at one moment.
struct ByteContents: Sendable {
    fileprivate let memory: [UInt8]
    fileprivate let file: ScratchFile?
    fileprivate let byteCount: Int

    fileprivate init(memory: [UInt8], file: ScratchFile?, byteCount: Int) {
        self.memory = memory
        self.file = file
        self.byteCount = byteCount
    }

    func read(from offset: Int, byteCount count: Int) -> [UInt8] {
        guard offset >= 0, offset < byteCount, count > 0 else { return [] }
        let taken = min(count, byteCount - offset)
        if let file { return file.read(from: offset, byteCount: taken) }
        return Array(memory[offset..<offset + taken])
    }
}

/// A private, unnamed file for bytes that are too many for memory. It is deleted when its
/// descriptor is closed, however the program ends.
final class ScratchFile: Sendable {
    private let descriptor: Int32

    /// Creates an empty file in the folder for temporary files, or returns nil if that fails.
    init?(folder: String = ScratchFile.defaultFolder) {
        var template = Array("\(folder)/proxyctl.XXXXXX".utf8CString)
        let opened = template.withUnsafeMutableBufferPointer { path -> Int32 in
            guard let start = path.baseAddress else { return -1 }
            // Mode 0600, and without a name from the next line on.
            let opened = mkstemp(start)
            if opened >= 0 { unlink(start) }
            return opened
        }
        guard opened >= 0 else { return nil }
        // An editor that is started later must not inherit the descriptor.
        _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// `TMPDIR`, or else `/var/tmp`, because `/tmp` is often in memory.
    static var defaultFolder: String {
        if let folder = getenv("TMPDIR").map({ String(cString: $0) }), !folder.isEmpty {
            return folder
        }
        return "/var/tmp"
    }

    /// Writes all bytes at an offset; returns false if the disk is full or fails.
    func write(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done,
                    off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Reads at most `byteCount` bytes from an offset.
    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        guard byteCount > 0, offset >= 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            var done = 0
            while done < byteCount {
                let count = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), byteCount - done,
                    off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                done += count
            }
            initialized = done
        }
    }
}
