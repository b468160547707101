internal import ArgumentParser
internal import Foundation
internal import ProxydConfigurationText
internal import ProxydControl

/// `proxyctl rule edit`: the file in the user's editor.
struct RuleEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Edit the rules in $VISUAL or $EDITOR.",
        discussion: "A copy is edited; it takes the file's place when it has no mistakes. With "
            + "mistakes they are told, and the copy is kept.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleFileOptions

    func run() throws {
        guard let editor = Surroundings.current.editor else {
            throw CommandFailure("set $VISUAL or $EDITOR")
        }
        let access = try options.access(global)
        let before = try access.read()
        let draft = NSTemporaryDirectory() + "rules-\(getpid()).toml"
        guard
            FileManager.default.createFile(
                atPath: draft, contents: Data(before.utf8),
                attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(draft) cannot be written") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The editor may have arguments; the file is one of its own, whatever its name holds.
        process.arguments = ["-c", "\(editor) \"$1\"", "sh", draft]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure("the editor ended with \(process.terminationStatus)")
        }
        let text: String
        do throws(ConfigurationValueError) {
            text = try ConfigurationFile.contents(of: draft)
        } catch {
            throw CommandFailure("\(draft): \(error.message)")
        }
        do {
            if let inForce = try access.write(text, over: before) {
                for problem in inForce.problems { Report.warn(problem) }
            } else {
                Report.warn("no daemon runs: \(access.path) counts when one does")
            }
        } catch {
            Report.warn("what was edited is in \(draft)")
            throw (error as? RulesFailure)?.told() ?? error
        }
        try? FileManager.default.removeItem(atPath: draft)
    }
}
