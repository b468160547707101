internal import Capture
internal import Foundation
internal import ProxydTUI
internal import ProxydSystem

/// The terminal interface on a data directory.
enum Interface {
    /// Whether there is a terminal to draw on and a keyboard to read.
    static func isPossible(_ surroundings: Surroundings) -> Bool {
        surroundings.isTerminal && isatty(STDIN_FILENO) == 1
            && surroundings.environment["TERM"] != "dumb"
    }

    /// Runs until its user leaves. A store that is not there yet is waited for.
    static func run(
        _ directory: DataDirectory, _ surroundings: Surroundings, _ theme: ThemeChoice
    ) throws {
        OwnerIdentity.assume(of: directory.path)
        let news = StoreNewsWatch(directory)
        var services = Services(
            openStore: { try StoreReader(directory: directory) },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.storeIdentity = { storeIdentity(directory) }
        services.world = world(directory)
        services.usesColour = surroundings.usesColour
        services.theme = theme
        services.terminalColours = surroundings.environment["COLORFGBG"]
        services.stateDirectory = stateDirectory(surroundings)
        services.copyDirectory = services.stateDirectory ?? NSTemporaryDirectory()
        services.editor = surroundings.editor ?? "vi"
        do {
            try Application.run(services)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The number of the store's file, which no other file has while somebody reads this one.
    private static func storeIdentity(_ directory: DataDirectory) -> UInt64? {
        var facts = stat()
        return stat(directory.storePath, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    private static func world(_ directory: DataDirectory) -> World {
        var world = World()
        world.annotating = StoreAnnotator(directory)
        world.deleting = StoreDeleter(directory)
        world.replaying = StoreReplayer(directory)
        world.exporting = StoreExporter(directory)
        let holds = DaemonHolds(directory)
        world.inspecting = DaemonInspector(directory, holds)
        world.holding = holds
        world.ruling = StoreRuler(directory)
        world.steering = DaemonSteering(directory)
        world.certificates = { CertificateReport.facts($0) }
        return world
    }

    /// `$XDG_STATE_HOME/proxyctl`, else `~/.local/state/proxyctl`; nil where there is no home.
    private static func stateDirectory(_ surroundings: Surroundings) -> String? {
        if let base = surroundings.environment["XDG_STATE_HOME"], base.hasPrefix("/") {
            return base + "/proxyctl"
        }
        return surroundings.home.map { $0 + "/.local/state/proxyctl" }
    }
}
