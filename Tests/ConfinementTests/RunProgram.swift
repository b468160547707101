import Foundation
import ProxydConfinement
import ProxydTestSupport

/// A program that runs until its output ends, and what it said.
struct RunProgram {
    var output = ""
    var errors = ""
    var ending = ConfinedProcess.Ending.exited(0)

    /// Runs a command to its end.
    /// - Parameter input: What it reads; its input then ends.
    init(_ command: ConfinedCommand, by launcher: String, input: String = "") throws {
        let process = try ConfinedProcess(command, by: launcher)
        let bytes = Array(input.utf8)
        _ = bytes.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
        process.closeInput()
        (output, errors) = RunProgram.read(process)
        try Eventually.isTrue(orFail: "the program does not end") { process.hasEnded }
        ending = process.end(graceMilliseconds: 0)
    }

    /// Reads both streams to their ends, or for as long as something comes within a minute.
    private static func read(_ process: ConfinedProcess) -> (String, String) {
        var texts: [[UInt8]] = [[], []]
        var watched = [process.output, process.errors].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while watched.contains(where: { $0.fd >= 0 }), poll(&watched, 2, 60_000) > 0 {
            for index in watched.indices where watched[index].revents != 0 {
                let count = Foundation.read(watched[index].fd, &buffer, buffer.count)
                if count > 0 { texts[index] += buffer[..<count] } else { watched[index].fd = -1 }
            }
        }
        return (
            String(decoding: texts[0], as: UTF8.self), String(decoding: texts[1], as: UTF8.self)
        )
    }
}
