internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc

/// A file that gets its name only when it is complete; until then, and after an error, an existing
/// file with the name is unchanged. Private: mode 0600, unless it replaces a file whose mode and
/// owner it is to keep.
///
/// A name that belongs to something other than a regular file (`/dev/null`, a pipe) is written to
/// directly.
final class AtomicFile {
    let sink: DescriptorSink
    private let path: String
    private let output: Output
    /// Whether the contents are complete, and have the file's name.
    private(set) var isCommitted = false
    /// The user and group that created the file: reading a store may have changed the process's
    /// identity.
    private let identity = (user: geteuid(), group: getegid())

    private enum Output {
        case draft(FileDraft)
        case device(Int32)
    }

    /// Creates the incomplete file next to the final name.
    /// - Parameter keepsAccess: Whether the mode and owner of an existing file are kept.
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
        // Only root can change a file's owner; any other user who may edit the file owns it, or its
        // folder.
        _ = fchown(draft.descriptor, facts.st_uid, facts.st_gid)
        guard fchmod(draft.descriptor, facts.st_mode & 0o777) == 0 else {
            throw AtomicFile.failure(name, SystemError())
        }
    }

    /// Writes a complete file that only its owner can read, in place of any file or link with its
    /// name. For files that a program needs while it runs: they are not flushed to disk.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do throws(SystemError) {
            try FileDraft.write(bytes, to: path, survivesPowerFailure: false)
        } catch {
            throw failure(path, error)
        }
    }

    deinit {
        switch output {
        // An incomplete file is deleted as the user that created it.
        case .draft: assumeIdentity()
        case .device(let descriptor): close(descriptor)
        }
    }

    /// Writes buffered bytes; throws if the disk did not accept everything.
    func flush() throws {
        sink.flush()
        if let number = sink.failure { throw AtomicFile.failure(path, SystemError(number: number)) }
    }

    /// Gives the file its name after syncing it to disk.
    /// - Throws: also if that was done before: the file is complete, and anything written to its
    ///   sink since then is not part of it.
    func commit() throws {
        guard !isCommitted else { throw CommandFailure("\(path): it is already complete") }
        try flush()
        if case .draft(let draft) = output {
            assumeIdentity()
            do throws(SystemError) {
                try draft.commit()
            } catch {
                throw AtomicFile.failure(path, error)
            }
        }
        isCommitted = true
    }

    private func assumeIdentity() {
        guard geteuid() != identity.user else { return }
        // The user first: only root may restore its group.
        _ = seteuid(identity.user)
        _ = setegid(identity.group)
    }

    /// The target of symbolic links, so that a link remains one.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure("\(path): \(error)")
    }
}

/// Why a file could not be read or written, for people.
enum FileFailure {
    /// The system's message for the number in a Foundation error, or else the error as text.
    static func text(_ error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying ?? error
        guard let number = (cause as? POSIXError)?.code.rawValue else { return "\(error)" }
        return String(cString: strerror(number))
    }
}
