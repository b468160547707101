internal import Glibc

/// Reads a password from the terminal, without showing it, or from standard input.
enum PasswordInput {
    private static let byteCountMax = 4_096

    /// The new password of a user.
    static func read(for name: String, _ environment: Environment) throws -> [UInt8] {
        guard isatty(environment.inputDescriptor) != 0 else {
            return try line(environment.inputDescriptor)
        }
        let first = try ask("Password of \(name): ", environment)
        guard try ask("The same again: ", environment) == first else {
            throw CommandFailure("the passwords differ: nothing was changed")
        }
        return first
    }

    private static func ask(_ prompt: String, _ environment: Environment) throws -> [UInt8] {
        environment.errors.write(Array(prompt.utf8))
        environment.errors.flush()
        defer {
            environment.errors.write([0x0A])
            environment.errors.flush()
        }
        var shown = termios()
        let descriptor = environment.inputDescriptor
        guard tcgetattr(descriptor, &shown) == 0 else {
            throw CommandFailure("the terminal cannot hide the password")
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else {
            throw CommandFailure("the terminal cannot hide the password")
        }
        defer { tcsetattr(descriptor, TCSAFLUSH, &shown) }
        return try line(descriptor)
    }

    /// One line without its end, byte for byte.
    private static func line(_ descriptor: Int32) throws -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= byteCountMax {
            let count = Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 || byte == 0x0A { break }
            line.append(byte)
        }
        if line.last == 0x0D { line.removeLast() }
        return line
    }
}
