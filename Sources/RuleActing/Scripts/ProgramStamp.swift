internal import Glibc
internal import ProxydConfinement

/// Properties of the files of a command when it was started, so that a script is restarted after it
/// was edited.
struct ProgramStamp: Equatable {
    private struct File: Equatable {
        let number: UInt64
        let byteCount: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    /// An element is nil if a word of the command does not name a file.
    private let files: [File?]
    /// The folders whose files are allowed one by one, which does not include later ones.
    private let folders: [File?]

    /// Reads the current properties.
    /// - Parameter folders: The folders whose files are allowed one by one.
    init(of command: ConfinedCommand, _ folders: [String]) {
        files = command.command.map { word in
            ProgramStamp.file(word.hasPrefix("/") ? word : command.directory + "/" + word, S_IFREG)
        }
        self.folders = folders.map { ProgramStamp.file($0, S_IFDIR) }
    }

    private static func file(_ path: String, _ kind: mode_t) -> File? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == kind else { return nil }
        return File(
            number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}
