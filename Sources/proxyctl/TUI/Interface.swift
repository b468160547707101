internal import Capture
internal import Foundation
internal import ProxydTUI
internal import ProxydSystem
internal import ProxydOperations

/// The terminal interface on a data directory.
enum Interface {
    /// Whether there is a terminal to draw on and a keyboard to read.
    static func isPossible(_ environment: Environment) -> Bool {
        environment.isTerminal && isatty(STDIN_FILENO) == 1
            && environment.variables["TERM"] != "dumb"
    }

    /// Runs until the user quits. Waits for a store that does not exist yet.
    static func run(
        _ directory: DataDirectory, _ environment: Environment, _ theme: ThemeChoice
    ) throws {
        OwnerIdentity.assume(of: directory.path)
        let news = StoreNewsWatch(directory)
        var services = Services(
            openStore: { try StoreReader(directory: directory) },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.storeIdentity = { storeIdentity(directory) }
        services.hostActions =
            LeadingFile.isNamed ? actionsOnFile(directory) : hostActions(directory)
        services.usesColour = environment.usesColour
        services.theme = theme
        services.terminalColours = environment.variables["COLORFGBG"]
        services.stateDirectory = stateDirectory(environment)
        services.copyDirectory = services.stateDirectory ?? NSTemporaryDirectory()
        services.editor = environment.editor ?? "vi"
        do {
            try Application.run(services)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The inode of the store's file, which no other file can have while this one is open.
    static func storeIdentity(_ directory: DataDirectory) -> UInt64? {
        var facts = stat()
        return stat(directory.storePath, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// Nothing of a file is changed, and no daemon knows it.
    static func actionsOnFile(_ directory: DataDirectory) -> HostActions {
        var actions = HostActions()
        actions.exporting = StoreExporter(directory)
        actions.certificates = { CertificateReport.facts($0) }
        return actions
    }

    static func hostActions(_ directory: DataDirectory) -> HostActions {
        var hostActions = HostActions()
        hostActions.annotating = StoreAnnotator(directory)
        hostActions.deleting = StoreDeleter(directory)
        hostActions.replaying = StoreReplayer(directory)
        hostActions.exporting = StoreExporter(directory)
        let holds = DaemonHolds(directory)
        hostActions.inspecting = DaemonInspector(directory, holds)
        hostActions.holding = holds
        hostActions.ruling = StoreRuler(directory)
        hostActions.steering = DaemonSteering(directory)
        hostActions.certificates = { CertificateReport.facts($0) }
        return hostActions
    }

    /// `$XDG_STATE_HOME/proxyctl`, or else `~/.local/state/proxyctl`; nil if the home is unknown.
    private static func stateDirectory(_ environment: Environment) -> String? {
        if let base = environment.variables["XDG_STATE_HOME"], base.hasPrefix("/") {
            return base + "/proxyctl"
        }
        return environment.home.map { $0 + "/.local/state/proxyctl" }
    }
}
