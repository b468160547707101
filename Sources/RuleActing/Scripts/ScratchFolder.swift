internal import Glibc

/// The folder that a script may write to.
enum ScratchFolder {
    /// Why the folder cannot be created.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the folder if it does not exist: `scripts/NAME` in the data directory, accessible
    /// only to its owner.
    /// - Returns: The path of the folder.
    static func make(for script: String, in dataDirectory: String) throws -> String {
        let all = dataDirectory + "/scripts"
        let own = all + "/" + script
        for path in [all, own] where mkdir(path, 0o700) != 0 {
            let reason = errno
            var status = stat()
            // A symbolic link could point to a folder of someone else.
            guard reason == EEXIST, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
            else {
                throw Failure(description: "\(path): \(String(cString: strerror(reason)))")
            }
        }
        return own
    }
}
