internal import Glibc

/// The folder that a script may write.
enum ScratchFolder {
    /// Why the folder cannot be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes it where it is not there: `scripts/NAME` in the data directory, for its user alone.
    /// - Returns: Its path.
    static func make(for script: String, in dataDirectory: String) throws -> String {
        let all = dataDirectory + "/scripts"
        let own = all + "/" + script
        for path in [all, own] where mkdir(path, 0o700) != 0 {
            let reason = errno
            var status = stat()
            // A link could make something else its own.
            guard reason == EEXIST, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
            else {
                throw Failure(description: "\(path): \(String(cString: strerror(reason)))")
            }
        }
        return own
    }
}
