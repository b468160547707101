internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import ProxydTUI
internal import ProxydSystem
internal import ProxydOperations

/// The terminal interface on a store.
enum Interface {
    /// Whether there is a terminal to draw on and a keyboard to read.
    static func isPossible(_ environment: Environment) -> Bool {
        environment.isTerminal && isatty(STDIN_FILENO) == 1
            && environment.variables["TERM"] != "dumb"
    }

    /// Runs until the user quits. Waits for a store that does not exist yet.
    static func run(
        _ place: StorePlace, _ environment: Environment, _ theme: ThemeChoice
    ) throws {
        OwnerIdentity.assume(of: place.directory.path)
        place.commitEnded()
        let news = place.newsWatch()
        var services = Services(
            openStore: { try place.interfaceReader() },
            waitForChange: { news.wait() }, now: { SystemClock.wallNow() })
        services.storeIdentity = { place.identity }
        services.hostActions = .of(place)
        services.usesColour = environment.usesColour
        services.theme = theme
        services.terminalColours = environment.variables["COLORFGBG"]
        services.stateDirectory = stateDirectory(environment)
        services.copyDirectory =
            services.stateDirectory ?? FileManager.default.temporaryDirectory.path
        services.editor = environment.editor ?? "vi"
        do {
            try Application.run(services)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// `$XDG_STATE_HOME/proxyctl`, or else `~/.local/state/proxyctl`; nil if the home is unknown.
    private static func stateDirectory(_ environment: Environment) -> String? {
        if let base = environment.variables["XDG_STATE_HOME"], base.hasPrefix("/") {
            return base + "/proxyctl"
        }
        return environment.home.map { $0 + "/.local/state/proxyctl" }
    }
}
