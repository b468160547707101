import Foundation
import ProxydTestSupport

/// One run of the built program, with nothing on standard input.
struct ProgramRun {
    let status: Int32
    let bytes: [UInt8]
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }

    /// Runs `proxyship` in an environment without a home; through a command line that ends with
    /// the program and its arguments if there is one.
    init(_ arguments: [String], through other: [String] = []) throws {
        let scratch = try ScratchFolder()
        let (output, errors) = (try scratch.file("out"), try scratch.file("err"))
        let process = Process()
        let line = other + [try BuiltProgram.path("proxyship")] + arguments
        process.executableURL = URL(fileURLWithPath: line[0])
        process.arguments = Array(line.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.filter { name, _ in
            name != "HOME" && !["PG", "XDG_", "PROXYD_"].contains { name.hasPrefix($0) }
        }
        process.standardInput = FileHandle.nullDevice
        // Files, not pipes: whatever the program prints, it can never block.
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.runWithSignals()
        process.waitUntilExit()
        status = process.terminationStatus
        bytes = try scratch.content(of: "out")
        self.errors = String(decoding: try scratch.content(of: "err"), as: UTF8.self)
    }
}
