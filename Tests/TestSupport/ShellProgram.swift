internal import Foundation

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
