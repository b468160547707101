internal import Glibc

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

    /// Reads the current properties.
    init(of command: [String], in folder: String) {
        files = command.map { word in
            var status = stat()
            let path = word.hasPrefix("/") ? word : folder + "/" + word
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return File(
                number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
                seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        }
    }
}
