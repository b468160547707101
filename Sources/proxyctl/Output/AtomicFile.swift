internal import Glibc

/// A file that appears under its name only when it is complete; until then, and where something
/// goes wrong, what had the name before keeps it. Private: mode 0600, unless it takes the place of
/// a file whose mode and owner it is to keep.
///
/// A name that belongs to something other than a file (`/dev/null`, a pipe) is written to as it
/// is.
final class AtomicFile {
    /// Where the octets go.
    let sink: DescriptorSink
    private let path: String
    private let descriptor: Int32
    /// The unfinished file; nil once it has its name, and where there is none.
    private var temporaryPath: String?
    /// Who we were when the file was made: reading a store may have made us somebody else.
    private let identity = (user: geteuid(), group: getegid())

    /// Makes the unfinished file beside the name.
    /// - Parameter keepsAccess: Whether who may read and write a file of that name stays as it is.
    init(_ name: String, keepsAccess: Bool = false) throws {
        var facts = stat()
        let exists = stat(name, &facts) == 0
        let isFile = !exists || facts.st_mode & S_IFMT == S_IFREG
        path = exists ? AtomicFile.resolved(name) : name
        guard isFile else {
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            sink = DescriptorSink(descriptor: descriptor)
            guard descriptor >= 0 else { throw AtomicFile.failure(name) }
            return
        }
        let temporary = "\(path).\(UInt64.random(in: .min ... .max)).part"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        sink = DescriptorSink(descriptor: descriptor)
        guard descriptor >= 0 else { throw AtomicFile.failure(name) }
        temporaryPath = temporary
        guard exists, keepsAccess else { return }
        // Only root may give a file away; whoever else may edit it owns it, or its folder.
        _ = fchown(descriptor, facts.st_uid, facts.st_gid)
        guard fchmod(descriptor, facts.st_mode & 0o777) == 0 else {
            throw AtomicFile.failure(name)
        }
    }

    deinit {
        if let temporaryPath {
            assumeIdentity()
            unlink(temporaryPath)
        }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands over what waits; throws where the disk did not take everything.
    func flush() throws {
        sink.flush()
        if let number = sink.failure { throw AtomicFile.failure(path, number) }
    }

    /// Gives the file its name, its octets safe on the disk.
    func commit() throws {
        try flush()
        guard let temporary = temporaryPath else { return }
        guard fsync(descriptor) == 0 else { throw AtomicFile.failure(path) }
        assumeIdentity()
        guard rename(temporary, path) == 0 else { throw AtomicFile.failure(path) }
        temporaryPath = nil
    }

    private func assumeIdentity() {
        guard geteuid() != identity.user else { return }
        // The user first: only root may take its group back.
        _ = seteuid(identity.user)
        _ = setegid(identity.group)
    }

    /// The file behind symbolic links, so that a link stays one.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(number)))")
    }
}
