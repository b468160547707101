internal import Glibc

/// Reads the text of a configuration file.
public enum ConfigurationFile {
    /// Larger than any sensible configuration, small enough to read into memory; in bytes.
    public static let byteCountMax = 1_048_576

    /// The text of a file.
    /// - Throws: if it cannot be read, is too large, or is not UTF-8.
    public static func contents(of file: String) throws(ConfigurationValueError) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            if count == 0 { break }
            filled += count
        }
        guard filled <= byteCountMax else {
            throw ConfigurationValueError("larger than \(byteCountMax) bytes")
        }
        guard let text = String(validating: bytes[..<filled], as: UTF8.self) else {
            throw ConfigurationValueError("not valid UTF-8")
        }
        return text
    }

    private static func unreadable() -> ConfigurationValueError {
        ConfigurationValueError("cannot be read: \(String(cString: strerror(errno)))")
    }
}
