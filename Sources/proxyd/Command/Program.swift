internal import ArgumentParser
internal import Glibc
internal import ProxydConfinement

/// What a process of this program is: the daemon, or one on its way to become a script of it.
@main
enum Program {
    static func main() {
        // Read as they are: no command line of a person's begins so.
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = ConfinedCommand(arguments: arguments) else {
            return ProxydCommand.main()
        }
        let (status, reason) = command.become()
        StandardError.write("proxyd: \(reason)")
        exit(status)
    }
}
