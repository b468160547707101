internal import ArgumentParser
internal import Glibc
internal import ProxydConfinement

/// The entry point: runs the daemon, or a process that confines itself and becomes a script.
@main
enum Program {
    static func main() {
        // Parsed without ArgumentParser, because users never type these arguments.
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = ConfinedCommand(arguments: arguments) else {
            return ProxydCommand.main()
        }
        let (status, reason) = command.become()
        StandardError.write("proxyd: \(reason)")
        exit(status)
    }
}
