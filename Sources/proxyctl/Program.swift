internal import ArgumentParser
internal import Glibc
internal import ProxydTerminalText

/// Runs a command line, from arguments to exit code.
enum Program {
    /// Parses and runs the arguments. Returns exit code 0 on success, 1 if nothing matched or the
    /// operation failed, and 64 for wrong usage. Messages have already been printed.
    static func run(_ arguments: [String], _ environment: Environment) -> Int32 {
        Environment.$current.withValue(environment) {
            let store = FileStore()
            let code = FileStore.$current.withValue(store) { perform(arguments, environment) }
            store.remove()
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
            for line in [failure.message, failure.nextStep].compactMap({ $0 }) {
                Report.warn(line, environment)
            }
            return failure.code.rawValue
        } catch {
            return explain(error, arguments, environment)
        }
    }

    /// Handles errors of the argument parser: a request for help, which is not a failure, or wrong
    /// usage.
    private static func explain(
        _ error: any Error, _ arguments: [String], _ environment: Environment
    ) -> Int32 {
        let code = Proxyctl.exitCode(for: error)
        if code == .validationFailure, let unknown = UnknownCommand(in: arguments) {
            Report.warn(unknown.message, environment)
            return CommandFailure.Code.usage.rawValue
        }
        // The message repeats arguments, which may come from a capture.
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

    /// Returns 1 if standard output could not be written completely, for example on a full disk.
    private static func outputFailure(_ environment: Environment) -> Int32 {
        guard let number = environment.output.failure else { return 0 }
        Report.warn("standard output: \(String(cString: strerror(number)))", environment)
        return CommandFailure.Code.failed.rawValue
    }
}
