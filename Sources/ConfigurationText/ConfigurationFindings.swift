internal import ProxydTerminalText
internal import Glibc

public enum ConfigurationFile {
    /// Larger than any sensible configuration, small enough to read into memory; in bytes.
    public static let byteCountMax = 1_048_576

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

/// Collects all mistakes in a file, so that one run reports them all.
public final class ConfigurationFindings {
    public let file: String
    private var findings: [(position: TextPosition, problem: ConfigurationProblem)] = []

    public init(file: String) { self.file = file }

    public var isEmpty: Bool { findings.isEmpty }

    /// In the order of the file.
    public var problems: [ConfigurationProblem] {
        // Sorting is not stable, so the index keeps the order of mistakes at the same position.
        findings.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element.problem)
    }

    /// - Parameter location: replaces the file name in the message.
    public func report(_ message: String, at position: TextPosition, location: String? = nil) {
        let problem = ConfigurationProblem(
            location: location ?? "\(file):\(position.line)", message: message)
        findings.append((position, problem))
    }

    /// Adds a mistake in a key's value, at the line within the value that is wrong.
    public func report(
        _ error: ConfigurationValueError, of name: String, at position: TextPosition
    ) {
        report("\(name): \(error.message)", at: error.position ?? position)
    }
}

/// A mistake in a configuration, with its location.
public struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// `FILE:LINE`, `FILE`, or the command-line flag.
    public let location: String
    /// One readable line.
    public let message: String

    public init(location: String, message: String) {
        self.location = location
        self.message = message
    }

    /// `LOCATION: what is wrong` as a single line, whatever the file contains.
    public var description: String { TerminalText.sanitize("\(location): \(message)") }
}

/// All mistakes in a configuration; never empty.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// In the order of their lines.
    public let problems: [ConfigurationProblem]

    public init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// A mistake that concerns a file as a whole.
    public init(_ error: ConfigurationValueError, of file: String) {
        self.init(problems: [ConfigurationProblem(location: file, message: error.message)])
    }

    /// The problems, one per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
