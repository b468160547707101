internal import Glibc
internal import ProxydConfigurationText

/// Reads files that hold secrets.
enum PrivateFile {
    private static let byteCountMax = 1 << 20

    /// The content of a file that no other user can read.
    /// - Throws: what is wrong with the path, the file or its permissions.
    static func contents(of path: String) throws(ConfigurationValueError) -> [UInt8] {
        try ConfigurationKey.requireAbsolute(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw ConfigurationValueError(
                "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        // The opened file is examined, so that it cannot be replaced in between.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationValueError("\(path) is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationValueError(
                "\(path) belongs to a user other than root and the daemon's")
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw ConfigurationValueError(
                "\(path) is accessible to other users: chmod 600 \(path)")
        }
        return try read(descriptor, path)
    }

    /// The first line of a private file, as a password.
    static func password(in path: String) throws(ConfigurationValueError) -> String {
        var line = Array(try contents(of: path).prefix { $0 != 0x0A })
        if line.last == 0x0D { line.removeLast() }
        guard !line.isEmpty, line.count <= 1_024 else {
            throw ConfigurationValueError("\(path) has no password in its first line")
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func read(
        _ descriptor: Int32, _ path: String
    ) throws(ConfigurationValueError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ConfigurationValueError(
                    "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            content += buffer[..<count]
            guard content.count <= byteCountMax else {
                throw ConfigurationValueError("\(path) is larger than a key or a password")
            }
        }
    }
}
