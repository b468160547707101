internal import FoundationEssentials
internal import Glibc

/// Runs programs of this system, each for at most half a minute, with empty input.
struct SystemProgramRunner: ProgramRunner {
    private static let patience = Duration.seconds(30)
    /// How long a program's pipes are read after its end, if its child processes keep them open.
    private static let grace = Duration.seconds(1)

    func find(_ name: String) -> String? {
        // sbin contains update-ca-certificates and is not in every user's path.
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        for directory in search.split(separator: ":") {
            let path = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }

    func run(
        _ path: String, _ arguments: [String], environment: [String: String]?
    ) -> ProgramResult? {
        guard let output = OutputPipe(), let errors = OutputPipe(),
            let child = try? ChildProgram(
                [path] + arguments,
                environment: environment ?? ProcessInfo.processInfo.environment,
                streams: .init(output: output.writeEnd, errors: errors.writeEnd))
        else { return nil }
        output.closeWriteEnd()
        errors.closeWriteEnd()
        var deadline = ContinuousClock.now + SystemProgramRunner.patience
        var exitCode: Int32?
        while exitCode == nil || !output.isAtEnd || !errors.isAtEnd, .now < deadline {
            OutputPipe.wait(for: output, errors)
            output.read()
            errors.read()
            guard exitCode == nil else { continue }
            exitCode = child.end()
            if exitCode != nil { deadline = min(deadline, .now + SystemProgramRunner.grace) }
        }
        guard let exitCode else {
            // Its end is not awaited: proxyctl itself ends soon.
            child.send(SIGTERM)
            return nil
        }
        return ProgramResult(exitCode: exitCode, output: output.bytes, errors: errors.bytes)
    }
}
