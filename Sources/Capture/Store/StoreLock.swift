internal import Glibc
internal import ProxydCaptureModel

/// The right to write to a store: an exclusive lock on `captures.lock`, held until `release()` or
/// until the process ends in any way.
///
/// SQLite before 3.51.3 can corrupt a WAL database if two connections write or checkpoint at the
/// same time, so only the connection of this lock's holder does either.
final class StoreLock {
    private var descriptor: Int32

    /// Takes the lock, or throws an error that names its holder.
    init(_ directory: DataDirectory) throws(StoreError) {
        descriptor = try PrivateFile.open(directory.lockPath, in: directory.path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = StoreLock.readPID(descriptor)
            close(descriptor)
            descriptor = -1
            throw .busy(path: directory.storePath, pid: holder)
        }
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { release() }

    /// Releases the lock.
    func release() {
        guard descriptor >= 0 else { return }
        _ = ftruncate(descriptor, 0)
        close(descriptor)
        descriptor = -1
    }

    private static func readPID(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
