internal import Glibc
internal import ProxydSystem
internal import ProxydWebServer

/// A file with a token that stays the same from start to start, for programs that know it.
struct TokenFile {
    /// As many characters as 256 random bits have in Base64.
    private static let characterCountMin = 43
    private static let byteCountMax = 1_024

    private let path: String

    init(path: String) { self.path = path }

    /// The token. A file that does not exist is created with a random one.
    func token() throws -> String {
        guard let text = try text() else {
            let token = WebToken.random()
            do throws(SystemError) {
                try FileDraft.write(Array((token + "\n").utf8), to: path)
            } catch {
                throw CommandFailure("--token-file: \(path): \(error)")
            }
            return token
        }
        let token = text.last == "\n" ? String(text.dropLast()) : text
        guard TokenFile.isToken(token) else {
            throw CommandFailure(
                "--token-file: \(path) must contain one line of at least "
                    + "\(TokenFile.characterCountMin) letters, digits, - or _")
        }
        return token
    }

    /// The content of the file, or nil if it does not exist.
    private func text() throws -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CommandFailure("--token-file: \(path): \(SystemError())")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("--token-file: \(path) is not a file")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw CommandFailure(
                "--token-file: other users can read \(path); run chmod 600 on it")
        }
        var bytes = [UInt8](repeating: 0, count: TokenFile.byteCountMax)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func isToken(_ text: String) -> Bool {
        text.utf8.count >= characterCountMin
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}
