internal import FoundationEssentials
internal import Glibc
internal import ProxydSystem

/// Runs the user's editor on some bytes while the interface has left the terminal.
enum Editor {
    /// Returns the edited bytes, or nil if they did not change. Throws an error message for the
    /// user.
    static func edit(_ request: EditRequest, command: String?) throws -> [UInt8]? {
        guard let command else { throw WorkFailure("no editor: set $EDITOR") }
        let path = try write(request)
        defer { unlink(path) }
        // The command may have arguments of its own, as in git.
        let status = try run(["/bin/sh", "-c", command + " \"$@\"", command, path])
        guard status == 0 else { throw WorkFailure("the editor failed: nothing was changed") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw WorkFailure("the editor left no file")
        }
        return Array(data) == request.bytes ? nil : Array(data)
    }

    private static func write(_ request: EditRequest) throws -> String {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let suffix = "." + request.fileExtension.filter { $0.isASCII && $0.isLetter }
        var template = Array("\(directory)/proxyctl-XXXXXX\(suffix)".utf8CString)
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else {
            throw WorkFailure("\(directory): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        do throws(SystemError) {
            try FullWrite.write(request.bytes, to: descriptor)
        } catch {
            throw WorkFailure("\(directory): \(error)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Stays in this process group, because the editor needs the terminal.
    private static func run(_ arguments: [String]) throws -> Int32 {
        let ignored = [SIGINT, SIGQUIT, SIGTSTP]
        let former = ignored.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(ignored, former) { signal(number, handler) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in ignored { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var child: pid_t = 0
        let problem = posix_spawn(&child, arguments[0], nil, &attributes, strings, environ)
        guard problem == 0 else { throw WorkFailure(String(cString: strerror(problem))) }
        return try wait(for: child)
    }

    /// Returns the exit status. If the editor is suspended, so is this process: a shell waits for
    /// both.
    private static func wait(for child: pid_t) throws -> Int32 {
        var status: Int32 = 0
        while true {
            guard waitpid(child, &status, WUNTRACED) == child else {
                if errno == EINTR { continue }
                throw WorkFailure("the editor: \(String(cString: strerror(errno)))")
            }
            // WIFSTOPPED, a macro that Swift cannot import.
            guard status & 0xFF == 0x7F else { return status }
            kill(getpid(), SIGSTOP)
        }
    }
}
