internal import Glibc

extension Configuration {
    /// Bigger than any sensible configuration, small enough to read whole.
    package static let fileByteCountMax = 1_048_576

    /// Reads a file, checks it, and lets the command line's overrides go before it.
    /// - Parameter file: nil for the built-in defaults.
    /// - Throws: everything that is wrong, the unreadable file included.
    package static func load(
        file: String?,
        overrides: ConfigurationOverrides = ConfigurationOverrides()
    ) throws(ConfigurationError) -> Configuration {
        guard let file else {
            return try ConfigurationReader.read("", file: "defaults", overrides: overrides)
        }
        let text: String
        do {
            text = try contents(of: file)
        } catch {
            throw ConfigurationError(
                problems: [ConfigurationProblem(location: file, message: error.message)])
        }
        return try ConfigurationReader.read(text, file: file, overrides: overrides)
    }

    private static func contents(of file: String) throws(ConfigurationValueError) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: fileByteCountMax + 1)
        var filled = 0
        while filled < octets.count {
            let count = octets.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            if count == 0 { break }
            filled += count
        }
        guard filled <= fileByteCountMax else {
            throw ConfigurationValueError("larger than \(fileByteCountMax) bytes")
        }
        guard let text = String(validating: octets[..<filled], as: UTF8.self) else {
            throw ConfigurationValueError("not valid UTF-8")
        }
        return text
    }

    private static func unreadable() -> ConfigurationValueError {
        ConfigurationValueError("cannot be read: \(String(cString: strerror(errno)))")
    }
}
