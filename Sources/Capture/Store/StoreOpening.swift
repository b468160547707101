internal import Glibc
internal import ProxydCaptureModel

/// Opens the store of a data directory for writing, and renames a damaged one.
enum StoreOpening {
    /// Stores up to this size in bytes, including the write-ahead log, are verified completely when
    /// they are opened. In larger stores only what opening touches is checked, because startup must
    /// be fast.
    static let verifiedByteCountMax: Int64 = 64 << 20

    /// An open store that is ready for writing.
    struct Opened {
        let connection: StoreConnection
        /// The path to which a damaged file was renamed, or nil if there was none.
        var damagedPath: String?
        /// A description of the damage.
        var damage: String?
    }

    /// Opens the store; the caller holds the directory's lock. If `isSuspect`, the whole store is
    /// verified.
    static func open(_ directory: DataDirectory, isSuspect: Bool = false) throws(StoreError)
        -> Opened
    {
        do throws(StoreError) {
            return Opened(connection: try connect(directory, isSuspect: isSuspect))
        } catch {
            guard error.isDamage else { throw error }
            let damagedPath = try putAside(directory)
            var opened = Opened(connection: try connect(directory, isSuspect: false))
            opened.damagedPath = damagedPath
            opened.damage = error.description
            return opened
        }
    }

    private static func connect(_ directory: DataDirectory, isSuspect: Bool) throws(StoreError)
        -> StoreConnection
    {
        try PrivateFile.ensure(directory.storePath, in: directory.path)
        let connection = try StoreConnection(path: directory.storePath)
        do throws(StoreError) {
            try SchemaCheck.verify(connection.database)
            let byteCount = try connection.contentByteCount()
            if isSuspect || byteCount <= verifiedByteCountMax {
                try connection.verify()
            }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// Renames a damaged database and its log, so that a user may still recover data from it.
    private static func putAside(_ directory: DataDirectory) throws(StoreError) -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stamp = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let plain = directory.storePath + ".corrupt-" + stamp
        var target = plain
        var number = 1
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(plain)-\(number)"
        }
        guard rename(directory.storePath, target) == 0 else {
            throw .directory(
                path: directory.storePath, problem: String(cString: strerror(errno)))
        }
        _ = rename(directory.storePath + "-wal", target + "-wal")
        _ = unlink(directory.storePath + "-shm")
        PrivateFile.synchronize(directory: directory.path)
        return target
    }
}
