internal import Glibc
internal import ProxydConfigurationText

/// Who may write the file of rules: it can read files and change what programs hear.
enum RulesFileAccess {
    /// Throws where others than the daemon's user and root could have written it.
    static func check(_ file: String) throws(ConfigurationValueError) {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw ConfigurationValueError(
                "cannot be read: \(String(cString: strerror(errno)))")
        }
        // Opening another kind, a pipe for example, could wait for ever.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationValueError("is no file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationValueError(
                "belongs to another user than the daemon's or root, who could make rules of theirs")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw ConfigurationValueError(
                "can be written by others, who could make rules of theirs: chmod go-w")
        }
    }
}
