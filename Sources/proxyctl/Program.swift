internal import ArgumentParser
internal import Glibc
internal import ProxydTerminalText

/// Runs one command line from arguments to exit code.
enum Program {
    /// Parses and runs; the exit code is 0 when done, 1 when nothing matched or the operation
    /// failed, 64 for wrong usage. What to say about it has been said.
    static func run(_ arguments: [String], _ environment: Environment) -> Int32 {
        Environment.$current.withValue(environment) {
            let files = FileStores()
            let code = FileStores.$current.withValue(files) { perform(arguments, environment) }
            files.removeAll()
            environment.output.flush()
            environment.errors.flush()
            return code == 0 ? outputFailure(environment) : code
        }
    }

    private static func perform(_ arguments: [String], _ environment: Environment) -> Int32 {
        var arguments = arguments
        do {
            let file = try LeadingFile(in: arguments)
            arguments = file.arguments
            var command = try Proxyctl.parseAsRoot(arguments)
            try file.run(&command)
            return 0
        } catch let failure as CommandFailure {
            if let message = failure.message { Report.warn(message, environment) }
            return failure.code.rawValue
        } catch {
            return explain(error, arguments, environment)
        }
    }

    /// What the argument parser throws: help, which is no failure, or wrong usage.
    private static func explain(
        _ error: any Error, _ arguments: [String], _ environment: Environment
    ) -> Int32 {
        let code = Proxyctl.exitCode(for: error)
        if code == .validationFailure, let unknown = UnknownCommand(in: arguments) {
            Report.warn(unknown.message, environment)
            return CommandFailure.Code.usage.rawValue
        }
        // The message repeats arguments, which may have come from a capture.
        let text = TerminalText.sanitize(Proxyctl.fullMessage(for: error), layout: .multiLine)
        let message = Array((text + "\n").utf8)
        if code == .success {
            environment.output.write(message)
            return 0
        }
        environment.errors.write(message)
        return code == .validationFailure
            ? CommandFailure.Code.usage.rawValue : CommandFailure.Code.failed.rawValue
    }

    /// 1 where standard output took not everything, a full disk for one.
    private static func outputFailure(_ environment: Environment) -> Int32 {
        guard let number = environment.output.failure else { return 0 }
        Report.warn("standard output: \(String(cString: strerror(number)))", environment)
        return CommandFailure.Code.failed.rawValue
    }
}
