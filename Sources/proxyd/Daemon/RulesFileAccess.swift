internal import Glibc
internal import ProxydConfigurationText

/// Checks who may write the rules file, because rules can read files and change traffic.
enum RulesFileAccess {
    /// Throws if users other than the daemon's and root could have written the file.
    static func check(_ file: String) throws(ConfigurationValueError) {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw ConfigurationValueError(
                "cannot be read: \(String(cString: strerror(errno)))")
        }
        // Opening another type of file, such as a pipe, could block forever.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationValueError("is not a regular file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationValueError(
                "belongs to a user other than root and the daemon's, who could change it")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw ConfigurationValueError(
                "is writable by others, who could change it: use chmod go-w")
        }
    }
}
