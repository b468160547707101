internal import Glibc
internal import ProxydSystem

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
    private let output: Output
    /// Who we were when the file was made: reading a store may have made us somebody else.
    private let identity = (user: geteuid(), group: getegid())

    private enum Output {
        case draft(FileDraft)
        case device(Int32)
    }

    /// Makes the unfinished file beside the name.
    /// - Parameter keepsAccess: Whether who may read and write a file of that name stays as it is.
    init(_ name: String, keepsAccess: Bool = false) throws {
        var facts = stat()
        let exists = stat(name, &facts) == 0
        let isFile = !exists || facts.st_mode & S_IFMT == S_IFREG
        path = exists ? AtomicFile.resolved(name) : name
        guard isFile else {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw AtomicFile.failure(name, SystemError()) }
            sink = DescriptorSink(descriptor: descriptor)
            output = .device(descriptor)
            return
        }
        let draft: FileDraft
        do throws(SystemError) {
            draft = try FileDraft(of: path)
        } catch {
            throw AtomicFile.failure(name, error)
        }
        sink = DescriptorSink(descriptor: draft.descriptor)
        output = .draft(draft)
        guard exists, keepsAccess else { return }
        // Only root may give a file away; whoever else may edit it owns it, or its folder.
        _ = fchown(draft.descriptor, facts.st_uid, facts.st_gid)
        guard fchmod(draft.descriptor, facts.st_mode & 0o777) == 0 else {
            throw AtomicFile.failure(name, SystemError())
        }
    }

    deinit {
        switch output {
        // What is not complete is deleted as who made it.
        case .draft: assumeIdentity()
        case .device(let descriptor): close(descriptor)
        }
    }

    /// Hands over what waits; throws where the disk did not take everything.
    func flush() throws {
        sink.flush()
        if let number = sink.failure {
            throw AtomicFile.failure(path, SystemError(number: number))
        }
    }

    /// Gives the file its name, its octets safe on the disk.
    func commit() throws {
        try flush()
        guard case .draft(let draft) = output else { return }
        assumeIdentity()
        do throws(SystemError) {
            try draft.commit()
        } catch {
            throw AtomicFile.failure(path, error)
        }
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

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure("\(path): \(error)")
    }
}
