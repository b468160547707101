public import Foundation

/// The programs that are built together with the tests.
public enum BuiltProgram {
    /// There is no such program.
    public struct Missing: Error, CustomStringConvertible {
        /// What was looked for.
        public let description: String
    }

    private static let directory =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    /// The path of a program that users run; `PROXYD_PROGRAMS` names another folder than the
    /// tests' own.
    public static func path(_ name: String) throws -> String {
        let folder = ProcessInfo.processInfo.environment["PROXYD_PROGRAMS"]
        return try executable(name, in: folder ?? directory)
    }

    /// The path of a program that only tests run.
    public static func ofTests(_ name: String) throws -> String {
        try executable(name, in: directory)
    }

    private static func executable(_ name: String, in folder: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(description: "\(path) was not built")
        }
        return path
    }
}

/// A program for the shell that a test makes and has run.
public enum ShellProgram {
    /// Makes a program, which others may run immediately.
    ///
    /// Another program copies it into its place: a file cannot be run while anyone has it open for
    /// writing, and a process that another test begins at the moment when this one writes inherits
    /// all that is open, until it has begun.
    public static func make(_ body: String, at path: String) throws {
        let text = path + ".text"
        defer { try? FileManager.default.removeItem(atPath: text) }
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(filePath: text))
        let copying = Process()
        copying.executableURL = URL(filePath: "/usr/bin/install")
        copying.arguments = ["-m", "755", text, path]
        try copying.run()
        copying.waitUntilExit()
        guard copying.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// The `openssl` program: a judge from outside, and a maker of what we do not make.
public enum OpenSSLTool {
    /// Where it is; nil where it is not installed.
    public static let path: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// It did not end well.
    public struct Failure: Error, CustomStringConvertible {
        /// What it said.
        public let description: String
    }

    /// What it prints, and whether it ended well.
    public static func run(
        _ arguments: [String], in directory: String? = nil
    ) throws -> (output: String, isGood: Bool) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.runWithSignals()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus == 0)
    }

    /// Runs it in a directory, with arguments separated by spaces.
    public static func run(_ arguments: String, in directory: String) throws {
        let (output, isGood) = try run(
            arguments.split(separator: " ").map(String.init), in: directory)
        guard isGood else { throw Failure(description: output) }
    }
}

extension Process {
    /// Starts the program with no signal blocked: threads that run tests block most signals, and
    /// a program inherits the mask of the thread that starts it.
    public func runWithSignals() throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
    }
}

/// A new pipe, which programs that other tests start do not inherit: one of them could keep it
/// open.
public struct PipeEnds: Sendable {
    /// The end to read from.
    public let reading: Int32
    /// The end to write to.
    public let writing: Int32

    /// Opens a pipe; whoever uses it closes its ends.
    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}
